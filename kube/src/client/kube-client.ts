import { createRequire } from 'node:module';
import type { Dispatcher, Pool } from 'undici';
import type { Connection } from './connection.ts';
import { Deadline, type Clock } from '../time/clock.ts';
import { pathOf, type KubeObject, type NewObject, type ResourceType } from './kube-object.ts';
import { errorOfAnswer, isStatus, type KubeError } from './kube-error.ts';
import { LineSplitter } from './watch-stream.ts';
import { RequestGate, type GateLimits, type Priority } from './request-gate.ts';

/** The whole of undici, with its fetch, WebSocket and caches, would take 6 MB more of each process. */
const load = createRequire(import.meta.url);
const UndiciPool = load('undici/lib/dispatcher/pool.js') as typeof Pool;
UndiciPool.prototype.request = load('undici/lib/api/api-request.js') as Pool['request'];

/** Timeout of a request. A watch has no timeout after its response head; the reflector ends a silent watch. */
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_PROBE_MS = 15_000;
/** Connections beyond the gate's limit, for leases and for reads that bypass the gate. */
const SPARE_CONNECTIONS = 4;
/** Each watch has its own connection, because HTTP/1.1 carries one stream. More watches than this indicate a leak. */
const MAX_WATCHES = 64;
const DEFAULT_HOLD_MS = 1_000;

export const DEFAULT_LIMITS: GateLimits = { perSecond: 500, burst: 1_000, inFlight: 32 };

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Target {
  readonly namespace?: string | undefined;
  readonly name?: string;
  readonly subresource?: string;
}

export interface CallOptions {
  readonly query?: Query;
  readonly priority?: Priority;
  readonly signal?: AbortSignal;
  /** Lists and watches return only the metadata of each object. */
  readonly metadataOnly?: boolean;
}

export type ToKind = Target & CallOptions;
export type ToObject = ToKind & { readonly name: string };

/** The field manager of an apply. `force` (default true) takes fields over from other managers. */
interface Manager {
  readonly fieldManager: string;
  readonly force?: boolean;
  readonly subresource?: string;
}

export interface ListPage<T> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly T[];
}

/** The API server returns null for an empty list of metadata. */
type RawPage<T> = Omit<ListPage<T>, 'items'> & { readonly items: ListPage<T>['items'] | null };

interface Sent {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
}

type Call = Sent & { readonly path: string };

const GET: Sent = { method: 'GET' };

/** A request, as reported to metrics. `status` 0 means that the connection failed. */
export interface RequestRecord {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
}

export interface KubeClientOptions {
  readonly limits?: GateLimits;
  /** The clock of rate limits and requested pauses; by default one that also runs while the machine sleeps. */
  readonly clock?: Clock;
  /** Awaited before each write. It waits while a renewal of the lease is late, and throws once the lease is lost. */
  readonly beforeWrite?: () => void | Promise<void>;
  readonly onRequest?: (record: RequestRecord) => void;
}

const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

function acceptOf({ metadataOnly }: CallOptions, metadataType: string): { readonly accept?: string } {
  return metadataOnly === true ? { accept: metadataType } : {};
}

