import { type Clock, Deadline, pause, wakefulClock } from '../time/clock.ts';
import type { KubeClient, ListPage, Query, ToKind } from '../client/kube-client.ts';
import { keyOf, type KubeObject, type ResourceType, slim, type StoredMeta } from '../client/kube-object.ts';
import { ObjectCache, type Indexer } from './object-cache.ts';
import { recoveryOf, type Recovery } from './recovery.ts';
import { watchEventOf, type WatchEvent } from '../client/watch-stream.ts';

const PAGE_SIZE = 500;
const MAX_PAGES = 2_000;

export interface WatchTimes {
  /** The reflector asks the server to end a watch after a random time in this range. */
  readonly minTimeoutMs: number;
  readonly maxTimeoutMs: number;
  /** A connection counts as dead after this much silence beyond the requested time. */
  readonly graceMs: number;
  /** After this much silence, a connection counts as dead if the server sends bookmarks, about one a minute. */
  readonly bookmarkSilenceMs: number;
  /**
   * A watch that ends sooner without an event counts as a failure; after one with events, this is the minimum time to the next.
   */
  readonly shortMs: number;
  /** The back-off starts over after this time without a failure. */
  readonly healthyMs: number;
  /** After silence has ended a watch, the reflector has this long to reconnect before `problem` reports the silence. */
  readonly patienceMs: number;
}

export const DEFAULT_WATCH_TIMES: WatchTimes = {
  minTimeoutMs: 300_000,
  maxTimeoutMs: 600_000,
  graceMs: 30_000,
  bookmarkSilenceMs: 180_000,
  shortMs: 1_000,
  healthyMs: 10_000,
  patienceMs: 60_000,
};

export type WatchPort = Pick<KubeClient, 'list' | 'watch'>;

export interface ReflectorOptions<T extends KubeObject> {
  readonly client: WatchPort;
  readonly type: ResourceType;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly metadataOnly?: boolean;
  /** Maps an object to its cached form, which may share parts of `held`, the cached object. Default: {@link slim}. */
  readonly transform?: (object: T, held: T | undefined) => T;
  readonly indexers?: Readonly<Record<string, Indexer<T>>>;
  readonly times?: WatchTimes;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly onFailure?: (error: unknown, recovery: Recovery) => void;
  /** Called for an exception of a listener, and for an exception of `transform`; the cache then skips that object. */
  readonly onListenerError?: (error: unknown) => void;
}

type RelistCause = 'start' | Recovery['cause'];

export interface ReflectorState {
  readonly synced: boolean;
  readonly version: string | undefined;
  /** Time of the last data from the server, by the process's own clock in milliseconds. */
  readonly lastReceivedMs: number;
  readonly relists: number;
  readonly relistsBy: Readonly<Partial<Record<RelistCause, number>>>;
  readonly watches: number;
  readonly failures: number;
}

