import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import type { Connection, Fence } from '@hamlet/kube';
import {
  connect,
  drain,
  Elector,
  KubeClient,
  listenAt,
  LoopWatch,
  ServiceServer,
  shutdownSignal,
  tokenFile,
} from '@hamlet/kube';
import * as z from 'zod';
import { Environment, reserveOf, settingsOf, usage } from './config.ts';
import { addProcessGauges, errorText, operatorMetrics, type OperatorMetrics } from './metrics.ts';
import { Operator } from './operator.ts';
import { villageClient } from './village/village-client.ts';

const LEASE = 'hamlet-operator';
/** Time limit of the current work. Then the connections are closed, so that the lease is released in time. */
const DRAIN_MS = 8_000;
const CLOSE_MS = 1_000;
const RELEASE_MS = 3_000;
/** A leader that cannot list all objects in this time ends, because another process may have the missing rights. */
const LIST_MS = 120_000;
/** If keys wait this long while no worker takes or finishes a key, the workers hang. */
const STALL_MS = 300_000;
const LOOP_LATENESS_MS = 2_000;
/** Burst of requests after a pause, as a multiple of the requests per second. */
const BURST_FACTOR = 2;
const IN_FLIGHT = 32;
/** V8 collects garbage at 25 % growth instead of 100 %, because parsing leaves more garbage than the caches hold. */
const HEAP_GROWING = '--heap-growing-percent=25';

const log = (line: string): void => {
  process.stdout.write(`${new Date().toISOString()} ${line}\n`);
};

interface Process {
  readonly environment: Environment;
  readonly connection: Connection;
  readonly namespace: string;
  readonly metrics: OperatorMetrics;
  readonly leases: KubeClient;
  readonly elector: Elector;
  readonly loop: LoopWatch;
  leadership?: { readonly operator: Operator; readonly client: KubeClient };
  ending: boolean;
}

async function prepare(environment: Environment): Promise<Process> {
  const connection = await connect({
    kubeconfig: environment.HAMLET_KUBECONFIG,
    directory: environment.HAMLET_SERVICE_ACCOUNT_DIR,
  });
  const namespace = environment.HAMLET_NAMESPACE ?? connection.namespace;
  const metrics = operatorMetrics();
  const leases = new KubeClient(connection, { onRequest: metrics.onRequest });
  const elector = new Elector({
    client: leases,
    namespace,
    name: LEASE,
    holder: environment.HAMLET_POD_UID,
    onError: (error) => log(`lease: ${errorText(error)}`),
  });
  const loop = new LoopWatch(LOOP_LATENESS_MS);
  addProcessGauges(metrics.registry, elector, loop);
  return { environment, connection, namespace, metrics, leases, elector, loop, ending: false };
}

/** The problem of the workers if they hang. Workers that wait for a late renewal of the lease do not count as hanging. */
function stall({ leadership, elector }: Process): string | undefined {
  const stalledMs = elector.leads ? (leadership?.operator.stalledMs ?? 0) : 0;
  return stalledMs > STALL_MS
    ? `no worker has taken or finished a key for ${Math.round(stalledMs / 1_000)} s`
    : undefined;
}

function serviceServer(self: Process): ServiceServer {
  return new ServiceServer({
    ...listenAt(self.environment.HAMLET_METRICS_LISTEN),
    live: [
      { name: 'loop', problem: () => self.loop.problem },
      { name: 'workers', problem: () => stall(self) },
    ],
    // Ready: waiting for the lease, or leading with all objects listed and changes arriving.
    ready: [
      { name: 'running', problem: () => (self.ending ? 'ending' : undefined) },
      { name: 'watches', problem: () => self.leadership?.operator.problem() },
    ],
    metrics: () => self.metrics.registry.metrics(),
  });
}

async function run(environment: Environment): Promise<number> {
  const self = await prepare(environment);
  const { elector, loop, leases } = self;
  const server = serviceServer(self);
  loop.start();
  await server.listen();
  elector.start();
  const ended = Promise.race([shutdownSignal().then(() => 0), elector.lost.then(() => 1)]);
  const first = await Promise.race([elector.elected, ended]);
  const code = typeof first === 'number' ? first : await Promise.race([ended, lead(self, first)]);
  self.ending = true;
  log(code === 0 ? 'ending' : 'ending at once');
  // End new work first, then writes, and release the lease last, so that no write falls into the next leader's term.
  const steps = [
    {
      name: 'workers',
      withinMs: code === 0 ? DRAIN_MS : CLOSE_MS,
      run: () => self.leadership?.operator.stop() ?? Promise.resolve(),
    },
    {
      name: 'connections',
      withinMs: CLOSE_MS,
      run: () => (elector.resign(), self.leadership?.client.close() ?? Promise.resolve()),
    },
    { name: 'lease', withinMs: RELEASE_MS, run: () => elector.stop() },
    { name: 'server', withinMs: CLOSE_MS, run: () => Promise.all([server.close(), leases.close()]) },
  ];
  await drain(steps, (error) => log(errorText(error)));
  return code;
}

/** Starts the controllers. Resolves with the exit code if they cannot start, otherwise never. */
async function lead(self: Process, fence: Fence): Promise<number> {
  const { environment, connection, namespace, elector, metrics } = self;
  log(`leading as ${elector.identity}, fence ${fence.leaseUid}:${fence.transitions}`);
  const perSecond = environment.HAMLET_KUBE_QPS;
  const beforeWrite = (): Promise<void> => elector.leadership();
  const client = new KubeClient(connection, {
    limits: { perSecond, burst: perSecond * BURST_FACTOR, inFlight: IN_FLIGHT },
    beforeWrite,
    onRequest: metrics.onRequest,
  });
  const { HAMLET_TOKEN_FILE: tokenPath, HAMLET_API_URL: baseUrl } = environment;
  const village = villageClient({
    baseUrl,
    fence,
    beforeWrite,
    ...(tokenPath === undefined ? {} : { token: tokenFile(tokenPath) }),
  });
  const operator = new Operator({
    client,
    village,
    namespace,
    settings: settingsOf(environment),
    reserve: reserveOf(environment),
    workers: environment.HAMLET_WORKERS,
    instance: elector.identity,
    metrics,
    log,
  });
  self.leadership = { operator, client };
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => late.resolve('late'), LIST_MS);
  const began = await Promise.race([operator.start(), late.promise]);
  clearTimeout(timer);
  if (began === 'late') {
    log(`could not list everything within ${LIST_MS / 1_000} s: ${operator.problem() ?? 'listed just now'}`);
    return 1;
  }
  log('working');
  return new Promise<never>(() => undefined);
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { help: { type: 'boolean' } } });
  if (values.help === true) {
    process.stdout.write(usage());
    return 0;
  }
  const environment = Environment.safeParse(process.env);
  if (environment.success) return run(environment.data);
  process.stderr.write(`${z.prettifyError(environment.error)}\n${usage()}`);
  return 2;
}

setFlagsFromString(HEAP_GROWING);
process.exit(await main());
