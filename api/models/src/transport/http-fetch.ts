import { Agent, request as sendHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Agent as TlsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Fetch, ServerAnswer, ServerRequest } from './server-answer.ts';

/**
 * Milliseconds for which an idle connection stays open. Servers close idle connections after 5 s or later, or announce an earlier limit.
 */
const UNUSED_MS = 4_000;

/**
 * Milliseconds for a connection, with its TLS handshake. An address that drops packets would otherwise use up the whole
 * wait.
 */
const CONNECT_MS = 10_000;

const OPTIONS = { keepAlive: true, timeout: UNUSED_MS } as const;

interface HttpFetchOptions {
  /** Time limit in milliseconds for a connection, with its TLS handshake. */
  readonly connectMs?: number | undefined;
  /** Resolves a host name for one connection; by default the system's resolver. It is not called for IP addresses. */
  readonly lookup?: LookupFunction | undefined;
}

/** When a reader stops early, the rest of the answer is read up to these limits, to reuse the connection; above them it is closed. */
const REST_MS = 1_000;
const REST_BYTES = 64 << 10;

interface Pools {
  readonly agent: Agent;
  /** Created with the first TLS request, because the TLS modules take some MB and many processes never need them. */
  tlsAgent: TlsAgent | null;
  readonly options: ConstructorParameters<typeof Agent>[0];
  readonly connectMs: number;
}

/** Drops the rest of an answer, because a connection is free only after the end: a stream often ends after its last event. */
function dropRest(message: IncomingMessage): void {
  const timer = setTimeout(() => message.destroy(), REST_MS);
  message.once('close', () => clearTimeout(timer));
  let bytes = 0;
  message.on('data', ({ length }: Uint8Array) => {
    bytes += length;
    if (bytes > REST_BYTES) message.destroy();
  });
  message.resume();
}

function bodyOf(message: IncomingMessage): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const pieces: AsyncIterator<Uint8Array> = message.iterator({ destroyOnReturn: false });
      return {
        next: () => pieces.next(),
        return: async () => {
          await pieces.return?.();
          // All of a complete answer has arrived, so its rest needs no limits.
          if (message.complete) message.resume();
          else if (!message.closed) dropRest(message);
          return { done: true, value: undefined };
        },
      };
    },
  };
}

function answerOf(message: IncomingMessage): ServerAnswer {
  const { statusCode: status = 0, headers } = message;
  // A connection may break before the body is read. The reader gets the error later.
  message.on('error', () => undefined);
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: {
      get: (name) => {
        const value = headers[name.toLowerCase()];
        return value === undefined ? null : String(value);
      },
    },
    body: bodyOf(message),
  };
}

function open(pools: Pools, url: URL, { method, headers, body }: ServerRequest): ClientRequest {
  const length = Buffer.byteLength(body);
  const options = { method, headers: { 'accept-encoding': 'identity', ...headers, 'content-length': length } };
  if (url.protocol === 'http:') return sendHttp(url, { ...options, agent: pools.agent });
  if (url.protocol !== 'https:')
    throw new TypeError(`the address of a provider begins with http: or https:, not ${url.protocol}`);
  const https = process.getBuiltinModule('node:https');
  pools.tlsAgent ??= new https.Agent(pools.options);
  return https.request(url, { ...options, agent: pools.tlsAgent });
}

/** Ends a request whose connection is not established in time, with the system's code for that. */
function limitConnect(sent: ClientRequest, isTls: boolean, connectMs: number): void {
  sent.once('socket', (socket) => {
    if (!socket.connecting) return;
    const late = Object.assign(new Error(`no connection within ${connectMs} ms`), { code: 'ETIMEDOUT' });
    const timer = setTimeout(() => sent.destroy(late), connectMs);
    const stop = (): void => clearTimeout(timer);
    socket.once(isTls ? 'secureConnect' : 'connect', stop);
    sent.once('close', stop);
  });
}

/**
 * Sends a request with Node's HTTP client and reuses connections. A model's answer arrives in hundreds of pieces: the
 * platform's fetch passes each through two web streams, which takes about 1.5 times the processor time.
 */
function send(pools: Pools, url: string, request: ServerRequest): Promise<ServerAnswer> {
  const { signal } = request;
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<ServerAnswer>();
  const address = new URL(url);
  const sent = open(pools, address, request);
  limitConnect(sent, address.protocol === 'https:', pools.connectMs);
  const stop = (): void => void sent.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
  signal.addEventListener('abort', stop, { once: true });
  sent.once('close', () => signal.removeEventListener('abort', stop));
  sent.once('response', (message) => resolve(answerOf(message)));
  sent.on('error', reject);
  sent.end(request.body);
  return promise;
}

export function createHttpFetch({ lookup, connectMs = CONNECT_MS }: HttpFetchOptions = {}): Fetch {
  const options = lookup === undefined ? OPTIONS : { ...OPTIONS, lookup };
  const pools: Pools = { agent: new Agent(options), tlsAgent: null, options, connectMs };
  return (url, request) => send(pools, url, request);
}

export const httpFetch = createHttpFetch();
