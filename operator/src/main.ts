/** The operator: elects a leader, which turns Agents into pods. */
import { parseArgs } from 'node:util';
import { drain, Elector, inClusterConnection, KubeClient, kubeconfigConnection, ServiceServer, shutdownSignal, tokenFile, type Connection, type Fence } from '@hamlet/kube';
import * as z from 'zod';
import { Environment, settingsOf, usage } from './config.ts';
import { errorText, operatorMetrics } from './operator-metrics.ts';
import { Operator } from './operator.ts';
import { villageClient } from './village/village-client.ts';

const LEASE = 'hamlet-operator';
const DRAIN_MS = 8_000;
/** Seconds' worth of requests that may go at once after a pause. */
const BURST_FACTOR = 2;
const IN_FLIGHT = 32;

const log = (line: string): void => {
  process.stdout.write(`${new Date().toISOString()} ${line}\n`);
};

async function connect({ HAMLET_KUBECONFIG: kubeconfig, HAMLET_SERVICE_ACCOUNT_DIR: directory }: Environment): Promise<Connection> {
  if (kubeconfig !== undefined) return kubeconfigConnection(kubeconfig);
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
  if (host === undefined || port === undefined) throw new Error('no pod and no HAMLET_KUBECONFIG: nothing says where the API server is');
  return inClusterConnection({ host, port, directory });
}

function listenAt(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
}

async function run(environment: Environment): Promise<number> {
  const connection = await connect(environment);
  const namespace = environment.HAMLET_NAMESPACE ?? connection.namespace;
  const metrics = operatorMetrics();
  const leases = new KubeClient(connection, { onRequest: metrics.onRequest });
  const elector = new Elector({ client: leases, namespace, name: LEASE, holder: environment.HAMLET_POD_UID, onError: (error) => log(`lease: ${errorText(error)}`) });
  let operator: Operator | undefined;
  const server = new ServiceServer({
    ...listenAt(environment.HAMLET_METRICS_LISTEN),
    live: [],
    // A process that waits for the lease is ready to lead; one that leads must have listed.
    ready: [{ name: 'listed', problem: () => operator?.problem() }],
    metrics: () => metrics.registry.metrics(),
  });
  await server.listen();
  elector.start();
  const ended = Promise.race([shutdownSignal().then(() => 0), elector.lost.then(() => 1)]);
  const first = await Promise.race([elector.elected, ended]);
  if (typeof first !== 'number') {
    operator = lead(environment, { connection, namespace, elector, fence: first, metrics });
    void operator.start().then(() => log('working'));
  }
  const code = await ended;
  log(code === 0 ? 'ending' : 'the lease is lost: ending at once');
  if (code === 0) await drain([() => operator?.stop() ?? Promise.resolve(), () => elector.stop(), () => server.close(), () => leases.close()], DRAIN_MS, (error) => log(errorText(error)));
  return code;
}

interface Leadership {
  readonly connection: Connection;
  readonly namespace: string;
  readonly elector: Elector;
  readonly fence: Fence;
  readonly metrics: ReturnType<typeof operatorMetrics>;
}

function lead(environment: Environment, { connection, namespace, elector, fence, metrics }: Leadership): Operator {
  log(`leading as ${elector.identity}, fence ${fence.leaseUid}:${fence.transitions}`);
  const perSecond = environment.HAMLET_KUBE_QPS;
  const client = new KubeClient(connection, {
    limits: { perSecond, burst: perSecond * BURST_FACTOR, inFlight: IN_FLIGHT },
    beforeWrite: () => elector.assertLeads(),
    onRequest: metrics.onRequest,
  });
  const { HAMLET_TOKEN_FILE: tokenPath, HAMLET_API_URL: baseUrl } = environment;
  const village = villageClient({ baseUrl, fence, ...(tokenPath === undefined ? {} : { token: tokenFile(tokenPath) }) });
  return new Operator({ client, village, namespace, settings: settingsOf(environment), workers: environment.HAMLET_WORKERS, instance: elector.identity, metrics, log });
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

// Whatever is left open, a process that does not lead shall not linger.
process.exit(await main());
