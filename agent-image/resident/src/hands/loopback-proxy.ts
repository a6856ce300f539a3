import { once } from 'node:events';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Agent, createServer, request as requestHttp } from 'node:http';
import { connect } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import { BROKER_HOST } from './proxy-environment.ts';
import { answerOfHead, answerOfHeaders, type BrokerAnswer, type Refusals } from './refusals.ts';

/** Maximum open connections of all programs of the pod. The broker admits 128 for each agent. */
const MAX_CONNECTIONS = 160;
const MAX_HEADER_BYTES = 65_536;
const MAX_TARGET_LENGTH = 300;
/** Maximum idle connections to the broker, which requests without TLS reuse. */
const MAX_IDLE = 4;
const MAX_HEAD_CHARS = 8_192;
/** The proxy user of a program: a run, a slash, a call. MCP servers belong to no run, and use `mcp` instead. */
const USER = /^([0-9a-f-]{36}|mcp)?\/([A-Za-z0-9_.:-]{1,200})?$/;
/** The user at the broker for a program without a run. */
const NO_CALLER = '/';
/** Hop-by-hop headers. The program's user is not forwarded. */
const OF_ONE_HOP = ['connection', 'keep-alive', 'proxy-authorization', 'proxy-connection'];

export interface LoopbackProxyConfig {
  readonly host: string;
  readonly port: number;
  readonly broker: URL;
  readonly token: () => Promise<string>;
  /** The run that a program's user names: for a program of a conversation, the run that it serves now; null between runs. */
  readonly runOf: (named: string) => string | null;
  readonly refusals: Pick<Refusals, 'note'>;
}

export interface LoopbackProxy {
  readonly port: number;
  close(): void;
}

interface Parts extends Pick<LoopbackProxyConfig, 'token' | 'runOf' | 'refusals'> {
  readonly broker: { readonly host: string; readonly port: number };
  readonly agent: Agent;
}

/**
 * The proxy of the pod. It forwards each connection to the broker and adds the agent's token, so that programs need none. A
 * program's proxy user names run and call; the token is proof, these are only a claim.
 */
export async function startLoopbackProxy(config: LoopbackProxyConfig): Promise<LoopbackProxy> {
  const broker = { host: config.broker.hostname, port: Number(config.broker.port) };
  const agent = new Agent({ keepAlive: true, maxFreeSockets: MAX_IDLE });
  const { token, runOf, refusals } = config;
  const parts: Parts = { broker, agent, token, runOf, refusals };
  const tunnels = new Set<Duplex>();
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 0 }, (request, response) => {
    forward(parts, request, response).catch(() => refuse(response));
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    tunnels.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => tunnels.delete(socket));
    openTunnel(parts, request, { socket, head }).catch(() => socket.end(REFUSAL));
  });
  server.listen(config.port, config.host);
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : config.port,
    close: () => {
      server.close();
      server.closeAllConnections();
      for (const socket of tunnels) socket.destroy();
      agent.destroy();
    },
  };
}

const LOST = { code: 'egress_unreachable', message: 'the broker does not answer; try again in a minute' } as const;
const LOST_ANSWER: BrokerAnswer = { code: LOST.code, phrase: `${LOST.code}: ${LOST.message}` };
const UNREACHABLE = `${JSON.stringify({ reason: LOST.code, message: LOST.message })}\n`;
const REFUSAL = `HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\ncontent-length: ${String(UNREACHABLE.length)}\r\nconnection: close\r\n\r\n${UNREACHABLE}`;

function refuse(response: ServerResponse): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(503, { 'content-type': 'application/json' }).end(UNREACHABLE);
}

function userIn(header: string | undefined): string | null {
  if (header === undefined || !/^Basic /i.test(header)) return null;
  const text = Buffer.from(header.slice('Basic '.length), 'base64').toString('latin1');
  const user = text.slice(0, Math.max(0, text.indexOf(':')));
  return USER.test(user) ? user : null;
}

async function identityOf({ token, runOf }: Parts, user: string | null): Promise<string> {
  const [named = '', call = ''] = user?.split('/') ?? [];
  const run = named === '' || named === 'mcp' ? null : runOf(named);
  const caller = run === null ? NO_CALLER : `${run}/${call}`;
  return `Basic ${Buffer.from(`${caller}:${await token()}`).toString('base64')}`;
}

