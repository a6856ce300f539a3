/** A model of an API server: objects, versions, a history that is compacted, delayed watches, and faults by the seed. */
import { KubeError, type KubeObject, type ListPage, type ResourceType, type ToKind, type ToObject } from '@hamlet/kube';
import type { Seeded } from '../../env/seeded.ts';
import type { SimClock } from './sim-clock.ts';

type Json = KubeObject & { readonly [field: string]: unknown };
type NewJson = { readonly metadata: { readonly name: string } } & Readonly<Record<string, unknown>>;

interface Recorded {
  readonly version: number;
  readonly plural: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Json;
}

type WatchAt = ToKind & { readonly onBytes?: () => void };

/** Chances of each fault, for each request or watch. */
export interface FaultRates {
  readonly refused: number;
  readonly broken: number;
  readonly answerLost: number;
  readonly hangs: number;
  readonly gone: number;
}

export const NO_FAULTS: FaultRates = { refused: 0, broken: 0, answerLost: 0, hangs: 0, gone: 0 };

const MAX_LATENCY_MS = 80;
const BOOKMARK_MS = 60_000;
const REQUEST_TIMEOUT_MS = 30_000;
const PAGE = 3;

const broken = (): Error => new Error('the connection broke');
const status = (code: number, reason: string, retryAfterMs?: number): KubeError =>
  new KubeError({ status: code, reason, message: reason, retryAfterMs });

/** Rejects when the signal is aborted; never resolves. */
function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal?.aborted === true) reject(broken());
    else signal?.addEventListener('abort', () => reject(broken()), { once: true });
  });
}

/** The calls, which invariants check. */
export interface Call {
  readonly atMs: number;
  readonly verb: 'list' | 'watch' | 'write' | 'get';
  readonly plural: string;
}

export class SimServer {
  faults: FaultRates = NO_FAULTS;
  readonly calls: Call[] = [];
  /** Watches that are open now, by kind. */
  readonly open = new Map<string, number>();
  readonly #clock: SimClock;
  readonly #random: Seeded;
  readonly #objects = new Map<string, Map<string, Json>>();
  readonly #history: Recorded[] = [];
  readonly #listeners = new Set<() => void>();
  #version = 100;
  #compacted = 0;
  #uids = 0;

  constructor(clock: SimClock, random: Seeded) {
    this.#clock = clock;
    this.#random = random;
  }

  objects(plural: string): readonly Json[] {
    return [...(this.#objects.get(plural)?.values() ?? [])];
  }

  /** Drops all history, like etcd: a client that requests an older version must list again. */
  compact(): void {
    this.#compacted = this.#version;
  }

  // Immediate changes by the test, without a network.

  put(plural: string, object: NewJson): Json {
    const kind = this.#objects.get(plural) ?? new Map<string, Json>();
    this.#objects.set(plural, kind);
    const before = kind.get(object.metadata.name);
    this.#version += 1;
    const generation = (before?.metadata.generation ?? 0) + 1;
    const metadata = {
      ...object.metadata,
      uid: before?.metadata.uid ?? `uid-${(this.#uids += 1)}`,
      resourceVersion: String(this.#version),
      generation,
    };
    const stored = { ...structuredClone(object), metadata } as Json;
    kind.set(object.metadata.name, stored);
    this.#record(before === undefined ? 'ADDED' : 'MODIFIED', plural, stored);
    return stored;
  }

  drop(plural: string, name: string): void {
    const before = this.#objects.get(plural)?.get(name);
    if (before === undefined) return;
    this.#objects.get(plural)?.delete(name);
    this.#version += 1;
    this.#record('DELETED', plural, {
      ...before,
      metadata: { ...before.metadata, resourceVersion: String(this.#version) },
    });
  }

  // The API of a client. The types are the client's, since the same caller stored the objects.

  async get<T extends KubeObject>(type: ResourceType, at: ToObject): Promise<T> {
    return this.#answer('get', { ...at, plural: type.plural }, () => {
      const found = this.#objects.get(type.plural)?.get(at.name);
      if (found === undefined) throw status(404, 'NotFound');
      return found as unknown as T;
    });
  }

  async create<T>(type: ResourceType, object: object, at: ToKind): Promise<T> {
    return this.#answer('write', { ...at, plural: type.plural }, () => {
      const wanted = object as NewJson;
      if (this.#objects.get(type.plural)?.has(wanted.metadata.name) === true) throw status(409, 'AlreadyExists');
      return this.put(type.plural, wanted) as T;
    });
  }

