/** `make soak WHAT=api HOURS=h`: heap and handles of the api under 1,000 walkers while a hostile client runs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort } from '@hamlet/dev';
import { Seeded } from '@hamlet/test/env/seeded';
import { API_MAIN, type ApiProcess, startApiProcess } from '../../api/server/src/testing/api-process.ts';
import { probeLivez } from '../../api/server/src/testing/livez-probe.ts';
import { startTestVillage } from '../../api/server/src/testing/test-village.ts';
import { type Sample, verdictOf } from './verdict.ts';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { WebSocket } from 'ws';

/** Reads the heap of a process that was started with `--inspect=127.0.0.1:PORT`. */
interface CollectedHeap {
  /** Collects garbage in that process, then returns the size of the remaining heap in MB. */
  readMb(): Promise<number>;
  close(): void;
}

/** @param port port of the inspector on loopback */
async function openCollectedHeap(port: number): Promise<CollectedHeap> {
  const listed = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as readonly {
    readonly webSocketDebuggerUrl: string;
  }[];
  const url = listed[0]?.webSocketDebuggerUrl;
  if (url === undefined) throw new Error(`no inspector answers on port ${port}`);
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const waiting = new Map<number, (result: unknown) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { readonly id?: number; readonly result?: unknown };
    if (id === undefined) return;
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  let asked = 0;
  const call = (method: string): Promise<unknown> =>
    new Promise((resolve) => {
      asked += 1;
      waiting.set(asked, resolve);
      socket.send(JSON.stringify({ id: asked, method }));
    });
  return {
    readMb: async () => {
      await call('HeapProfiler.collectGarbage');
      const { usedSize } = (await call('Runtime.getHeapUsage')) as { readonly usedSize: number };
      return usedSize / 2 ** 20;
    },
    close: () => socket.close(),
  };
}

const HOSTILE = '127.0.0.66';
const EVERY_MS = 20;
const LEAVE_AFTER_MS = 5_000;

/** A caller at one address that rotates through requests that are cheap for it and expensive for the api. */
interface HostileClient {
  readonly deeds: number;
  stop(): Promise<void>;
}

/** Sends requests over its own connection and ignores the answers. */
function ask(url: string, body?: string): void {
  const headers = { 'content-type': 'application/json' };
  const method = body === undefined ? 'GET' : 'POST';
  const sent = request(url, { method, headers, localAddress: HOSTILE, agent: false }, (response) => response.resume());
  sent.on('error', () => undefined).end(body);
}