/** Keeps an {@link ObjectCache} in sync with the API server: a paged list, then one watch after another. */
export class Reflector<T extends KubeObject> {
  readonly cache: ObjectCache<T>;
  readonly #options: ReflectorOptions<T>;
  readonly #times: WatchTimes;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #stopping = new AbortController();
  readonly #firstSync = Promise.withResolvers<void>();
  readonly #relistsBy: Partial<Record<RelistCause, number>> = {};
  #running: Promise<void> | undefined;
  #version: string | undefined;
  #synced = false;
  #lastReceivedMs: number;
  #bookmarked = false;
  #listCause: RelistCause = 'start';
  #refused: string | undefined;
  #watches = 0;
  #failedAtMs = Number.NEGATIVE_INFINITY;
  #failuresInRow = 0;
  #failures = 0;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#times = options.times ?? DEFAULT_WATCH_TIMES;
    this.#clock = options.clock ?? wakefulClock;
    this.#random = options.random ?? Math.random;
    this.#lastReceivedMs = this.#clock.now();
    this.cache = new ObjectCache(options.indexers, options.onListenerError);
  }

  get state(): ReflectorState {
    return {
      synced: this.#synced,
      version: this.#version,
      lastReceivedMs: this.#lastReceivedMs,
      relists: Object.values(this.#relistsBy).reduce((sum, count) => sum + count, 0),
      relistsBy: { ...this.#relistsBy },
      watches: this.#watches,
      failures: this.#failures,
    };
  }

  /** The problem for readiness, if there is one: not listed yet, refused, or silent for longer than a live watch ever is. */
  get problem(): string | undefined {
    if (this.#refused !== undefined) return this.#refused;
    if (!this.#synced) return 'not listed yet';
    const silentMs = this.#clock.now() - this.#lastReceivedMs;
    return silentMs > this.#silenceMs() + this.#times.patienceMs
      ? `no data from the API server for ${Math.round(silentMs / 1_000)} s`
      : undefined;
  }

  /** Starts; further calls only wait. Resolves when the first list is in the cache. */
  start(): Promise<void> {
    this.#running ??= this.#run();
    return this.#firstSync.promise;
  }

  /** Ends the watch; resolves when it has ended. The cache keeps its content. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Stores the response of a write in the cache, before the watch shows the change. */
  learn(object: T): void {
    const learned = this.#transformed(object);
    if (learned !== undefined) this.cache.learn(learned);
  }

  /** Stores an object that the caller read outside the watch, and notifies listeners as the watch would. */
  meet(object: T): void {
    const met = this.#transformed(object);
    if (met !== undefined) this.cache.see(met);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        if (this.#version === undefined) await this.#relist();
        await this.#watch();
      } catch (error) {
        if (!signal.aborted) await this.#recover(error);
      }
    }
  }

  async #recover(error: unknown): Promise<void> {
    const nowMs = this.#clock.now();
    this.#failuresInRow = nowMs - this.#failedAtMs > this.#times.healthyMs ? 1 : this.#failuresInRow + 1;
    this.#failures += 1;
    const recovery = recoveryOf(error, this.#failuresInRow, this.#random());
    if (recovery.action === 'relist') {
      this.#version = undefined;
      this.#listCause = recovery.cause;
    }
    if (recovery.cause === 'forbidden') this.#refused = error instanceof Error ? error.message : String(error);
    this.#options.onFailure?.(error, recovery);
    await pause(recovery.delayMs, this.#stopping.signal, this.#clock);
    // The wait of the back-off does not count as time without a failure.
    this.#failedAtMs = this.#clock.now();
  }

  #asking(query: Query, signal: AbortSignal): ToKind {
    const { namespace, labelSelector, fieldSelector, metadataOnly = false } = this.#options;
    return { namespace, metadataOnly, signal, query: { labelSelector, fieldSelector, ...query } };
  }

  async #relist(): Promise<void> {
    this.#relistsBy[this.#listCause] = (this.#relistsBy[this.#listCause] ?? 0) + 1;
    const items: T[] = [];
    let next: string | undefined;
    let page: ListPage<T>;
    let pages = 0;
    do {
      if (pages >= MAX_PAGES)
        throw new RangeError(`the list of ${this.#options.type.plural} has more than ${MAX_PAGES} pages`);
      page = await this.#page(next);
      for (const item of page.items) {
        const kept = this.#transformed(item);
        if (kept !== undefined) items.push(kept);
      }
      next = page.metadata.continue === '' ? undefined : page.metadata.continue;
      pages += 1;
    } while (next !== undefined);
    this.#noteData();
    this.#refused = undefined;
    this.cache.replaceAll(items, page.metadata.resourceVersion);
    this.#version = page.metadata.resourceVersion;
    this.#synced = true;
    this.#firstSync.resolve();
  }

  #page(next: string | undefined): Promise<ListPage<T>> {
    const { client, type } = this.#options;
    return client.list<T>(type, this.#asking({ limit: PAGE_SIZE, continue: next }, this.#stopping.signal));
  }

  async #watch(): Promise<void> {
    const { client, type } = this.#options;
    const { minTimeoutMs, maxTimeoutMs, graceMs, shortMs } = this.#times;
    const timeoutMs = Math.round(minTimeoutMs + this.#random() * (maxTimeoutMs - minTimeoutMs));
    const silence = new Deadline(Math.min(this.#silenceMs(), timeoutMs + graceMs), this.#stopping.signal, this.#clock);
    const startedMs = this.#clock.now();
    let events = 0;
    this.#watches += 1;
    try {
      const timeoutSeconds = Math.max(1, Math.ceil(timeoutMs / 1_000));
      const query = { resourceVersion: this.#version, allowWatchBookmarks: true, timeoutSeconds };
      const onBytes = (): void => this.#onData(silence);
      for await (const line of client.watch(type, { ...this.#asking(query, silence.signal), onBytes })) {
        this.#take(watchEventOf(line), silence);
        events += 1;
      }
    } finally {
      silence.cancel();
    }
    const livedMs = this.#clock.now() - startedMs;
    if (livedMs >= shortMs || this.#stopping.signal.aborted) return;
    if (events === 0) throw new Error('the server ended the watch at once and without an event');
    await pause(shortMs - livedMs, this.#stopping.signal, this.#clock);
  }

  /** A connection counts as dead after this much silence; the limit is shorter once the server has sent a bookmark. */
  #silenceMs(): number {
    const { maxTimeoutMs, graceMs, bookmarkSilenceMs } = this.#times;
    return this.#bookmarked ? Math.min(bookmarkSilenceMs, maxTimeoutMs + graceMs) : maxTimeoutMs + graceMs;
  }

  #take(event: WatchEvent, silence: Deadline): void {
    this.#refused = undefined;
    if (event.type === 'BOOKMARK') {
      this.#bookmarked = true;
      silence.shorten(this.#times.bookmarkSilenceMs);
      this.#version = event.version;
      return;
    }
    const object = this.#transformed(event.object as T);
    if (event.type === 'DELETED') this.#forget(event.object.metadata, object);
    else if (object !== undefined) this.cache.see(object);
    this.#version = event.object.metadata.resourceVersion;
  }

  #forget(metadata: StoredMeta, object: T | undefined): void {
    const last = object ?? this.cache.get(keyOf(metadata));
    if (last?.metadata.uid === metadata.uid) this.cache.forget(last);
  }

  /** The cached form of an object. If `transform` throws, reports the error and returns undefined. */
  #transformed(object: T): T | undefined {
    try {
      return this.#options.transform?.(object, this.cache.get(keyOf(object.metadata))) ?? slim(object);
    } catch (error) {
      this.#options.onListenerError?.(error);
      return undefined;
    }
  }

  #onData(silence: Deadline): void {
    this.#noteData();
    silence.restart();
  }

  #noteData(): void {
    this.#lastReceivedMs = this.#clock.now();
  }
}
