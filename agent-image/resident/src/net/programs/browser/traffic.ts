import { once } from 'node:events';
import type { IncomingMessage, RequestOptions, Server, ServerResponse } from 'node:http';
import { createServer, request as requestHttp } from 'node:http';
import { connect, type Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import { NetFault, refusalIn } from '../net-fault.ts';
import { isOwn, privateAddress, tunnel, type WayOut } from '../outgoing.ts';

/** Maximum number of hosts whose refusal is remembered during one operation. */
const REFUSALS_MAX = 64;
const REFUSAL_BYTES = 8_192;
const REFUSAL_HEADER = 'hamlet-egress-code';

export interface Traffic {
  /** Run and call for which the broker records the traffic. */
  user: string;
  bytesLeft: number;
  /** True if pages may reach servers of the same pod, because the current page, or the one to open, is on such a server. */
  readonly own: boolean;
  readonly refusals: Map<string, NetFault>;
  /** Called once when the byte limit is reached. */
  readonly onSpent: () => void;
}

/** The browser's proxy, which knows the current call of the run. */
export interface BrowserProxy {
  readonly port: number;
  /** Starts the counts of an operation, and forgets the previous refusals. */
  begin(next: Omit<Traffic, 'refusals'>): Traffic;
  /** Marks a host as requested by a page. Other hosts are those of the browser's vendor, and get no answer. */
  want(host: string): void;
  close(): void;
}

/**
 * Starts a proxy on loopback between the browser and the pod's proxy. It adds run and call to each connection, limits bytes, and
 * stores the reasons for refusals, because a browser does not show them. It connects directly to servers of the same pod.
 */
export async function startBrowserProxy(way: WayOut | null): Promise<BrowserProxy> {
  const open = new Set<Duplex>();
  let traffic: Traffic = { user: '/', bytesLeft: 0, own: false, refusals: new Map(), onSpent: () => {} };
  const wanted = createWanted();
  const refuse = (host: string, fault: NetFault): void => {
    if (traffic.refusals.size < REFUSALS_MAX) traffic.refusals.set(host, fault);
  };
  // A connection may serve several operations: its bytes count for the current one.
  const count = (stream: Duplex | IncomingMessage): void =>
    void stream.on('data', (data: Buffer) => {
      const counted = traffic;
      const before = counted.bytesLeft;
      counted.bytesLeft -= data.length;
      if (counted.bytesLeft >= 0) return;
      for (const each of open) each.destroy();
      if (before >= 0) counted.onSpent();
    });
  const server = createServer((request, response) => {
    keep(open, request.socket);
    void wanted.has(nameIn(request.url ?? '')).then((isWanted) => {
      if (isWanted) forward({ request, response, way: named(way, traffic.user), own: traffic.own, count, refuse });
      else response.writeHead(502).end();
    });
  });
  server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    keep(open, socket);
    const target = request.url ?? '';
    const reached = wanted
      .has(hostOf(target))
      .then((isWanted) => (isWanted ? reach(target, named(way, traffic.user), traffic.own) : null));
    const join = (upstream: Socket | null): void => {
      if (upstream === null) return void socket.end(NO_TUNNEL);
      keep(open, upstream);
      count(upstream);
      tie(socket, upstream, head);
    };
    reached.then(join, (error: unknown) => {
      const fault = error instanceof NetFault ? error : new NetFault('unreachable', 'The host cannot be reached');
      refuse(hostOf(target), fault);
      socket.end(NO_TUNNEL);
    });
  });
  return {
    port: await listening(server),
    want: wanted.add,
    begin: (next) => (traffic = { ...next, refusals: new Map() }),
    close: () => {
      server.close();
      server.closeAllConnections();
      for (const each of open) each.destroy();
    },
  };
}

const NO_TUNNEL = 'HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';

function tie(socket: Duplex, upstream: Socket, head: Buffer): void {
  socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  if (head.length > 0) upstream.write(head);
  pipeline(socket, upstream, () => upstream.destroy());
  pipeline(upstream, socket, () => socket.destroy());
}

const nameIn = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '');

