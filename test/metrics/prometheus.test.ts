/**
 * A real Prometheus scrapes a village (a real api, operator and API server; stand-ins for kubelet, DCGM and vLLM): each query of the
 * dashboards returns data there, and each alert reads series that exist.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { API_VERSION } from '@hamlet/contract/kinds';
import { startPrometheus, type LocalPrometheus } from '@hamlet/dev';
import { Elector, LoopWatch } from '@hamlet/kube';
import { ENTITLEMENTS, operatorMetrics } from '@hamlet/operator';
import { metricsText } from '../../api/broker/src/metrics.ts';
import { addProcessGauges } from '../../operator/src/metrics.ts';
import { testFolder } from '../env/at-end.ts';
import { after, before, test } from '../env/cluster-test.ts';
import { until } from '../env/until.ts';
import { operatedVillage, type OperatedVillage } from '../schedules/operated-village.ts';
import { readExpression } from './read-expression.ts';
import { dcgmText, kubeletText, serveMetrics, vllmText } from './stand-in-exporters.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const DASHBOARDS = join(ROOT, 'charts/hamlet/files/dashboards');
const ALERTS = join(ROOT, 'charts/hamlet/files/alerts.yaml');
const NODE = { node: 'sparky1' };
/** A range of several scrapes; Grafana chooses one by the zoom. */
const RATE_INTERVAL = '8s';
const TIER = {
  rank: 0,
  limits: {
    requestsPerMinute: 6_000,
    concurrentTools: 1,
    concurrentModelRequests: 4,
    tokensPerHour: 2_000_000,
    models: ['small'],
  },
  price: { perThousandTokens: '0.1' },
};
/** Metrics without a series until the fault that they count, or until a replica of the API reads the memory of its node. */
const ONLY_WITH_FAULTS: ReadonlySet<string> = new Set([
  'hamlet_http_answers_outside_contract_total',
  'hamlet_paypal_deliveries_total',
  'hamlet_operator_watch_failures_total',
  'hamlet_node_memory_short',
]);

let village: OperatedVillage;
let prometheus: LocalPrometheus;
/** Run after the tests, the newest first. Hooks of `before` would end with it. */
const endings: (() => unknown)[] = [];
const folder = testFolder('prometheus');

async function served(text: () => string | Promise<string>): Promise<{ readonly url: string }> {
  const exporter = await serveMetrics(text);
  endings.push(() => exporter.close());
  return exporter;
}

interface Running {
  readonly operatorUrl: string;
}

/** Starts the operator with its election, and serves its registry. */
async function startOperator(): Promise<Running> {
  const metrics = operatorMetrics();
  const client = village.kube.clientWith({ onRequest: metrics.onRequest });
  const parts = { client, namespace: village.namespace, name: 'hamlet-operator', holder: 'test' };
  const elector = new Elector({ ...parts, onError: () => undefined });
  const loop = new LoopWatch(1_000);
  addProcessGauges(metrics.registry, elector, loop);
  elector.start();
  const operator = await village.startOperator({ metrics, audit: { everyMs: 400, afterMs: 2_000 }, client });
  const exporter = await served(() => metrics.registry.metrics());
  endings.push(
    () => operator.stop(),
    () => elector.stop(),
  );
  return { operatorUrl: exporter.url };
}

/** Gives ada money, and has her ask her model and fire by a Schedule. */
async function work(): Promise<void> {
  const { play } = village;
  await play.admin.rewardAgent({ agent_id: 'ada', amount: '50', reason: 'for the metrics' });
  await play.admin.createSchedule({ name: 'tick', agent_name: 'ada', prompt: 'Look round.', every: '10s' });
  await until('ada may ask her model', async () => (await ask()).ok);
  assert.equal((await ask('large')).ok, false);
}

const ask = (model = 'small') =>
  village.play.as('ada').raw.completeChat({ model, messages: [{ role: 'user', content: 'Where is the mill?' }] });

