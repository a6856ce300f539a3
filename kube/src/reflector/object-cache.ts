import { dropOldest } from '../queue/drop-oldest.ts';
import { keyOf, type KubeObject } from '../client/kube-object.ts';

export type Change<T> =
  | { readonly kind: 'added'; readonly key: string; readonly object: T }
  | { readonly kind: 'updated'; readonly key: string; readonly object: T; readonly previous: T }
  /** `object` is the last known state. */
  | { readonly kind: 'deleted'; readonly key: string; readonly object: T };

export type Indexer<T> = (object: T) => readonly string[];

/** Maximum number of remembered uids of deleted objects, so that a late response cannot restore such an object. */
const MAX_TOMBSTONES = 8_192;

/**
 * The objects of one kind, by `namespace/name` and by index, deeply frozen. The cache never goes backwards: it ignores
 * older resourceVersions and uids whose deletion it has seen. So a controller can `learn` the response of its own write
 * before the watch shows it, and never acts twice. Such a response may include a write of another client, which the
 * cache would ignore when the watch shows it; therefore `learn` reports the change.
 */
export class ObjectCache<T extends KubeObject> {
  readonly #objects = new Map<string, T>();
  readonly #indexers: Readonly<Record<string, Indexer<T>>>;
  readonly #indexes = new Map<string, Map<string, Set<string>>>();
  readonly #tombstones = new Set<string>();
  readonly #listeners: ((change: Change<T>) => void)[] = [];
  readonly #onListenerError: (error: unknown) => void;

  constructor(
    indexers: Readonly<Record<string, Indexer<T>>> = {},
    onListenerError: (error: unknown) => void = () => undefined,
  ) {
    this.#indexers = indexers;
    this.#onListenerError = onListenerError;
    for (const name of Object.keys(indexers)) this.#indexes.set(name, new Map());
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  values(): IterableIterator<T> {
    return this.#objects.values();
  }

  by(name: string, value: string): readonly T[] {
    const keys = this.#indexes.get(name)?.get(value);
    if (keys === undefined) return [];
    return [...keys].flatMap((key) => this.#objects.get(key) ?? []);
  }

  /** Subscribes to every change, in order. An exception is reported and does not affect other listeners. */
  onChange(listener: (change: Change<T>) => void): void {
    this.#listeners.push(listener);
  }

  see(object: T): void {
    const key = keyOf(object.metadata);
    const previous = this.#objects.get(key);
    if (!this.#accept(key, object, previous)) return;
    this.#notify(previous === undefined ? { kind: 'added', key, object } : { kind: 'updated', key, object, previous });
  }

  /**
   * Stores the response to a write of this process. Listeners know its new objects and statuses already, so it reports
   * only changes of the metadata (generation, labels, deletion), which another client may have made.
   */
  learn(object: T): void {
    const key = keyOf(object.metadata);
    const previous = this.#objects.get(key);
    if (!this.#accept(key, object, previous) || previous === undefined) return;
    if (metadataOf(object) !== metadataOf(previous)) this.#notify({ kind: 'updated', key, object, previous });
  }

  forget(object: T): void {
    const key = keyOf(object.metadata);
    this.#bury(object.metadata.uid);
    if (this.#objects.get(key)?.metadata.uid === object.metadata.uid) this.#remove(key, object);
  }

  /** Handles a complete list as of `version`: removes cached objects that it lacks and that are not newer than `version`. */
  replaceAll(objects: readonly T[], version: string): void {
    const listed = new Set(objects.map((object) => keyOf(object.metadata)));
    for (const [key, object] of this.#objects) {
      if (listed.has(key) || compareVersions(object.metadata.resourceVersion, version) > 0) continue;
      this.#bury(object.metadata.uid);
      this.#remove(key, object);
    }
    for (const object of objects) this.see(object);
  }

  #accept(key: string, object: T, previous: T | undefined): boolean {
    if (this.#tombstones.has(object.metadata.uid)) return false;
    if (previous !== undefined && !isNewer(object, previous)) return false;
    if (previous !== undefined && previous.metadata.uid !== object.metadata.uid) this.#bury(previous.metadata.uid);
    this.#put(key, object, previous);
    return true;
  }

  #put(key: string, object: T, previous: T | undefined): void {
    if (previous !== undefined) this.#unindex(key, previous);
    this.#objects.set(key, deepFreeze(object));
    for (const [name, indexer] of Object.entries(this.#indexers)) {
      const index = this.#indexes.get(name);
      for (const value of indexer(object)) {
        const keys = index?.get(value);
        if (keys === undefined) index?.set(value, new Set([key]));
        else keys.add(key);
      }
    }
  }

  #remove(key: string, last: T): void {
    const held = this.#objects.get(key);
    if (held !== undefined) this.#unindex(key, held);
    this.#objects.delete(key);
    this.#notify({ kind: 'deleted', key, object: last });
  }

  #unindex(key: string, object: T): void {
    for (const [name, indexer] of Object.entries(this.#indexers)) {
      const index = this.#indexes.get(name);
      for (const value of indexer(object)) {
        const keys = index?.get(value);
        keys?.delete(key);
        if (keys?.size === 0) index?.delete(value);
      }
    }
  }

  #bury(uid: string): void {
    this.#tombstones.add(uid);
    dropOldest(this.#tombstones, MAX_TOMBSTONES);
  }

  #notify(change: Change<T>): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.#onListenerError(error);
      }
    }
  }
}

/** Compares two resourceVersions as decimal numbers of any length. Kubernetes guarantees that form since 1.35. */
export function compareVersions(left: string, right: string): number {
  if (left.length !== right.length) return left.length - right.length;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function metadataOf({ metadata }: KubeObject): string {
  return JSON.stringify({ ...metadata, resourceVersion: '' });
}

function isNewer(object: KubeObject, previous: KubeObject): boolean {
  return compareVersions(object.metadata.resourceVersion, previous.metadata.resourceVersion) > 0;
}

/** Freezes plain data deeply, because all readers share the objects of a cache. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}
