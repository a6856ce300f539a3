import { Agent, request as sendHttp } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Agent as TlsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Fetch, ServerAnswer, ServerRequest } from './server-answer.ts';

/** Time for which an unused connection stays open. Servers close theirs after 5 s or later, and say so if earlier. */
const UNUSED_MS = 4_000;
/** Bytes that wait for a reader; above them the connection is not read. */
const UNREAD_MAX_BYTES = 64 << 10;

const OPTIONS = { keepAlive: true, timeout: UNUSED_MS } as const;

export interface HttpFetchOptions {
  /** Resolves the name of a host for one connection; by default as the system does. A host that is an address is not resolved. */
  readonly lookup?: LookupFunction | undefined;
}

interface Pools {
  readonly agent: Agent;
  /** Made at the first request with TLS, since many processes send none: the modules of TLS take some MB. */
  tlsAgent: TlsAgent | null;
  readonly options: ConstructorParameters<typeof Agent>[0];
}

/** The bytes of a message as they arrive. Mutable because it is a queue; it has one reader. */
class MessageBody implements AsyncIterableIterator<Uint8Array> {
  readonly #message: IncomingMessage;
  readonly #onOver: () => void;
  readonly #unread: Uint8Array[] = [];
  #unreadBytes = 0;
  #reader: PromiseWithResolvers<IteratorResult<Uint8Array>> | null = null;
  /** Null while bytes may arrive; afterwards the error that cut the message, if one did. */
  #over: { readonly error: Error | null } | null = null;

  constructor(message: IncomingMessage, onOver: () => void) {
    this.#message = message;
    this.#onOver = onOver;
    message.on('data', (bytes: Uint8Array) => this.#take(bytes));
    message.once('end', () => this.#end(null));
    message.on('error', (error: Error) => this.#end(error));
    message.once('close', () => this.#end(new Error('the server closed the connection')));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    const bytes = this.#unread.shift();
    if (bytes !== undefined) {
      this.#unreadBytes -= bytes.length;
      if (this.#unreadBytes <= UNREAD_MAX_BYTES && this.#message.isPaused()) this.#message.resume();
      return Promise.resolve({ done: false, value: bytes });
    }
    if (this.#over?.error) return Promise.reject(this.#over.error);
    if (this.#over !== null) return Promise.resolve({ done: true, value: undefined });
    this.#reader = Promise.withResolvers();
    return this.#reader.promise;
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#unread.length = 0;
    if (this.#over === null) this.#message.destroy();
    return { done: true, value: undefined };
  }

  #take(bytes: Uint8Array): void {
    const reader = this.#reader;
    if (reader !== null) {
      this.#reader = null;
      reader.resolve({ done: false, value: bytes });
      return;
    }
    this.#unread.push(bytes);
    this.#unreadBytes += bytes.length;
    if (this.#unreadBytes > UNREAD_MAX_BYTES) this.#message.pause();
  }

  #end(error: Error | null): void {
    if (this.#over !== null) return;
    this.#over = { error };
    this.#onOver();
    if (error === null) this.#reader?.resolve({ done: true, value: undefined });
    else this.#reader?.reject(error);
  }
}

function answerOf(message: IncomingMessage, onOver: () => void): ServerAnswer {
  const status = message.statusCode ?? 0;
  const { headers } = message;
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: {
      get: (name) => {
        const value = headers[name.toLowerCase()];
        return value === undefined ? null : String(value);
      },
    },
    body: new MessageBody(message, onOver),
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

/**
 * Sends a request over Node's own client, with connections that are used again. A model's answer arrives in hundreds of pieces:
 * the platform's fetch, which passes each through two web streams, needs about 1.5 times the processor time.
 */
function send(pools: Pools, url: string, request: ServerRequest): Promise<ServerAnswer> {
  const { signal } = request;
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<ServerAnswer>();
  const sent = open(pools, new URL(url), request);
  const stop = (): void => void sent.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
  const over = (): void => signal.removeEventListener('abort', stop);
  signal.addEventListener('abort', stop, { once: true });
  sent.once('response', (message) => resolve(answerOf(message, over)));
  // A later error reaches the reader of the body.
  sent.on('error', (error) => {
    over();
    reject(error);
  });
  sent.end(request.body);
  return promise;
}

export function createHttpFetch({ lookup }: HttpFetchOptions = {}): Fetch {
  const options = lookup === undefined ? OPTIONS : { ...OPTIONS, lookup };
  const pools: Pools = { agent: new Agent(options), tlsAgent: null, options };
  return (url, request) => send(pools, url, request);
}

export const httpFetch = createHttpFetch();