before(async () => {
  village = await operatedVillage({ ada: {} });
  const { kube, namespace } = village;
  await kube.client.create(
    ENTITLEMENTS,
    { apiVersion: API_VERSION, kind: 'Entitlement', metadata: { name: 'tier-0' }, spec: TIER },
    { namespace },
  );
  const { operatorUrl } = await startOperator();
  const broker = await served(() =>
    metricsText({
      openConnections: 1,
      followsBrakes: true,
      authorityEnds: Date.now() + 365 * 86_400_000,
      attempts: new Map([['none', Math.floor(performance.now() / 100)]]),
      residentBytes: process.memoryUsage.rss(),
    }),
  );
  const kubelet = await served(() => kubeletText(namespace, performance.now() / 1_000));
  const dcgm = await served(dcgmText);
  const vllm = await served(() => vllmText(performance.now() / 1_000));
  const pod = (name: string) => ({ namespace, pod: `hamlet-${name}-0` });
  prometheus = await startPrometheus(
    folder,
    [
      { url: `${village.metricsUrl}/metrics`, labels: pod('api') },
      { url: operatorUrl, labels: pod('operator') },
      { url: broker.url, labels: pod('broker') },
      { url: kubelet.url, labels: NODE },
      { url: dcgm.url, labels: NODE },
      { url: vllm.url, labels: pod('model-local') },
    ],
    [ALERTS],
  );
  endings.push(() => prometheus.stop());
  await work();
});
after(async () => {
  for (const end of endings.toReversed()) await end();
  await village.remove();
});

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const panels = readdirSync(DASHBOARDS).flatMap((file) => {
  const { panels: found } = JSON.parse(readFileSync(join(DASHBOARDS, file), 'utf8')) as { panels: readonly Panel[] };
  return found.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ name: `${file}: ${title}`, expr })));
});

/** True if the query has a series with a finite value. */
async function hasData(expression: string): Promise<boolean> {
  return (await prometheus.query(expression)).some(({ value: [, text] }) => Number.isFinite(Number(text)));
}

test('Prometheus scrapes all of the village', async () => {
  await until('six targets', async () => (await prometheus.query('up == 1')).length === 6);
});

test('each query of the dashboards returns data', async () => {
  assert.ok(panels.length > 40);
  const empty = new Set(panels);
  const readAll = async (): Promise<boolean> => {
    await ask();
    for (const panel of empty) {
      const expression = panel.expr
        .replaceAll('$namespace', village.namespace)
        .replaceAll('$__rate_interval', RATE_INTERVAL);
      if (await hasData(expression)) empty.delete(panel);
    }
    return empty.size === 0;
  };
  await until('data in each panel', readAll, { state: async () => [...empty].map(({ name }) => name) });
});

interface RuleState {
  readonly name: string;
  readonly query: string;
  readonly health: string;
  readonly state: string;
}

async function rules(): Promise<readonly RuleState[]> {
  const { groups } = (await prometheus.read('/rules')) as { groups: readonly { rules: readonly RuleState[] }[] };
  return groups.flatMap(({ rules: found }) => found);
}

test('Prometheus evaluates each alert, and each reads series that exist', async () => {
  const evaluated = await until('an evaluation of each rule', async () => {
    const found = await rules();
    return found.length > 30 && found.every(({ health }) => health === 'ok') && found;
  });
  const missing: string[] = [];
  for (const { name, query } of evaluated)
    for (const { metric, labels } of readExpression(query).selectors) {
      const present = [metric, `{${labels.map((label) => `${label}!=""`).join(',')}}`].join('');
      if (!ONLY_WITH_FAULTS.has(metric) && !(await hasData(present))) missing.push(`${name}: ${present}`);
    }
  assert.deepEqual(missing, []);
});

test('a healthy village has no alert of a part that is absent', async () => {
  const firing = (await rules()).filter(({ state }) => state === 'firing').map(({ name }) => name);
  assert.deepEqual(
    firing.filter((name) => name.endsWith('Absent') || name === 'HamletNoLeader' || name === 'HamletNoWorldWriter'),
    [],
  );
});
