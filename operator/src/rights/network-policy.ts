/** The admission policy for NetworkPolicies: rules add up, so one permissive policy would open the pods of agents. */
import { AGENT_LABEL, AGENT_ROLE, AGENT_PART, ROLE_LABEL } from '../objects/names.ts';

const OWN = 'hamlet-agents';

/** The labels of every pod of an agent. The label with the agent's name may have any value. */
const LABELS = `{'app.kubernetes.io/name': '${AGENT_PART}', 'app.kubernetes.io/part-of': 'hamlet', '${ROLE_LABEL}': '${AGENT_ROLE}', '${AGENT_LABEL}': ''}`;

/** True if an agent's pod may have this key: its own labels, and the topology labels that Kubernetes adds. */
const mayHave = (key: string): string => `(${key} in variables.labels || ${key}.contains('topology.kubernetes.io/'))`;
/** True if the value of a key is not fixed: the agent's name, or a label of Kubernetes. */
const isOpen = (key: string): string => `(${key} == '${AGENT_LABEL}' || !(${key} in variables.labels))`;

const LABEL_FITS = `${mayHave('k')} && (${isOpen('k')} || variables.labels[k] == object.spec.podSelector.matchLabels[k])`;
const EXPRESSION_FITS = [
  `e.operator == 'In' ? ${mayHave('e.key')} && (${isOpen('e.key')} || variables.labels[e.key] in e.values)`,
  `e.operator == 'NotIn' ? ${isOpen('e.key')} || !(variables.labels[e.key] in e.values)`,
  `e.operator == 'Exists' ? ${mayHave('e.key')}`,
  `!(e.key in variables.labels)`,
].join(' : ');

/** The chart's own rules, in full: the API's port for agents, and the broker's. */
const OWN_RULE = [
  'has(r.to) && r.to.size() == 1 && has(r.ports) && r.ports.size() == 1',
  "r.to.all(t, !has(t.ipBlock) && !has(t.namespaceSelector) && has(t.podSelector) && !has(t.podSelector.matchExpressions) && has(t.podSelector.matchLabels) && t.podSelector.matchLabels == {'app.kubernetes.io/name': 'hamlet', 'app.kubernetes.io/component': r.ports.all(p, has(p.port) && p.port == 8081) ? 'api' : 'broker'})",
  'r.ports.all(p, has(p.port) && p.port in [8081, 3128] && !has(p.endPort))',
].join(' && ');

/** Refuses rules for pods of agents other than the chart's. A policy without rules only closes, so it may select them. */
export const AGENT_NETWORK_POLICY = {
  failurePolicy: 'Fail',
  matchConstraints: {
    resourceRules: [
      {
        apiGroups: ['networking.k8s.io'],
        apiVersions: ['*'],
        operations: ['CREATE', 'UPDATE'],
        resources: ['networkpolicies'],
      },
    ],
  },
  variables: [
    { name: 'labels', expression: LABELS },
    {
      name: 'selectsAgents',
      expression: `(!has(object.spec.podSelector.matchLabels) || object.spec.podSelector.matchLabels.all(k, ${LABEL_FITS})) && (!has(object.spec.podSelector.matchExpressions) || object.spec.podSelector.matchExpressions.all(e, ${EXPRESSION_FITS}))`,
    },
    { name: 'opensIngress', expression: 'has(object.spec.ingress) && object.spec.ingress.size() > 0' },
    { name: 'opensEgress', expression: 'has(object.spec.egress) && object.spec.egress.size() > 0' },
  ],
  validations: [
    {
      expression: `!variables.selectsAgents || object.metadata.name == '${OWN}' || (!variables.opensEgress && !variables.opensIngress)`,
      message: `this NetworkPolicy selects pods of agents, and its rules would add to theirs: leave them out of its podSelector by {key: ${ROLE_LABEL}, operator: NotIn, values: [${AGENT_ROLE}]}, and open hosts for agents by egress of the chart`,
      reason: 'Forbidden',
    },
    {
      expression: `object.metadata.name != '${OWN}' || (!variables.opensIngress && variables.opensEgress && object.spec.egress.all(r, ${OWN_RULE}))`,
      message: `${OWN} has the rules of the chart and no others: pods of agents reach the API's port 8081 and the broker's port 3128`,
      reason: 'Forbidden',
    },
    {
      expression: `object.metadata.name != '${OWN}' || (has(object.spec.policyTypes) && object.spec.policyTypes.exists(t, t == 'Egress') && object.spec.policyTypes.exists(t, t == 'Ingress') && variables.selectsAgents && !has(object.spec.podSelector.matchExpressions) && object.spec.podSelector.matchLabels == {'${ROLE_LABEL}': '${AGENT_ROLE}'})`,
      message: `${OWN} selects every pod of an agent, in both directions`,
      reason: 'Forbidden',
    },
  ],
} as const;