/** Requests cells that no map has, and fifty views of the whole map at once. */
function wantViews(url: string): void {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/world?format=json`, { localAddress: HOSTILE });
  socket
    .on('error', () => undefined)
    .on('open', () => {
      const cells = { x: 0, y: 0, width: Number.MAX_SAFE_INTEGER, height: 1 };
      socket.send(JSON.stringify({ type: 'resume', epoch: 1, seq: 1, cells }));
      for (let number = 0; number < 50; number += 1)
        socket.send(JSON.stringify({ type: 'view', x: number % 2, y: 0, width: 4_000, height: 4_000, zoom: 'near' }));
    });
  setTimeout(() => socket.terminate(), LEAVE_AFTER_MS);
}

/** Begins a request and never ends its headers. */
function beginSlowly(url: string): void {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress: HOSTILE });
  socket.on('error', () => undefined).once('connect', () => socket.write('GET / HTTP/1.1\r\nx-slow: '));
  setTimeout(() => socket.destroy(), LEAVE_AFTER_MS);
}

/** Starts the caller, which runs until the test stops it. */
function startHostileClient(url: string): HostileClient {
  const acts = [
    () => ask(`${url}/nowhere`),
    () => ask(`${url}/api/v1/login`, JSON.stringify({ name: 'Grace', password: 'a wrong guess' })),
    () => ask(`${url}/api/v1/login`, 'x'.repeat(1 << 18)),
    () => ask(`${url}/api/v1/world`),
    () => wantViews(url),
    () => beginSlowly(url),
  ];
  let deeds = 0;
  const timer = setInterval(() => {
    acts[deeds % acts.length]?.();
    deeds += 1;
  }, EVERY_MS);
  return {
    get deeds() {
      return deeds;
    },
    stop: async () => {
      clearInterval(timer);
      await new Promise((resolve) => setTimeout(resolve, LEAVE_AFTER_MS));
    },
  };
}

const ROOT = resolve(import.meta.dirname, '../..');
const SAMPLES = join(ROOT, 'crds/samples');
const WALKERS = 1_000;
/** Each walker gets a new destination about every seven seconds. */
const MOVES_PER_SECOND = 143;
const SAMPLE_EVERY_MS = 30_000;
const REPORT_EVERY_MS = 60_000;
const LIVEZ_CAP_MS = 60_000;
const { values } = parseArgs({ options: { hours: { type: 'string', default: '1' } } });
const totalMs = Number(values.hours) * 3_600_000;

/** The files of a village of a thousand agents, each with its own token. */
async function writeVillage(folder: string): Promise<void> {
  for (const file of await readdir(SAMPLES))
    if (file.startsWith('good-entitlement-')) await copyFile(join(SAMPLES, file), join(folder, file));
  const names = Array.from({ length: WALKERS }, (_, index) => `walker-${index}`);
  for (const name of names)
    await writeFile(
      join(folder, `good-agent-${name}.yaml`),
      `apiVersion: hamlet.village/v1alpha1\nkind: Agent\nmetadata: { name: ${name} }\nspec:\n  displayName: ${name}\n`,
    );
  await writeFile(
    join(folder, 'keys.json'),
    JSON.stringify({
      adminToken: 'admin-of-the-soak-village',
      agentTokens: Object.fromEntries(names.map((name) => [name, `token-of-the-agent-${name}`])),
    }),
  );
}

async function sampleOf(api: ApiProcess, heap: CollectedHeap, startedMs: number): Promise<Sample> {
  const heapMb = await heap.readMb();
  const text = await (await fetch(`${api.metricsUrl}/metrics`)).text();
  const read = (name: string): number => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  return {
    atMs: performance.now() - startedMs,
    heapMb,
    handles: read('nodejs_active_resources_total'),
    stallMs: Math.round(read('nodejs_eventloop_lag_max_seconds') * 1_000),
  };
}

/** Sends walkers back and forth. Returns a function that stops it and returns the number of accepted moves. */
function walk(url: string): () => number {
  const random = new Seeded(1);
  let accepted = 0;
  const timer = setInterval(() => {
    const name = `walker-${Math.floor(random.between(0, WALKERS))}`;
    const headers = {
      authorization: `Bearer token-of-the-agent-${name}`,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    };
    const body = JSON.stringify({ x: Math.floor(random.between(0, 128)), y: Math.floor(random.between(0, 96)) });
    fetch(`${url}/api/v1/agents/${name}/move`, { method: 'POST', headers, body })
      .then(async (response) => {
        await response.text();
        if (response.ok) accepted += 1;
      })
      .catch(() => undefined);
  }, 1_000 / MOVES_PER_SECOND);
  return () => {
    clearInterval(timer);
    return accepted;
  };
}

const folder = await mkdtemp(join(tmpdir(), 'hamlet-soak-api-'));
await writeVillage(folder);
const village = await startTestVillage();
const inspectorPort = await freePort();
const api = await startApiProcess(
  village,
  {
    HAMLET_SAMPLES_DIR: folder,
    HAMLET_API_KEYS_FILE: join(folder, 'keys.json'),
    HAMLET_STRICT_ANSWERS: '0',
    HAMLET_LOG_LEVEL: 'warn',
    HAMLET_TRUSTED_PROXIES: '192.0.2.1',
    HAMLET_RATE_LIMIT: '100000',
    HAMLET_SOCKETS_PER_ADDRESS: '250',
  },
  [process.execPath, `--inspect=127.0.0.1:${inspectorPort}`, API_MAIN],
);
const heap = await openCollectedHeap(inspectorPort);
const startedMs = performance.now();
const samples: Sample[] = [];
const probe = probeLivez(api.url, LIVEZ_CAP_MS);
const stopWalking = walk(api.url);
const hostile = startHostileClient(api.url);
// The probe shares this process with the walkers, so a stall of this process lengthens the measured answers
// too.
const ownDelay = monitorEventLoopDelay();
ownDelay.enable();
for (let reportedMs = 0; performance.now() - startedMs < totalMs;) {
  await sleep(SAMPLE_EVERY_MS);
  const now = await sampleOf(api, heap, startedMs);
  samples.push(now);
  if (now.atMs - reportedMs < REPORT_EVERY_MS) continue;
  reportedMs = now.atMs;
  console.log(
    `${new Date().toISOString()} ${(now.atMs / 60_000).toFixed(1)} min: heap ${now.heapMb.toFixed(1)} MB, ${now.handles} handles, longest /livez ${probe.longestMs.toFixed(0)} ms, longest stall ${Math.max(...samples.map(({ stallMs }) => stallMs))} ms (of this client ${(ownDelay.max / 1e6).toFixed(0)} ms), ${hostile.deeds} hostile acts`,
  );
}
const moves = stopWalking();
await hostile.stop();
await probe.stop();
const result = {
  hours: Number(values.hours),
  walkers: WALKERS,
  moves,
  hostileDeeds: hostile.deeds,
  longestLivezMs: Math.round(probe.longestMs),
  longestClientStallMs: Math.round(ownDelay.max / 1e6),
  ...verdictOf(samples, probe.longestMs),
  samples,
};
mkdirSync(join(ROOT, 'bench/results'), { recursive: true });
writeFileSync(join(ROOT, 'bench/results/soak-api.json'), `${JSON.stringify(result, null, 2)}\n`);
console.log(JSON.stringify({ ...result, samples: samples.length }, null, 2));
heap.close();
await api.stop('SIGTERM');
await village.remove();
await rm(folder, { recursive: true, force: true });
process.exitCode = result.problems.length === 0 && moves > 0 ? 0 : 1;
