/** Reads docs/METRICS.md and the alert rules. */
import { parser } from '@prometheus-io/lezer-promql';

/** A row of a table of metrics. */
export interface MetricRow {
  /** Heading of the second level above the row. */
  readonly section: string;
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly mustBe: string;
}

/** Every row whose first cell is a metric. Pure. */
export function metricRows(document: string): readonly MetricRow[] {
  let section = '';
  return document.split('\n').flatMap((line) => {
    if (line.startsWith('## ')) section = line.slice(3);
    const [, first = '', type = '', labels = '', , mustBe = ''] = line.split('|').map((cell) => cell.trim());
    const name = /^`([a-z0-9_]+)`$/.exec(first)?.[1];
    return name === undefined
      ? []
      : [
          {
            section,
            name,
            type,
            labels: [...labels.matchAll(/`([a-z0-9_]+)`/g)].map(([, label = '']) => label),
            mustBe,
          },
        ];
  });
}

/** A selector of a PromQL expression: a metric, and the labels that it matches. */
export interface Selector {
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
