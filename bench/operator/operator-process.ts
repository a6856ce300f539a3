import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { SERVICE_ACCOUNTS, type NewObject, type ResourceType } from '@hamlet/kube';
import { finalizerPolicy, RIGHTS } from '@hamlet/operator';
import { freePort } from '@hamlet/dev';
import { serviceAccountToken } from '@hamlet/test/env/cluster/service-account-token';
import { until } from '@hamlet/test/env/until';
import { cpuSecondsOf, peakRssMbOf, rssMbOf } from '../programs.ts';
import { endProcess, type ControlPlane } from './control-plane.ts';
import { operatorEnvironment } from './workload.ts';

const MAIN = resolve(import.meta.dirname, '../../operator/src/main.ts');
const HEARTBEAT_MS = 5_000;

/** Requests and memory of the operator. */
export interface OperatorFigures {
  /** Writes to the API server, without Events and the Lease. */
  readonly writes: number;
  readonly reconciles: number;
  /** All requests to the API server, including watches, Events and the Lease. */
  readonly requests: number;
  /** The number of Events in `requests`: the operator writes them long after the work that they report. */
  readonly events: number;
  readonly cpuSeconds: number;
  readonly rssMb: number;
  readonly peakRssMb: number;
}

/** The operator as its image runs it: in a separate process, with a filled compile cache. */
export interface OperatorProcess {
  figures(): Promise<OperatorFigures>;
  /** The operator's metrics in the format of Prometheus. */
  metrics(): Promise<string>;
  end(): Promise<void>;
}

/** A stub of the API that reports no measures against any agent: the case measures only Kubernetes. */
function contentApi(): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const timer = setInterval(() => response.write(': heartbeat\n\n'), HEARTBEAT_MS);
    response.write('event: reset\nid: bench:0\ndata: {"epoch":"bench"}\n\nevent: synced\nid: bench:0\ndata: {}\n\n');
    response.once('close', () => clearInterval(timer));
  });
  return new Promise((done) =>
    server.listen(0, '127.0.0.1', () =>
      done({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }),
    ),
  );
}

/** The sum of a counter over the lines that `counts` accepts. */
function sum(text: string, counter: string, counts: (line: string) => boolean): number {
  const lines = text.split('\n').filter((line) => line.startsWith(`${counter}{`) && counts(line));
  return lines.reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' '))), 0);
}

const REQUESTS = 'hamlet_operator_kube_requests_total';
const isEvent = (line: string): boolean => line.includes('resource="events"');
const isWrite = (line: string): boolean =>
  /method="(POST|PUT|PATCH|DELETE)"/.test(line) && !/resource="(events|leases)"/.test(line);

const isReady = async (url: string): Promise<boolean> =>
  /hamlet_operator_objects\{kind="tiers"\} [1-9]/.test(await (await fetch(`${url}/metrics`)).text());

const ACCOUNT = 'hamlet-operator';
const RBAC = 'rbac.authorization.k8s.io';
const rbac = (plural: string, kind: string): ResourceType => ({ group: RBAC, version: 'v1', plural, kind });

/** Creates the service account, its rights and its token, in the files where a pod would find them. */
async function mountAccount({ client, connection, namespace }: ControlPlane, folder: string): Promise<void> {
  const apply = (type: ResourceType, object: object): Promise<unknown> =>
    client.apply(
      type,
      { apiVersion: type.group === '' ? 'v1' : `${type.group}/v1`, kind: type.kind, ...object } as NewObject,
      { fieldManager: 'bench' },
    );
  const subjects = [{ kind: 'ServiceAccount', name: ACCOUNT, namespace }];
  await apply(SERVICE_ACCOUNTS, { metadata: { name: ACCOUNT, namespace } });
  await apply(rbac('roles', 'Role'), { metadata: { name: ACCOUNT, namespace }, rules: RIGHTS.role });
  await apply(rbac('rolebindings', 'RoleBinding'), {
    metadata: { name: ACCOUNT, namespace },
    subjects,
    roleRef: { apiGroup: RBAC, kind: 'Role', name: ACCOUNT },
  });
  await apply(rbac('clusterroles', 'ClusterRole'), { metadata: { name: ACCOUNT }, rules: RIGHTS.clusterRole });
  await apply(rbac('clusterrolebindings', 'ClusterRoleBinding'), {
    metadata: { name: ACCOUNT },
    subjects,
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: ACCOUNT },
  });
  const token = await serviceAccountToken(client, { namespace, name: ACCOUNT }, { expirationSeconds: 3_600 });
  await mkdir(folder);
  await Promise.all([
    writeFile(join(folder, 'token'), token),
    writeFile(join(folder, 'namespace'), namespace),
    writeFile(join(folder, 'ca.crt'), connection.tls.ca ?? ''),
  ]);
}

/** Address of the API, and the operator's token for it. */
export interface ApiAccess {
  readonly url: string;
  readonly tokenFile: string;
}

/**
 * Starts the operator and waits until it leads and has listed all objects. Without `access` the operator gets a stub
 * of the API that accepts everything.
 */
export async function startOperator(plane: ControlPlane, access?: ApiAccess): Promise<OperatorProcess> {
  const api = access === undefined ? await contentApi() : undefined;
  const apiUrl = access?.url ?? api?.url ?? '';
  const port = await freePort();
  const cache = await mkdtemp(join(plane.folder, 'operator-'));
  const account = join(cache, 'account');
  await mountAccount(plane, account);
  for (const { type, object } of finalizerPolicy(plane.namespace))
    await plane.client.apply(type, object, { fieldManager: 'bench' });
  const { hostname, port: kubePort } = new URL(plane.connection.server);
  const environment = {
    PATH: process.env['PATH'],
    // The same option as in operator/Dockerfile.
    NODE_OPTIONS: `--max-semi-space-size=4 ${process.env['HAMLET_BENCH_NODE_OPTIONS'] ?? ''}`,
    MALLOC_ARENA_MAX: '1',
    NODE_COMPILE_CACHE: join(cache, 'compiled'),
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: kubePort,
    HAMLET_SERVICE_ACCOUNT_DIR: account,
    HAMLET_NAMESPACE: plane.namespace,
    HAMLET_METRICS_LISTEN: `127.0.0.1:${port}`,
    ...operatorEnvironment(apiUrl),
    ...(access === undefined ? {} : { HAMLET_TOKEN_FILE: access.tokenFile }),
    HAMLET_BENCH_RUN: process.env['HAMLET_BENCH_RUN'],
  };
  await promisify(execFile)(process.execPath, [MAIN, '--help'], { env: environment });
  const child = spawn(process.execPath, [MAIN], { env: environment, stdio: ['ignore', 'ignore', 'inherit'] });
  const url = `http://127.0.0.1:${port}`;
  await until('the operator is ready', () => isReady(url)).catch(async (error: unknown) => {
    await endProcess(child);
    throw error;
  });
  const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
  return {
    metrics,
    figures: async () => {
      const text = await metrics();
      return {
        writes: sum(text, REQUESTS, isWrite),
        reconciles: sum(text, 'hamlet_operator_reconciles_total', () => true),
        requests: sum(text, REQUESTS, () => true),
        events: sum(text, REQUESTS, isEvent),
        cpuSeconds: cpuSecondsOf(child),
        rssMb: rssMbOf(child),
        peakRssMb: peakRssMbOf(child),
      };
    },
    end: async () => {
      await endProcess(child);
      api?.server.closeAllConnections();
      api?.server.close();
      await rm(cache, { recursive: true, force: true });
    },
  };
}
