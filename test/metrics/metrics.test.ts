/**
 * Compares docs/METRICS.md, docs/RUNBOOK.md and the alert rules with the metrics that the api, the operator and the broker really
 * serve.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { before, test } from 'node:test';
import { parse } from 'yaml';
import { metricsOfApi, metricsOfBroker, metricsOfOperator, type RegisteredMetric } from './registered.ts';
import { metricRows, readExpression } from './table.ts';

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const rows = metricRows(read('docs/METRICS.md'));
const alerts = (parse(read('charts/hamlet/files/alerts.yaml')) as { groups: { rules: AlertRule[] }[] }).groups.flatMap(
  ({ rules }) => rules,
);
/** Labels that Prometheus' discovery adds, and the label of a histogram's series. */
const ADDED_LABELS = ['namespace', 'le'];

let api: readonly RegisteredMetric[] = [];
let operator: readonly RegisteredMetric[] = [];
let broker: readonly RegisteredMetric[] = [];
before(async () => {
  api = await metricsOfApi();
  operator = metricsOfOperator();
  broker = metricsOfBroker();
});

const shape = ({ name, type, labels }: Pick<RegisteredMetric, 'name' | 'type' | 'labels'>): string =>
  `${name} ${type} {${labels.join(', ')}}`;
const tableOf = (...sections: readonly string[]): readonly string[] =>
  rows
    .filter(({ section }) => sections.includes(section))
    .map(shape)
    .toSorted();

test('docs/METRICS.md lists every metric of the api, the operator and the broker, and no other', () => {
  assert.ok(api.length > 60 && operator.length > 50);
  assert.deepEqual(tableOf('api', 'Both'), api.map(shape).toSorted());
  assert.deepEqual(tableOf('operator', 'Both'), operator.map(shape).toSorted());
  assert.deepEqual(tableOf('broker'), broker.map(shape).toSorted());
});

test('each metric whose help says that it must stay 0 is marked in the table, and has an alert', () => {
  const zero = [...api, ...operator].filter(({ help }) => help.includes('must stay 0')).map(({ name }) => name);
  assert.ok(zero.length >= 8);
  assert.deepEqual(
    zero.filter((name) => rows.find((row) => row.name === name)?.mustBe !== '0'),
    [],
  );
  const watched = new Set(alerts.flatMap(({ expr }) => readExpression(expr).selectors.map(({ metric }) => metric)));
  assert.deepEqual(
    rows
      .filter(({ name, mustBe }) => mustBe === '0' && !watched.has(name) && !name.endsWith('_drift_total'))
      .map(({ name }) => name),
    [],
  );
});

test('each alert rule is PromQL over metrics and labels that exist', () => {
  const series = new Map(
    [...api, ...operator, ...broker].flatMap(({ name, type, labels }) =>
      type === 'histogram'
        ? ['_bucket', '_sum', '_count'].map((end) => [`${name}${end}`, labels] as const)
        : [[name, labels] as const],
    ),
  );
  for (const { alert, expr } of alerts) {
    const { selectors, groupsBy } = readExpression(expr);
    assert.ok(selectors.length > 0, alert);
    const known = [...ADDED_LABELS, ...selectors.flatMap(({ metric }) => series.get(metric) ?? [])];
    for (const { metric, labels } of selectors) {
      assert.ok(series.has(metric), `${alert}: no metric ${metric}`);
      assert.deepEqual(
        labels.filter((label) => !known.includes(label)),
        [],
        alert,
      );
    }
    assert.deepEqual(
      groupsBy.filter((label) => !known.includes(label)),
      [],
      alert,
    );
  }
});

test('the check finds invalid PromQL and unknown metrics', () => {
  assert.throws(() => readExpression('sum by (namespace (hamlet_world_seq)'), /no PromQL/);
  assert.deepEqual(readExpression('rate(gone{kind="x"}[5m]) > 0'), {
    selectors: [{ metric: 'gone', labels: ['kind'] }],
    groupsBy: [],
  });
});

test('each alert has a severity, a summary and a section of docs/RUNBOOK.md, and each section an alert', () => {
  const sections = [...read('docs/RUNBOOK.md').matchAll(/^### (Hamlet\w+)$/gm)].map(([, name]) => name);
  assert.deepEqual(sections.toSorted(), alerts.map(({ alert }) => alert).toSorted());
  for (const { alert, labels, annotations } of alerts)
    assert.ok(['critical', 'warning'].includes(labels.severity) && annotations.summary.length > 10, alert);
});
