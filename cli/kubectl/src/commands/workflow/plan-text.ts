import { edgeLabel, nodeLines, ruleText, type Plan, type PlanEdge } from '@hamlet/engine/manifests';
import { printable } from '../../talk/printable.ts';
import { listed } from '../../table.ts';

const EDGE_WORDS: Readonly<Record<PlanEdge['type'], string>> = {
  normal: '',
  conditional: '',
  error: 'error',
  fallback: 'fallback',
};

/** `fix (score < 4)`, `alarm (error)`. */
function edgeText(edge: PlanEdge): string {
  const words = edgeLabel(edge) || EDGE_WORDS[edge.type];
  return words === '' ? edge.to : `${edge.to} (${words})`;
}

/** The stages of a plan from its entries to its exits, each with its work and the stages after it. Pure. */
export function planText({ workflow, pipeline, stages, edges, fallbacks }: Plan): readonly string[] {
  const rules = fallbacks.map((rule) => `${ruleText(rule)} → ${rule.to}`);
  const table = listed(stages, '', {
    STAGE: ({ id }) => id,
    ROLE: ({ role, decides }) => (decides && role !== 'decision' ? `${role}, decides` : role),
    RUNS: (stage) => printable(nodeLines(stage)[1] ?? '-'),
    THEN: ({ id }) => {
      const behind = edges.filter(({ from }) => from === id).map(edgeText);
      return printable(behind.length === 0 ? 'end' : behind.join(', '));
    },
  });
  return [`workflow ${workflow}, pipeline ${pipeline}`, table, ...rules];
}
