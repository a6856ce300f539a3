/** `make bench-memory`: memory of an idle resident, the supervisor of its hands, operator and API, as the processes of their images. */
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { testApiServer } from '@hamlet/test/env/api-server';
import { API_FLAGS, POD_FLAGS } from '../pod-flags.ts';
import { medianOf, row, writeReport, type Row } from '../report.ts';
import { benchFolder, startStores } from '../stores.ts';
import { buildCluster, furnish } from './village.ts';
import { startMeasured, type MeasuredProcess } from './measured-process.ts';
import { startHands } from './hands.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** A process counts as idle once it has run for this long. */
const SETTLE_MS = 45_000;
const SAMPLES = 30;
const SAMPLE_EVERY_MS = 1_000;
const TARGETS = { residentIdleRssMb: 90, handsIdleRssMb: 8, operatorIdleRssMb: 150, apiIdleRssMb: 150 } as const;
type Metric = keyof typeof TARGETS;
/** The whole idle pod of an agent: resident and hands together. */
const POD_TARGET_MB = 100;

if (process.argv.includes('--help')) {
  console.log(
    'usage: make bench-memory\n\nStarts api, operator, one resident and the supervisor of its hands on a real API server, Postgres and Redis, and prints their idle memory.',
  );
  process.exit(0);
}

async function measure(processes: Readonly<Record<Metric, Pick<MeasuredProcess, 'rssMb'>>>): Promise<readonly Row[]> {
  console.log(`idle for ${SETTLE_MS / 1_000} s, then ${SAMPLES} samples`);
  await sleep(SETTLE_MS);
  const samples: Record<Metric, number[]> = {
    residentIdleRssMb: [],
    handsIdleRssMb: [],
    operatorIdleRssMb: [],
    apiIdleRssMb: [],
  };
  const metrics = Object.keys(TARGETS) as Metric[];
  for (let count = 0; count < SAMPLES; count += 1) {
    for (const metric of metrics) samples[metric].push(processes[metric].rssMb());
    await sleep(SAMPLE_EVERY_MS);
  }
  const pods = samples.residentIdleRssMb.map((resident, index) => resident + (samples.handsIdleRssMb[index] ?? 0));
  return [
    ...metrics.map((metric) => row(metric, 'MB', { ours: medianOf(samples[metric]), target: TARGETS[metric] })),
    row('podIdleRssMb', 'MB', { ours: medianOf(pods), target: POD_TARGET_MB }),
  ];
}

await buildCluster();
await using ends = new AsyncDisposableStack();
const folder = await benchFolder(ends, 'memory');
const kube = await testApiServer();
ends.defer(() => kube.remove());
const { appUrl, redisUrl } = await startStores(ends, folder, 'fast');
const { namespace, tokens, keysFile, tokenFile, serviceAccountDir } = await furnish(kube, folder);
const server = new URL(kube.connection.server);
const inPod = {
  NODE_ENV: 'production',
  NODE_COMPILE_CACHE: join(folder, 'cache'),
  KUBERNETES_SERVICE_HOST: server.hostname,
  KUBERNETES_SERVICE_PORT: server.port,
  HAMLET_NAMESPACE: namespace,
};
const api = await startMeasured(join(ROOT, 'api/server/src/main.ts'), {
  flags: API_FLAGS,
  serviceAccountDir,
  ports: ['HAMLET_PEOPLE_LISTEN', 'HAMLET_AGENTS_LISTEN', 'HAMLET_METRICS_LISTEN'],
  ready: ({ HAMLET_METRICS_LISTEN: at }) => `http://${at}/readyz`,
  environment: {
    ...inPod,
    MALLOC_ARENA_MAX: '1',
    HAMLET_POSTGRES_URL: appUrl,
    HAMLET_REDIS_URL: redisUrl,
    HAMLET_API_KEYS_FILE: keysFile,
  },
});
ends.defer(() => api.end());
const apiUrl = `http://${api.environment['HAMLET_AGENTS_LISTEN']}`;
const operator = await startMeasured(join(ROOT, 'operator/src/main.ts'), {
  serviceAccountDir,
  ports: ['HAMLET_METRICS_LISTEN'],
  ready: ({ HAMLET_METRICS_LISTEN: at }) => `http://${at}/readyz`,
  environment: {
    ...inPod,
    HAMLET_API_URL: apiUrl,
    HAMLET_TOKEN_FILE: tokenFile,
    HAMLET_AGENT_IMAGE: 'hamlet/agent:bench',
    HAMLET_POD_UID: 'bench',
  },
});
ends.defer(() => operator.end());
const resident = await startMeasured(join(ROOT, 'agent-image/resident/src/main.ts'), {
  flags: POD_FLAGS,
  fill: join(ROOT, 'agent-image/resident/src/process/fill-compile-cache.ts'),
  ports: [],
  ready: () => null,
  environment: {
    NODE_COMPILE_CACHE: inPod.NODE_COMPILE_CACHE,
    HAMLET_API_URL: apiUrl,
    HAMLET_AGENT_ID: 'ada',
    HAMLET_AGENT_TOKEN: tokens.ada,
    HAMLET_STATE_DIR: folder,
    HAMLET_MEMORY_DIR: folder,
    HAMLET_WORKSPACE_DIR: folder,
  },
});
ends.defer(() => resident.end());
const hands = await startHands(folder);
ends.defer(() => hands.end());
const file = writeReport(
  'memory',
  await measure({
    residentIdleRssMb: resident,
    handsIdleRssMb: hands,
    operatorIdleRssMb: operator,
    apiIdleRssMb: api,
  }),
);
console.log(`\nwritten to ${file}`);