function headersOf(call: Call, token: string | undefined): Record<string, string> {
  return {
    accept: call.accept ?? 'application/json',
    ...(call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
}

function withQuery(path: string, query: Query | undefined): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
}

/** Sends requests and watches to the API server. Watches have their own connections and never delay writes. */
export class KubeClient {
  readonly #connection: Connection;
  readonly #calls: Pool;
  readonly #watches: Pool;
  readonly #gate: RequestGate;
  readonly #options: KubeClientOptions;

  constructor(connection: Connection, options: KubeClientOptions = {}) {
    const limits = options.limits ?? DEFAULT_LIMITS;
    // HTTP/1.1, because Node's HTTP/2 costs more CPU and memory for each request, and would put every watch on one connection.
    const common = {
      allowH2: false,
      connect: { ...connection.tls, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS },
      headersTimeout: REQUEST_TIMEOUT_MS,
    };
    this.#connection = connection;
    this.#options = options;
    this.#gate = new RequestGate(limits, options.clock);
    this.#calls = new UndiciPool(connection.server, {
      ...common,
      connections: limits.inFlight + SPARE_CONNECTIONS,
      bodyTimeout: REQUEST_TIMEOUT_MS,
    });
    this.#watches = new UndiciPool(connection.server, { ...common, connections: MAX_WATCHES, bodyTimeout: 0 });
  }

  get waiting(): number {
    return this.#gate.waiting;
  }

  get<T extends KubeObject>(type: ResourceType, at: ToObject): Promise<T> {
    return this.#call<T>(pathOf(type, at), at, GET);
  }

  async list<T extends KubeObject>(type: ResourceType, at: ToKind): Promise<ListPage<T>> {
    const asked = { ...GET, ...acceptOf(at, METADATA_LIST) };
    const { metadata, items } = await this.#call<RawPage<T>>(pathOf(type, at), at, asked);
    return { metadata, items: items ?? [] };
  }

  create<T>(type: ResourceType, object: NewObject | Readonly<Record<string, unknown>>, at: ToKind): Promise<T> {
    return this.#call<T>(pathOf(type, at), at, { method: 'POST', body: object });
  }

  /** Replaces the whole object. Its resourceVersion is a precondition (409 if the object has changed). */
  replace<T extends KubeObject>(type: ResourceType, object: object, at: ToObject): Promise<T> {
    return this.#call<T>(pathOf(type, at), at, { method: 'PUT', body: object });
  }

  /** Server-side apply. A `metadata.uid` in the object is a precondition (409 or 422). */
  apply<T extends KubeObject>(type: ResourceType, object: NewObject, at: CallOptions & Manager): Promise<T> {
    const { fieldManager, force = true, subresource, query, ...rest } = at;
    const { name, namespace } = object.metadata;
    const path = pathOf(type, { name, namespace, ...(subresource === undefined ? {} : { subresource }) });
    const options = { ...rest, query: { ...query, fieldManager, force } };
    return this.#call<T>(path, options, { method: 'PATCH', body: object, contentType: 'application/apply-patch+yaml' });
  }

  /** JSON merge patch. A `resourceVersion` (409) or `uid` (409 or 422) in the patch's metadata is a precondition. */
  mergePatch<T extends KubeObject>(type: ResourceType, patch: object, at: ToObject): Promise<T> {
    const contentType = 'application/merge-patch+json';
    return this.#call<T>(pathOf(type, at), at, { method: 'PATCH', body: patch, contentType });
  }

  /**
   * Deletes an object; with `uid`, only the object with that uid (409 for another one). A missing object does not count as an
   * error.
   * @returns the object while its grace period or its finalizers keep it; undefined if it is gone
   */
  async delete<T extends KubeObject>(
    type: ResourceType,
    at: ToObject & { readonly uid?: string; readonly graceSeconds?: number },
  ): Promise<T | undefined> {
    const body = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: 'Background',
      ...(at.uid === undefined ? {} : { preconditions: { uid: at.uid } }),
      ...(at.graceSeconds === undefined ? {} : { gracePeriodSeconds: at.graceSeconds }),
    };
    try {
      type Answer = T & { readonly kind?: string };
      const answer = await this.#call<Answer>(pathOf(type, at), at, { method: 'DELETE', body });
      return answer.kind !== 'Status' && answer.metadata.deletionTimestamp !== undefined ? answer : undefined;
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
      return undefined;
    }
  }

  /** Sends any other GET, for example for `/version` or a pod's log, past the gate. Returns the text. */
  async read(path: string): Promise<string> {
    return (await this.#send(this.#calls, { ...GET, path }, undefined)).body.text();
  }

  /**
   * Yields the lines of a watch until the server ends it. Throws KubeError for a refusal, undici's error for a broken
   * connection. `onBytes` is called for the response head and each chunk.
   */
  async *watch(type: ResourceType, at: ToKind & { readonly onBytes?: () => void }): AsyncGenerator<unknown> {
    const path = withQuery(pathOf(type, at), { ...at.query, watch: true });
    const { body } = await this.#send(this.#watches, { method: 'GET', path, ...acceptOf(at, METADATA) }, at.signal);
    at.onBytes?.();
    const splitter = new LineSplitter();
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      at.onBytes?.();
      for (const line of splitter.push(chunk)) yield JSON.parse(line);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#calls.destroy(), this.#watches.destroy()]);
  }

  #call<T>(path: string, options: CallOptions, sent: Sent): Promise<T> {
    const call = { ...sent, path: withQuery(path, options.query) };
    return this.#gate.pass(options.priority ?? 'normal', async () => {
      const deadline = new Deadline(REQUEST_TIMEOUT_MS, options.signal);
      try {
        return (await (await this.#send(this.#calls, call, deadline.signal)).body.json()) as T;
      } catch (error) {
        // A 429 pauses all requests, not only the one that received it.
        if (isStatus(error, 429)) this.#gate.hold(error.retryAfterMs ?? DEFAULT_HOLD_MS);
        throw error;
      } finally {
        deadline.cancel();
      }
    });
  }

  async #send(pool: Pool, call: Call, signal: AbortSignal | undefined): Promise<Dispatcher.ResponseData> {
    try {
      return await this.#attempt(pool, call, signal);
    } catch (error) {
      if (!isStatus(error, 401) || this.#connection.token === undefined) throw error;
      this.#connection.token.forget();
      return this.#attempt(pool, call, signal);
    }
  }

  async #attempt(pool: Pool, call: Call, signal: AbortSignal | undefined): Promise<Dispatcher.ResponseData> {
    const { method, path } = call;
    const headers = headersOf(call, await this.#connection.token?.read());
    const body = call.body === undefined ? null : JSON.stringify(call.body);
    // Checked directly before the request, because a process that stalled earlier may have lost its lease.
    if (method !== 'GET') await this.#options.beforeWrite?.();
    const startedMs = performance.now();
    let status = 0;
    try {
      const answer = await pool.request({ method, path, headers, body, ...(signal === undefined ? {} : { signal }) });
      status = answer.statusCode;
      if (status < 300) return answer;
      throw await refusal(answer);
    } finally {
      this.#options.onRequest?.({ method, path, status, milliseconds: performance.now() - startedMs });
    }
  }
}

async function refusal({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<KubeError> {
  const { 'retry-after': retryAfter } = headers;
  return errorOfAnswer(statusCode, await body.text(), typeof retryAfter === 'string' ? retryAfter : undefined);
}
