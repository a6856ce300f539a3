/**
 * Compares docs/METRICS.md, docs/RUNBOOK.md and the alert rules with the metrics that api, operator and broker serve.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { before, test } from 'node:test';
import { parse } from 'yaml';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { Elector, KubeClient, LoopWatch } from '@hamlet/kube';
import { Environment, Operator, operatorMetrics, settingsOf, villageClient } from '@hamlet/operator';
import type { Registry } from 'prom-client';
import { startTestVillage } from '../../api/server/src/testing/test-village.ts';
import { metricsText } from '../../api/broker/src/metrics.ts';
import { addProcessGauges } from '../../operator/src/metrics.ts';
import { readExpression } from './read-expression.ts';

interface RegisteredMetric {
  readonly name: string;
  readonly type: string;
  /** Label names, sorted. */
  readonly labels: readonly string[];
  readonly help: string;
}

/** An address without a listener, because clients are only constructed. */
const NOWHERE = 'http://127.0.0.1:1';

function describe(registry: Pick<Registry, 'getMetricsAsArray'>): readonly RegisteredMetric[] {
  return registry.getMetricsAsArray().map((metric) => {
    // prom-client stores the label names on the metric, although its types do not declare them.
    const labels = 'labelNames' in metric && Array.isArray(metric.labelNames) ? metric.labelNames.map(String) : [];
    return { name: metric.name, type: String(metric.type), labels: labels.toSorted(), help: metric.help };
  });
}

/** Starts a real replica of the api with every feature that registers metrics (PayPal and traces included), and reads its registry. */
async function metricsOfApi(): Promise<readonly RegisteredMetric[]> {
  const folder = await mkdtemp(join(tmpdir(), 'hamlet-metrics-'));
  const village = await startTestVillage();
  try {
    const secretsFile = join(folder, 'secrets.json');
    await writeFile(secretsFile, JSON.stringify({ clientId: 'client', clientSecret: 'secret', webhookId: 'webhook' }));
    const replica = await village.startReplica({
      HAMLET_TRACING_ENDPOINT: NOWHERE,
      HAMLET_PAYPAL: 'sandbox',
      HAMLET_PAYPAL_SECRETS_FILE: secretsFile,
      HAMLET_PAYPAL_PROXY: NOWHERE,
    });
    return describe(replica.metrics);
  } finally {
    await village.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The metrics that a broker serves, from its comments and series. */
function metricsOfBroker(): readonly RegisteredMetric[] {
  const text = metricsText({
    openConnections: 0,
    followsBrakes: true,
    authorityEnds: Date.now(),
    attempts: new Map([['none', 1]]),
    residentBytes: 1,
  });
  const helps = new Map([...text.matchAll(/^# HELP (\w+) (.+)$/gm)].map(([, name = '', help = '']) => [name, help]));
  return [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => {
    const series = new RegExp(`^${name}\\{(.*)\\}`, 'm').exec(text)?.[1] ?? '';
    const labels = [...series.matchAll(/(\w+)=/g)].map(([, label = '']) => label);
    return { name, type, labels: labels.toSorted(), help: helps.get(name) ?? '' };
  });
}

/** Constructs the operator like its main program, without starting it, and reads its registry. */
function metricsOfOperator(): readonly RegisteredMetric[] {
  const metrics = operatorMetrics();
  const client = new KubeClient({ server: NOWHERE, namespace: 'hamlet', tls: {} });
  const elector = new Elector({
    client,
    namespace: 'hamlet',
    name: 'hamlet-operator',
    holder: 'test',
    onError: () => undefined,
  });
  addProcessGauges(metrics.registry, elector, new LoopWatch(1_000));
  const environment = Environment.parse({ HAMLET_API_URL: NOWHERE, HAMLET_AGENT_IMAGE: 'hamlet/agent:1' });
  const village = villageClient({
    baseUrl: NOWHERE,
    fence: { leaseUid: '22222222-2222-4222-8222-222222222222', transitions: 1 },
  });
  new Operator({
    client,
    village,
    namespace: 'hamlet',
    settings: settingsOf(environment),
    workers: 1,
    instance: 'test',
    metrics,
    log: () => undefined,
  });
  return describe(metrics.registry);
}

interface MetricRow {
  /** Heading of the second level above the row. */
  readonly section: string;
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly mustBe: string;
}

/** Every row whose first cell is a metric. Pure. */
function metricRows(document: string): readonly MetricRow[] {
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

test('docs/METRICS.md lists exactly the metrics of the api, the operator and the broker', () => {
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
