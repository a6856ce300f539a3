/** Servers outside of the village, on this machine, and a village whose operator allows them. */
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttp, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { join } from 'node:path';
import { callbackify } from 'node:util';
import { Authority, createAuthority } from '@hamlet/broker';
import { clusterStatus, hamletCluster } from '../../../local/village/cluster.ts';
import { helm, localPlace } from '../../../local/village/kubectl.ts';
import { ROOT } from '../../../local/village/paths.ts';
import { listenOnLoopback } from '../net/loopback.ts';
import { until } from '../until.ts';
import type { Village } from '../village.ts';
import { MARK } from './probe.ts';

/** Ports of the machine on which the broker reaches the servers. */
export const TLS_PORT = 18_443;
export const PLAIN_PORT = 18_480;

/** One request that reached a server outside. */
export interface Hit {
  readonly host: string;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

export interface Outside {
  /** The machine's address in the network of the nodes. */
  readonly address: string;
  /** Certificate of the authority of the servers, PEM. */
  readonly roots: string;
  readonly hits: Hit[];
  /** Datagrams that reached the machine. */
  readonly datagrams: string[];
  /** When TLS connections opened and closed, in milliseconds since 1970, by the TLS name. */
  readonly connections: { readonly name: string; closedMs?: number }[];
  /** Handlers by host; other hosts answer with the mark. */
  readonly hosts: Map<string, RequestListener>;
  close(): Promise<void>;
}

const listening = async (server: Server): Promise<string> => `tcp://127.0.0.1:${await listenOnLoopback(server)}`;

async function udpOn(address: string, datagrams: string[]): Promise<UdpSocket> {
  const socket = createSocket('udp4');
  socket.on('message', (data, from) => {
    datagrams.push(data.toString('hex'));
    socket.send(data, from.port, from.address);
  });
  socket.bind(PLAIN_PORT, address);
  await once(socket, 'listening');
  return socket;
}

/** @param tlsPorts further ports of the machine's address for servers with TLS, for programs that name none. */
export async function startOutside(tlsPorts: readonly number[] = []): Promise<Outside> {
  const address = (await clusterStatus())?.spec.apiHost;
  if (address === undefined) throw new Error('no cluster is up: make up');
  const files = await createAuthority('the outside of a test', Date.now());
  const authority = new Authority(files, Date.now);
  const [hits, datagrams, connections]: [Hit[], string[], Outside['connections']] = [[], [], []];
  const hosts = new Map<string, RequestListener>();
  const listener: RequestListener = (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const host = (headers.host ?? '').replace(/:[0-9]+$/, '');
    hits.push({ host, method, path, headers });
    const own = hosts.get(host);
    if (own !== undefined) return own(request, response);
    const location = /^\/redirect\?to=(.+)$/.exec(path)?.[1];
    if (location !== undefined) response.writeHead(302, { location: decodeURIComponent(location) }).end();
    else response.end(`${MARK} ${headers.authorization ?? ''}\n`);
  };
  const secure = createHttps({ SNICallback: callbackify((name: string) => authority.context(name)) }, listener);
  secure.on('secureConnection', (socket) => {
    const connection: Outside['connections'][number] = { name: String(socket.servername) };
    connections.push(connection);
    socket.on('error', () => undefined).once('close', () => (connection.closedMs = Date.now()));
  });
  const plain = createHttp(listener);
  const forwarded = [
    [[TLS_PORT, ...tlsPorts], await listening(secure)],
    [[PLAIN_PORT], await listening(plain)],
  ] as const;
  for (const [ports, to] of forwarded)
    for (const port of ports) await hamletCluster(['forward', '--listen', `${address}:${port}`, '--to', to]);
  const udp = await udpOn(address, datagrams);
  const close = async (): Promise<void> => {
    udp.close();
    for (const server of [secure, plain]) {
      server.close();
      server.closeAllConnections();
    }
  };
  return { address, roots: files.certificate, hits, datagrams, connections, hosts, close };
}

const DEPLOYMENTS = ['hamlet-api', 'hamlet-api-more', 'hamlet-broker'];

/** Changes values of the running release, as an operator of the village does, and waits until all pods have them. */
export async function setValues(place: Village, values: Readonly<Record<string, unknown>>): Promise<void> {
  const flags = Object.entries(values).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`]);
  await helm(await localPlace(place.namespace), [
    'upgrade',
    'hamlet',
    join(ROOT, 'charts/hamlet'),
    '--reuse-values',
    ...flags,
  ]);
  for (const name of DEPLOYMENTS) await place.kubectl(['rollout', 'status', `deployment/${name}`, '--timeout=240s']);
  await until('the api answers', async () => (await fetch(`${place.url}/readyz`)).ok);
}

const ROOTS_SECRET = 'egress-roots';
/** Helm merges maps of a release with new ones, so each registry is switched off by its name. */
const NO_REGISTRIES = { apt: false, pip: false, npm: false, crates: false, go: false };
const NOTHING = { allow: [], deny: [], registries: NO_REGISTRIES, secretNames: [], days: 90 };

/** Names in /etc/hosts of the broker, by address. */
export type Names = Readonly<Record<string, readonly string[]>>;

export interface Opening {
  readonly host: string;
  readonly ports: readonly number[];
}

/** Gives the village the names of hosts outside and the CA of their servers, and allows some of them. */
export async function openVillage(
  place: Village,
  outside: Outside,
  {
    names,
    openings,
    more = {},
    values = {},
  }: {
    readonly names: Names;
    readonly openings: readonly Opening[];
    readonly more?: object;
    /** Further values of the chart, for the same upgrade. */
    readonly values?: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: ROOTS_SECRET },
    stringData: { 'ca.crt': outside.roots },
  };
  await place.kubectl(['apply', '-f', '-'], JSON.stringify(secret));
  await setValues(place, {
    ...values,
    'broker.hostAliases': Object.entries(names).map(([ip, hostnames]) => ({ ip, hostnames })),
    'broker.rootsSecretName': ROOTS_SECRET,
    egress: {
      ...NOTHING,
      openings: openings.map((opening) => ({ ...opening, cidr: `${outside.address}/32` })),
      ...more,
    },
  });
}

/** Restores the chart's own values, with `values` on top. */
export async function closeVillage(place: Village, values: Readonly<Record<string, unknown>> = {}): Promise<void> {
  await setValues(place, {
    ...values,
    'broker.hostAliases': [],
    'broker.rootsSecretName': '',
    egress: { ...NOTHING, openings: [], closedCidrs: [] },
  });
  await place.tryKubectl(['delete', 'secret', ROOTS_SECRET, '--ignore-not-found']);
}
