/** Prints the operator's RBAC rules as YAML, for the chart. */
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { CLUSTER_ROLE_RULES, ROLE_RULES } from './kinds/agent/rbac.ts';

const USAGE = `Usage: node operator/src/rbac-print.ts [--cluster]

Prints the rules of the operator's Role as a YAML list.
  --cluster   those of its ClusterRole instead
  --help      this text
`;

const { values } = parseArgs({ options: { cluster: { type: 'boolean' }, help: { type: 'boolean' } } });
const rules = values.cluster === true ? CLUSTER_ROLE_RULES : ROLE_RULES;
process.stdout.write(values.help === true ? USAGE : stringify(rules, { lineWidth: 0, aliasDuplicateObjects: false }));
