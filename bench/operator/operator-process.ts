import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { endProcess, type ControlPlane } from './control-plane.ts';
import { operatorEnvironment } from './workload.ts';

const MAIN = resolve(import.meta.dirname, '../../operator/src/main.ts');
const HEARTBEAT_MS = 5_000;
const METRICS_PORT_TRIES = 50;

/** What the operator has done and what it weighs. */
export interface OperatorFigures {
  /** Writes to the API server, without Events and the Lease. */
  readonly writes: number;
  readonly reconciles: number;
  readonly rssMb: number;
  readonly peakRssMb: number;
}

/** The operator as its image runs it: a process of its own, with a filled compile cache. */
export interface OperatorProcess {
  figures(): Promise<OperatorFigures>;
  /** The metrics, as Prometheus reads them. */
  metrics(): Promise<string>;
  end(): Promise<void>;
}

/** An api that is there and says nothing: the case is about Kubernetes. */
function silentApi(): Promise<Server> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const timer = setInterval(() => response.write(': heartbeat\n\n'), HEARTBEAT_MS);
    response.write(': heartbeat\n\n');
    response.once('close', () => clearInterval(timer));
  });
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server)));
}

function memoryOf({ pid }: ChildProcess): { readonly rssMb: number; readonly peakRssMb: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kib = (field: string): number => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN);
  return { rssMb: kib('VmRSS') / 1_024, peakRssMb: kib('VmHWM') / 1_024 };
}

/** The sum of a counter over the lines that `counts` takes. */
function sum(text: string, counter: string, counts: (line: string) => boolean): number {
  const lines = text.split('\n').filter((line) => line.startsWith(`${counter}{`) && counts(line));
  return lines.reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' '))), 0);
}

const isWrite = (line: string): boolean => /method="(POST|PUT|PATCH|DELETE)"/.test(line) && !/resource="(events|leases)"/.test(line);

function freePort(): Promise<number> {
  const probe = createServer();
  return new Promise((done) => probe.listen(0, '127.0.0.1', () => {
    const { port } = probe.address() as AddressInfo;
    probe.close(() => done(port));
  }));
}

async function ready(url: string): Promise<void> {
  for (let attempt = 0; attempt < METRICS_PORT_TRIES; attempt += 1) {
    const answer = await fetch(`${url}/metrics`).then((response) => response.text()).catch(() => '');
    if (/hamlet_operator_objects\{kind="tiers"\} [1-9]/.test(answer)) return;
    await new Promise((resolvePause) => setTimeout(resolvePause, 200));
  }
  throw new Error('the operator does not get ready');
}

/** Starts it and waits until it leads and has listed everything. */
export async function startOperator(plane: ControlPlane): Promise<OperatorProcess> {
  const api = await silentApi();
  const port = await freePort();
  const cache = await mkdtemp(join(tmpdir(), 'hamlet-bench-cache-'));
  const environment = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: cache,
    HAMLET_KUBECONFIG: plane.kubeconfig,
    HAMLET_NAMESPACE: plane.namespace,
    HAMLET_METRICS_LISTEN: `127.0.0.1:${port}`,
    ...operatorEnvironment(`http://127.0.0.1:${(api.address() as AddressInfo).port}`),
  };
  await promisify(execFile)(process.execPath, [MAIN, '--help'], { env: environment });
  const child = spawn(process.execPath, [MAIN], { env: environment, stdio: ['ignore', 'ignore', 'inherit'] });
  const url = `http://127.0.0.1:${port}`;
  await ready(url);
  const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
  return {
    metrics,
    figures: async () => {
      const text = await metrics();
      return { writes: sum(text, 'hamlet_operator_kube_requests_total', isWrite), reconciles: sum(text, 'hamlet_operator_reconciles_total', () => true), ...memoryOf(child) };
    },
    end: async () => {
      await endProcess(child);
      api.closeAllConnections();
      api.close();
      await rm(cache, { recursive: true, force: true });
    },
  };
}