  async replace<T extends KubeObject>(type: ResourceType, object: object, at: ToObject): Promise<T> {
    return this.#answer('write', { ...at, plural: type.plural }, () => {
      const wanted = object as Json;
      const before = this.#objects.get(type.plural)?.get(at.name);
      if (before === undefined) throw status(404, 'NotFound');
      if (
        before.metadata.uid !== wanted.metadata.uid ||
        before.metadata.resourceVersion !== wanted.metadata.resourceVersion
      )
        throw status(409, 'Conflict');
      return this.put(type.plural, wanted) as unknown as T;
    });
  }

  /** Writes the status alone, without a conflict. An unchanged status creates no version. */
  async writeStatus<T extends KubeObject>(
    type: ResourceType,
    of: { readonly uid: string; readonly status: object },
    at: ToObject,
  ): Promise<T> {
    return this.#answer('write', { ...at, plural: type.plural }, () => {
      const before = this.#objects.get(type.plural)?.get(at.name);
      if (before === undefined) throw status(404, 'NotFound');
      if (before.metadata.uid !== of.uid) throw status(409, 'Conflict');
      if (JSON.stringify(before['status']) === JSON.stringify(of.status)) return before as unknown as T;
      this.#version += 1;
      const stored = {
        ...before,
        metadata: { ...before.metadata, resourceVersion: String(this.#version) },
        status: of.status,
      };
      this.#objects.get(type.plural)?.set(at.name, stored);
      this.#record('MODIFIED', type.plural, stored);
      return stored as unknown as T;
    });
  }

  async delete(type: ResourceType, at: ToObject & { readonly uid?: string }): Promise<void> {
    await this.#answer('write', { ...at, plural: type.plural }, () => {
      const before = this.#objects.get(type.plural)?.get(at.name);
      if (before !== undefined && at.uid !== undefined && before.metadata.uid !== at.uid) throw status(409, 'Conflict');
      this.drop(type.plural, at.name);
      return {};
    });
  }

  async list<T extends KubeObject>(type: ResourceType, at: ToKind): Promise<ListPage<T>> {
    return this.#answer('list', { ...at, plural: type.plural }, () => {
      const [version = this.#version, from = 0] = String(at.query?.['continue'] ?? '')
        .split(':')
        .filter((part) => part !== '')
        .map(Number);
      if (version < this.#compacted) throw status(410, 'Expired');
      const all = this.#at(type.plural, version).filter((object) => this.#selected(object, at));
      const end = from + PAGE;
      const next = end < all.length ? { continue: `${version}:${end}` } : {};
      return {
        metadata: { resourceVersion: String(version), ...next },
        items: all.slice(from, end),
      } as unknown as ListPage<T>;
    });
  }

  async *watch(type: ResourceType, at: WatchAt): AsyncGenerator<unknown> {
    const { plural } = type;
    this.calls.push({ atMs: this.#clock.now(), verb: 'watch', plural });
    await this.#network(at.signal);
    const version = Number(at.query?.['resourceVersion'] ?? this.#version);
    if (version < this.#compacted) throw status(410, 'Expired');
    at.onBytes?.();
    this.open.set(plural, (this.open.get(plural) ?? 0) + 1);
    try {
      yield* this.#stream(version, { type, at });
    } finally {
      this.open.set(plural, (this.open.get(plural) ?? 1) - 1);
    }
  }

  async *#stream(
    version: number,
    { type, at }: { readonly type: ResourceType; readonly at: WatchAt },
  ): AsyncGenerator<unknown> {
    const startMs = this.#clock.now();
    const endsAtMs = startMs + Number(at.query?.['timeoutSeconds'] ?? 300) * 1_000;
    const faultAtMs = this.#random.chance(this.faults.broken * 4)
      ? startMs + this.#random.between(1_000, 120_000)
      : Number.POSITIVE_INFINITY;
    const position = { sent: version, index: 0 };
    let bookmarkAtMs = startMs + BOOKMARK_MS;
    while (this.#clock.now() < endsAtMs) {
      let line = this.#lineAfter(position, { plural: type.plural, at });
      if (line === undefined && this.#clock.now() >= bookmarkAtMs) {
        bookmarkAtMs = this.#clock.now() + BOOKMARK_MS;
        line = { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(this.#version) } } };
        position.sent = this.#version;
      }
      if (line === undefined) {
        await this.#until(Math.min(endsAtMs, bookmarkAtMs, faultAtMs), at.signal);
        if (this.#clock.now() >= faultAtMs) return yield* this.#breakStream(at.signal);
        continue;
      }
      await this.#lag(at.signal);
      at.onBytes?.();
      yield line;
    }
  }

  /** The next event after `position`, which then advances; undefined if there is none yet. */
  #lineAfter(
    position: { sent: number; index: number },
    { plural, at }: { readonly plural: string; readonly at: ToKind },
  ): object | undefined {
    for (let event = this.#history[position.index]; event !== undefined; event = this.#history[position.index]) {
      position.index += 1;
      if (event.version <= position.sent || event.plural !== plural || !this.#selected(event.object, at)) continue;
      position.sent = event.version;
      return structuredClone({ type: event.type, object: event.object });
    }
    return undefined;
  }

  /** Breaks a stream in one way: an error, a half-open connection, an expired version, or nonsense. */
  async *#breakStream(signal: AbortSignal | undefined): AsyncGenerator<unknown> {
    switch (this.#random.one(['broken', 'frozen', 'expired', 'nonsense'])) {
      case 'frozen':
        return await aborted(signal);
      case 'expired':
        yield { type: 'ERROR', object: { code: 410, reason: 'Expired', message: 'Expired' } };
        return;
      case 'nonsense':
        throw new SyntaxError('half an event');
      default:
        throw broken();
    }
  }

  #selected(object: KubeObject, at: ToKind): boolean {
    const field = at.query?.['fieldSelector'];
    return field === undefined || field === `metadata.name=${object.metadata.name}`;
  }

  #at(plural: string, version: number): readonly Json[] {
    const state = new Map<string, Json>();
    for (const event of this.#history) {
      if (event.plural !== plural || event.version > version) continue;
      if (event.type === 'DELETED') state.delete(event.object.metadata.name);
      else state.set(event.object.metadata.name, event.object);
    }
    return [...state.values()];
  }

  async #answer<T>(
    verb: Call['verb'],
    { plural, ...at }: ToKind & { readonly plural: string },
    act: () => T,
  ): Promise<T> {
    this.calls.push({ atMs: this.#clock.now(), verb, plural });
    await this.#network(at.signal);
    const answer = structuredClone(act());
    await this.#lag(at.signal);
    if (verb === 'write' && this.#random.chance(this.faults.answerLost)) throw broken();
    return answer;
  }

  /** Delays or loses a request on its way to the server. */
  async #network(signal: AbortSignal | undefined): Promise<void> {
    await this.#lag(signal);
    if (this.#random.chance(this.faults.broken)) throw broken();
    if (this.#random.chance(this.faults.hangs)) return Promise.race([aborted(signal), this.#timeOut()]);
    if (this.#random.chance(this.faults.refused))
      throw this.#random.chance(0.5) ? status(429, 'TooManyRequests', 1_000) : status(503, 'ServiceUnavailable');
    if (this.#random.chance(this.faults.gone)) this.compact();
  }

  /** The client's timeout for a request that never ends. */
  async #timeOut(): Promise<never> {
    await this.#clock.pause(REQUEST_TIMEOUT_MS);
    throw broken();
  }

  async #lag(signal: AbortSignal | undefined): Promise<void> {
    await this.#clock.pause(this.#random.between(1, MAX_LATENCY_MS));
    if (signal?.aborted === true) throw broken();
  }

  /** Resolves at the time, at the next event, or at the end of the connection. */
  async #until(atMs: number, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.after(atMs - this.#clock.now(), resolve);
    this.#listeners.add(resolve);
    signal?.addEventListener('abort', () => resolve(), { once: true });
    if (signal?.aborted === true) resolve();
    await promise;
    cancel();
    this.#listeners.delete(resolve);
    if (signal?.aborted === true) throw broken();
  }

  #record(type: Recorded['type'], plural: string, object: Json): void {
    this.#history.push({ version: this.#version, plural, type, object });
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }
}