async function openTunnel(
  parts: Parts,
  { url = '', headers }: IncomingMessage,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
): Promise<void> {
  if (url.length > MAX_TARGET_LENGTH) throw new Error('the target is too long');
  const user = userIn(headers['proxy-authorization']);
  const identity = await identityOf(parts, user);
  const broker = connect({ ...parts.broker, noDelay: true });
  try {
    await once(broker, 'connect');
  } catch (error) {
    broker.destroy();
    parts.refusals.note(user, null, LOST_ANSWER);
    throw error;
  }
  broker.write(`CONNECT ${url} HTTP/1.1\r\nHost: ${url}\r\nProxy-Authorization: ${identity}\r\n\r\n`);
  if (head.length > 0) broker.write(head);
  readHead(broker, (answer) => parts.refusals.note(user, url, answerOfHead(answer)));
  pipeline(socket, broker, (error) => error && broker.destroy());
  pipeline(broker, socket, () => broker.destroy());
}

/** Forwards the broker's answer to the program, and reads its head. Ignores the bytes of a tunnel. */
function readHead(broker: Duplex, use: (head: string) => void): void {
  let head = '';
  const read = (chunk: Buffer): void => {
    head += chunk.toString('latin1');
    const end = head.indexOf('\r\n\r\n');
    if (end < 0 && head.length < MAX_HEAD_CHARS) return;
    broker.off('data', read);
    if (end >= 0) use(head.slice(0, end));
  };
  broker.on('data', read);
}

/** Headers for the next hop; a repeated header stays repeated. */
function onward({ headersDistinct }: IncomingMessage): OutgoingHttpHeaders {
  const kept = Object.entries(headersDistinct).filter(([name]) => !OF_ONE_HOP.includes(name));
  return Object.fromEntries(kept.map(([name, values = []]) => [name, values.length === 1 ? values[0] : values]));
}

/** The target as the broker expects it: requests to its own endpoints have only a path. */
function targetOf({ url = '/' }: IncomingMessage): string {
  const own = `http://${BROKER_HOST}/`;
  return url.startsWith(own) ? url.slice(own.length - 1) : url;
}

/**
 * The user of a request, and the headers without it. A request to an endpoint of the broker itself (`/git/…`) has its user as
 * credentials in the address, because a program uses no proxy there.
 */
function identified(request: IncomingMessage): { readonly user: string | null; readonly headers: OutgoingHttpHeaders } {
  const { url = '', headers } = request;
  const next = onward(request);
  const user = userIn(headers['proxy-authorization']);
  if (user !== null || !url.startsWith('/')) return { user, headers: next };
  const named = userIn(headers.authorization);
  if (named !== null) delete next['authorization'];
  return { user: named, headers: next };
}

/** The reason phrase of an answer, in which apt and other programs show why the broker refused. */
const phraseOf = ({ statusMessage = '' }: IncomingMessage): string => statusMessage.replaceAll(/[^\x20-\x7e]/g, '?');

/** The host of a request without TLS; null for an endpoint of the broker itself. */
const hostOf = (target: string): string | null => /^http:\/\/([^/?#]+)/.exec(target)?.[1] ?? null;

/** Forwards a request without TLS, with its full address or the path of a broker endpoint. */
async function forward(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { user, headers } = identified(request);
  const identity = await identityOf(parts, user);
  const upstream = requestHttp({
    ...parts.broker,
    agent: parts.agent,
    method: request.method,
    path: targetOf(request),
    headers: { ...headers, 'proxy-authorization': identity },
    setHost: false,
  });
  upstream.on('response', (answer) => {
    parts.refusals.note(user, hostOf(targetOf(request)), answerOfHeaders(answer));
    response.writeHead(answer.statusCode ?? 502, phraseOf(answer), onward(answer));
    pipeline(answer, response, () => undefined);
  });
  upstream.on('error', () => {
    // A program that hangs up also ends its request.
    if (!response.headersSent && !response.destroyed) parts.refusals.note(user, null, LOST_ANSWER);
    refuse(response);
  });
  response.once('close', () => upstream.destroy());
  pipeline(request, upstream, () => undefined);
}
