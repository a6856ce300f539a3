/** Every metric that the api, the operator and the broker serve, read from their own registries or answers. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Elector, KubeClient, LoopWatch } from '@hamlet/kube';
import { Environment, Operator, operatorMetrics, settingsOf, villageClient } from '@hamlet/operator';
import type { Registry } from 'prom-client';
import { startTestVillage } from '../../api/server/src/testing/test-village.ts';
import { metricsText } from '../../api/broker/src/metrics.ts';
import { addProcessGauges } from '../../operator/src/metrics.ts';

export interface RegisteredMetric {
  readonly name: string;
  readonly type: string;
  /** Label names, sorted. */
  readonly labels: readonly string[];
  readonly help: string;
}

/** An address without a listener: clients that are only constructed, or fail, do no harm. */
const NOWHERE = 'http://127.0.0.1:1';

function describe(registry: Pick<Registry, 'getMetricsAsArray'>): readonly RegisteredMetric[] {
  return registry.getMetricsAsArray().map((metric) => {
    // prom-client stores the label names on the metric, although its types do not declare them.
    const labels = 'labelNames' in metric && Array.isArray(metric.labelNames) ? metric.labelNames.map(String) : [];
    return { name: metric.name, type: String(metric.type), labels: labels.toSorted(), help: metric.help };
  });
}

/** Starts a real replica of the api with every feature that registers metrics (PayPal included), and reads its registry. */
export async function metricsOfApi(): Promise<readonly RegisteredMetric[]> {
  const folder = await mkdtemp(join(tmpdir(), 'hamlet-metrics-'));
  const village = await startTestVillage();
  try {
    const secretsFile = join(folder, 'secrets.json');
    await writeFile(secretsFile, JSON.stringify({ clientId: 'client', clientSecret: 'secret', webhookId: 'webhook' }));
    const replica = await village.startReplica({
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

/** The metrics that a broker answers, by their comments and series. */
export function metricsOfBroker(): readonly RegisteredMetric[] {
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
export function metricsOfOperator(): readonly RegisteredMetric[] {
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
