import { parser } from '@prometheus-io/lezer-promql';

/** A selector of a PromQL expression: a metric, and the labels that it matches. */
interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
}

/**
 * The selectors of an expression by Prometheus' own grammar, and the labels by which it groups. Throws if the text is
 * not PromQL. Pure.
 */
export function readExpression(expression: string): {
  readonly selectors: readonly Selector[];
  readonly groupsBy: readonly string[];
} {
  const selectors: { metric: string; labels: string[] }[] = [];
  const groupsBy: string[] = [];
  parser.parse(expression).iterate({
    enter: ({ type, from, to, node }) => {
      const text = expression.slice(from, to);
      if (type.isError) throw new Error(`no PromQL near character ${from}: ${expression}`);
      if (type.name === 'Identifier') selectors.push({ metric: text, labels: [] });
      if (type.name !== 'LabelName') return;
      if (node.parent?.name === 'GroupingLabels') groupsBy.push(text);
      else selectors.at(-1)?.labels.push(text);
    },
  });
  return { selectors, groupsBy };
}
