import { pause } from '../clock.ts';
import type { KubeClient, ListPage } from '../client/kube-client.ts';
import type { KubeObject, ResourceType } from '../kube-object.ts';
import { Deadline } from './deadline.ts';
import { ObjectCache, type Indexer } from './object-cache.ts';
import { recoveryOf, type Recovery } from './recovery.ts';
import { slim } from './slim.ts';
import { watchEventOf, type WatchEvent } from './watch-event.ts';

const PAGE_SIZE = 500;
const MAX_PAGES = 2_000;

/** Times of a watch. */
export interface WatchTimes {
  /** The server is asked to end a watch after a random time between these. */
  readonly minTimeoutMs: number;
  readonly maxTimeoutMs: number;
  /** Silence beyond the asked time that means a dead connection. */
  readonly graceMs: number;
  /** Silence that means it once a bookmark was seen: they come about every minute. */
  readonly bookmarkSilenceMs: number;
  /** A watch that ends without an event sooner than this counts as a failure, lest we ask in a circle. */
  readonly shortMs: number;
}

export const DEFAULT_WATCH_TIMES: WatchTimes = { minTimeoutMs: 300_000, maxTimeoutMs: 600_000, graceMs: 30_000, bookmarkSilenceMs: 180_000, shortMs: 1_000 };

export interface ReflectorOptions<T extends KubeObject> {
  readonly client: KubeClient;
  readonly type: ResourceType;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Asks for the metadata of each object alone, where nothing else is read. */
  readonly metadataOnly?: boolean;
  /** What to keep of an object; {@link slim} if left out. */
  readonly transform?: (object: T) => T;
  readonly indexers?: Readonly<Record<string, Indexer<T>>>;
  readonly times?: WatchTimes;
  readonly random?: () => number;
  /** Told of every failure and of what is done about it. */
  readonly onFailure?: (error: unknown, recovery: Recovery) => void;
  readonly onListenerError?: (error: unknown) => void;
}

/** Figures for metrics and readiness. */
export interface ReflectorState {
  readonly synced: boolean;
  readonly version: string | undefined;
  /** Milliseconds of the process's own clock at which the server was last heard. */
  readonly lastHeardMs: number;
  readonly relists: number;
  readonly watches: number;
  readonly failures: number;
}

/**
 * Keeps an {@link ObjectCache} equal to what the API server holds of one kind: a paged list, then one watch at a time
 * that is resumed for ever. It never gives up and never has two watches open.
 */
export class Reflector<T extends KubeObject> {
  readonly cache: ObjectCache<T>;
  readonly #options: ReflectorOptions<T>;
  readonly #times: WatchTimes;
  readonly #random: () => number;
  readonly #transform: (object: T) => T;
  readonly #stopping = new AbortController();
  readonly #firstSync = Promise.withResolvers<void>();
  #running: Promise<void> | undefined;
  #version: string | undefined;
  #synced = false;
  #lastHeardMs = 0;
  #relists = 0;
  #watches = 0;
  #failuresInRow = 0;
  #failures = 0;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#times = options.times ?? DEFAULT_WATCH_TIMES;
    this.#random = options.random ?? Math.random;
    this.#transform = options.transform ?? slim;
    this.cache = new ObjectCache(options.indexers, options.onListenerError);
  }

  get state(): ReflectorState {
    return {
      synced: this.#synced,
      version: this.#version,
      lastHeardMs: this.#lastHeardMs,
      relists: this.#relists,
      watches: this.#watches,
      failures: this.#failures,
    };
  }

  /** Starts, once however often it is called; resolves when the first list is in the cache. */
  start(): Promise<void> {
    this.#running ??= this.#run();
    return this.#firstSync.promise;
  }

  /** Ends the watch; resolves when it has ended. The cache stays as it is. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Takes the answer of a write into the cache, before the watch shows it. */
  learn(object: T): void {
    this.cache.learn(this.#transform(object));
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
    this.#failuresInRow += 1;
    this.#failures += 1;
    const recovery = recoveryOf(error, this.#failuresInRow, this.#random());
    if (recovery.action === 'relist') this.#version = undefined;
    this.#options.onFailure?.(error, recovery);
    await pause(recovery.delayMs, this.#stopping.signal);
  }

  #selection(): Record<string, string | undefined> {
    return { labelSelector: this.#options.labelSelector, fieldSelector: this.#options.fieldSelector };
  }

  async #relist(): Promise<void> {
    this.#relists += 1;
    const items: T[] = [];
    let next: string | undefined;
    let page: ListPage<T>;
    let pages = 0;
    do {
      page = await this.#page(next);
      for (const item of page.items) items.push(this.#transform(item));
      next = page.metadata.continue === '' ? undefined : page.metadata.continue;
      pages += 1;
    } while (next !== undefined && pages < MAX_PAGES);
    this.#heard();
    this.cache.replaceAll(items, page.metadata.resourceVersion);
    this.#version = page.metadata.resourceVersion;
    this.#synced = true;
    this.#firstSync.resolve();
  }

  #page(next: string | undefined): Promise<ListPage<T>> {
    const { client, type, namespace } = this.#options;
    const query = { ...this.#selection(), limit: PAGE_SIZE, continue: next };
    return client.list<T>(type, { namespace, query, metadataOnly: this.#options.metadataOnly === true, signal: this.#stopping.signal });
  }

  async #watch(): Promise<void> {
    const { client, type, namespace } = this.#options;
    const { minTimeoutMs, maxTimeoutMs, graceMs, shortMs } = this.#times;
    const timeoutMs = Math.round(minTimeoutMs + this.#random() * (maxTimeoutMs - minTimeoutMs));
    const silence = new Deadline(timeoutMs + graceMs, this.#stopping.signal);
    const startedMs = performance.now();
    let events = 0;
    this.#watches += 1;
    try {
      const query = { ...this.#selection(), resourceVersion: this.#version, allowWatchBookmarks: true, timeoutSeconds: Math.max(1, Math.ceil(timeoutMs / 1_000)) };
      const onBytes = (): void => this.#heardFrom(silence);
      for await (const line of client.watch(type, { namespace, query, metadataOnly: this.#options.metadataOnly === true, signal: silence.signal, onBytes })) {
        this.#take(watchEventOf(line), silence);
        events += 1;
      }
    } finally {
      silence.cancel();
    }
    if (events === 0 && performance.now() - startedMs < shortMs) throw new Error('the watch ended at once and without an event');
  }

  #take(event: WatchEvent, silence: Deadline): void {
    this.#failuresInRow = 0;
    if (event.type === 'BOOKMARK') {
      silence.shorten(this.#times.bookmarkSilenceMs);
      this.#version = event.version;
      return;
    }
    const object = this.#transform(event.object as T);
    if (event.type === 'DELETED') this.cache.forget(object);
    else this.cache.see(object);
    this.#version = event.object.metadata.resourceVersion;
  }

  #heardFrom(silence: Deadline): void {
    this.#heard();
    silence.restart();
  }

  #heard(): void {
    this.#lastHeardMs = performance.now();
  }
}
