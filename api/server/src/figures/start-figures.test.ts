/** Collections over a real Redis, with kubelets as a port and an exporter of DCGM that answers over http. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { FIGURES_KEPT } from '@hamlet/contract';
import { openDatabase } from '@hamlet/store';
import { untilEnd } from '@hamlet/test/env/at-end';
import { migratedPostgres } from '@hamlet/test/env/postgres';
import { testRedis } from '@hamlet/test/env/redis';
import { until } from '@hamlet/test/env/until';
import { Registry } from 'prom-client';
import type { AgentRecord } from '../agents/agent-source.ts';
import { NO_KUBELETS, type Kubelets, type NodeReading } from './sources/kubelets.ts';
import { readSummary } from './sources/kubelet-summary.ts';
import { startFigures } from './start-figures.ts';

const redis = untilEnd(await testRedis());
const registry = new Registry();
const logs: string[] = [];
let dcgm = { status: 200, text: '' };
const exporter: Server = createServer((_, answer) => void answer.writeHead(dcgm.status).end(dcgm.text));
await new Promise<void>((resolve) => exporter.listen(0, '127.0.0.1', resolve));
after(() => void exporter.close());

/** A summary of `seconds` after the start of a pod that uses half a core and receives 20 bytes a second. */
function summaryAt(seconds: number): string {
  const time = new Date(1_796_000_000_000 + seconds * 1_000).toISOString();
  const pod = {
    podRef: { name: 'ada-3', namespace: 'village', uid: 'u1' },
    cpu: { time, usageCoreNanoSeconds: seconds * 5e8 },
    memory: { time, workingSetBytes: 4_096 },
    network: { time, rxBytes: seconds * 20, txBytes: 0 },
  };
  return JSON.stringify({ node: { cpu: { time, usageCoreNanoSeconds: seconds * 1e9 } }, pods: [pod] });
}

let readings: readonly NodeReading[] = [];
const kubelets: Kubelets = { ...NO_KUBELETS, read: () => Promise.resolve(readings) };
const box = { name: 'box1', ready: true, cores: 20, memoryBytes: 2 ** 37, problem: null };
const ada = { agentId: 'ada', status: { nodeName: 'box1', podName: 'ada-3' } } as AgentRecord;

const db = openDatabase({ url: untilEnd(await migratedPostgres()).url(), poolSize: 1, onError: () => undefined });
after(() => db.destroy());
const figures = startFigures({
  config: {
    redisUrl: redis.url,
    namespace: 'village',
    figures: {
      dcgmUrl: new URL(`http://localhost:${(exporter.address() as AddressInfo).port}/metrics`),
      nodeName: 'box1',
      guard: null,
    },
  },
  db,
  source: { list: () => [ada], entitlement: () => null },
  kubelets,
  operated: true,
  registry,
  log: (level, message) => void logs.push(`${level} ${message}`),
});
after(() => figures.stop());
await until('Redis is connected', () =>
  figures.store.read().then(
    () => true,
    () => false,
  ),
);

const [job] = figures.jobs;
async function collect(seconds: number, status = 200): Promise<void> {
  const labels = 'gpu="0",UUID="GPU-1",modelName="NVIDIA GB10",Hostname="box1",namespace="village",pod="ada-3"';
  dcgm = { status, text: `DCGM_FI_DEV_GPU_UTIL{${labels}} ${seconds}\nDCGM_FI_DEV_GPU_TEMP{${labels}} 66\n` };
  readings = [{ ...box, summary: readSummary(summaryAt(seconds)) }];
  await job?.run();
}

test('two collections give rates, GPUs and an hour of points, which are stored only in Redis', async () => {
  await collect(0);
  await collect(15);
  const { nodes, agents } = await figures.store.read();
  assert.deepEqual([nodes[0]?.cpu.used_cores, nodes[0]?.gpus[0]?.temperature_celsius], [1, 66]);
  assert.deepEqual([agents[0]?.cpu_cores, agents[0]?.received_per_s, agents[0]?.gpu_percent], [0.5, 20, 15]);
  const hour = await figures.store.hour('ada');
  assert.deepEqual(
    hour.map(({ cpu_cores, memory_bytes, gpu_percent }) => [cpu_cores, memory_bytes, gpu_percent]),
    [
      [null, 4_096, 0],
      [0.5, 4_096, 15],
    ],
  );
  assert.deepEqual(await figures.store.hour('bob'), []);
});

test('the hour of an agent is bounded', async () => {
  const snapshot = await figures.store.read();
  await Promise.all(Array.from({ length: FIGURES_KEPT + 10 }, () => figures.store.write(snapshot)));
  assert.equal((await figures.store.hour('ada')).length, FIGURES_KEPT);
});

test('an exporter that fails leaves the GPUs out, and the rest stays', async () => {
  await collect(30, 500);
  const { nodes, agents } = await figures.store.read();
  assert.deepEqual([nodes[0]?.gpus, agents[0]?.gpu_percent, agents[0]?.cpu_cores], [[], null, 0.5]);
  assert.match(logs.join('\n'), /warn the exporter of DCGM cannot be read/);
});

test('the kernel of a node that a replica reports counts its memory', async () => {
  const reading = {
    at: new Date().toISOString(),
    totalBytes: 100,
    availableBytes: 40,
    cpuPressure: 1,
    memoryPressure: 2,
    memoryStalled: null,
    ioPressure: 3,
    temperatureCelsius: 55,
  };
  await figures.store.reportHost('box1', reading);
  await collect(45);
  const [node] = (await figures.store.read()).nodes;
  assert.deepEqual([node?.memory.available_bytes, node?.memory.source, node?.temperature_celsius], [40, 'kernel', 55]);
});

test('a replica whose clock is an hour off does not keep a shortage for an hour: Redis has the time of a reading', async () => {
  const reading = {
    at: new Date(Date.now() + 3_600_000).toISOString(),
    totalBytes: 100,
    availableBytes: 40,
    cpuPressure: null,
    memoryPressure: null,
  };
  await figures.store.reportHost('box1', {
    ...reading,
    memoryStalled: null,
    ioPressure: null,
    temperatureCelsius: null,
  });
  const stored = (await figures.store.hosts(['box1'])).get('box1');
  assert.ok(Math.abs(Date.parse(stored?.at ?? '') - Date.now()) < 10_000, String(stored?.at));
});

test('metrics count readings by their outcome', async () => {
  readings = [{ ...box, summary: null, problem: { reason: 'untrusted', fix: 'x' } }];
  await job?.run();
  const text = await registry.metrics();
  assert.match(text, /^hamlet_figures_readings_total\{outcome="read"\} 4$/m);
  assert.match(text, /^hamlet_figures_readings_total\{outcome="untrusted"\} 1$/m);
  assert.match(text, /^hamlet_figures_collection_seconds_count 5$/m);
});