function keep(open: Set<Duplex>, stream: Duplex): void {
  if (open.has(stream)) return;
  open.add(stream);
  stream.on('error', () => stream.destroy()).once('close', () => open.delete(stream));
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const named = (way: WayOut | null, user: string): WayOut | null =>
  way === null ? null : { ...way, authorization: `Basic ${Buffer.from(`${user}:x`).toString('base64')}` };

const hostOf = (target: string): string => target.slice(0, target.lastIndexOf(':'));

async function reach(target: string, way: WayOut | null, own: boolean): Promise<Socket> {
  const place = {
    host: hostOf(target).replace(/^\[|\]$/g, ''),
    port: Number(target.slice(target.lastIndexOf(':') + 1)),
  };
  if (isOwn({ hostname: hostOf(target) })) {
    if (!own) throw privateAddress();
    const socket = connect(place);
    await once(socket, 'connect');
    return socket;
  }
  if (way === null) throw new NetFault('unreachable', 'The pod has no way out of the village');
  return tunnel(place, way, AbortSignal.timeout(60_000));
}

interface Forwarding {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly way: WayOut | null;
  readonly own: boolean;
  readonly count: (stream: IncomingMessage) => void;
  readonly refuse: (host: string, fault: NetFault) => void;
}

function nextHop(target: URL, way: WayOut | null): RequestOptions {
  if (way !== null && !isOwn(target)) {
    const headers = { 'proxy-authorization': way.authorization };
    return { host: way.host, port: way.port, path: target.href, headers };
  }
  const path = `${target.pathname}${target.search}`;
  return { host: target.hostname.replace(/^\[|\]$/g, ''), port: target.port || 80, path };
}

function unreachable(target: URL, { way, own }: Pick<Forwarding, 'way' | 'own'>): NetFault | null {
  if (isOwn(target)) return own ? null : privateAddress();
  return way === null ? new NetFault('unreachable', 'The pod has no way out of the village') : null;
}

function forward({ request, response, way, own, count, refuse }: Forwarding): void {
  const target = new URL(request.url ?? '');
  const fault = unreachable(target, { way, own });
  if (fault !== null) {
    refuse(target.hostname, fault);
    response.writeHead(502).end();
    return;
  }
  const { 'proxy-connection': _hop, ...rest } = request.headers;
  const hop = nextHop(target, way);
  const { method } = request;
  const upstream = requestHttp({ ...hop, method, headers: { ...rest, ...hop.headers }, agent: false });
  upstream.on('response', (answer) => {
    if (answer.headers[REFUSAL_HEADER] !== undefined) void noteRefusal(answer, target.hostname, refuse);
    count(answer);
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    pipeline(answer, response, () => answer.destroy());
  });
  upstream.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
  response.once('close', () => upstream.destroy());
  pipeline(request, upstream, () => {});
}

async function noteRefusal(answer: IncomingMessage, host: string, refuse: Forwarding['refuse']): Promise<void> {
  let body = '';
  answer.on('data', (data: Buffer) => {
    if (body.length < REFUSAL_BYTES) body += data.toString();
  });
  await once(answer, 'end').catch(() => {});
  refuse(host, refusalIn(answer.statusCode ?? 502, body));
}

const HOSTS_MAX = 10_000;
/** How long a connection may wait until a page requests its host; on a busy machine this takes seconds. */
const WAIT_MS = 10_000;

/** Hosts that pages request. A page's request may be known shortly after its connection. Mutable. */
function createWanted() {
  const hosts = new Set<string>();
  const waiting = new Set<() => void>();
  return {
    add: (host: string): void => {
      if (hosts.size < HOSTS_MAX) hosts.add(host);
      for (const look of waiting) look();
    },
    has: (host: string): Promise<boolean> =>
      new Promise((resolve) => {
        const settle = (): void => {
          waiting.delete(look);
          clearTimeout(late);
          resolve(hosts.has(host));
        };
        const look = (): void => void (hosts.has(host) && settle());
        const late = setTimeout(settle, WAIT_MS);
        waiting.add(look);
        look();
      }),
  };
}
