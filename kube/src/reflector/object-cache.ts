import { deepFreeze } from './deep-freeze.ts';
import { keyOf, type KubeObject } from '../kube-object.ts';

/** A change of the cache, after it happened. */
export type Change<T> =
  | { readonly kind: 'added'; readonly key: string; readonly object: T }
  | { readonly kind: 'updated'; readonly key: string; readonly object: T; readonly previous: T }
  /** `object` is the last state that was seen. */
  | { readonly kind: 'deleted'; readonly key: string; readonly object: T };

/** The values under which an object is found. */
export type Indexer<T> = (object: T) => readonly string[];

/** Lives whose end is remembered, so that a late answer cannot bring one back. */
const MAX_TOMBSTONES = 8_192;

/**
 * What a reflector has seen of one kind, by `namespace/name` and by index.
 *
 * Never goes backwards: an object with an older resourceVersion than the one held is ignored, and so is a life (uid)
 * that was seen to end. That makes it safe to `learn` the answer of a write before the watch shows it, which is what
 * keeps a controller from doing a thing twice. Such an answer may hold what somebody else wrote a moment before, which the
 * watch will then show as something older: that is told when it is learned. What it holds is frozen.
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

  /** The objects that the index `name` files under `value`. */
  by(name: string, value: string): readonly T[] {
    const keys = this.#indexes.get(name)?.get(value);
    if (keys === undefined) return [];
    return [...keys].flatMap((key) => this.#objects.get(key) ?? []);
  }

  /** How many objects the index `name` files under `value`. */
  count(name: string, value: string): number {
    return this.#indexes.get(name)?.get(value)?.size ?? 0;
  }

  /** Hears of every change, in order. What it throws is reported and stops nobody else. */
  onChange(listener: (change: Change<T>) => void): void {
    this.#listeners.push(listener);
  }

  /** Takes an ADDED or MODIFIED event of the watch. */
  see(object: T): void {
    const key = keyOf(object.metadata);
    const previous = this.#objects.get(key);
    if (!this.#accept(key, object, previous)) return;
    this.#tell(previous === undefined ? { kind: 'added', key, object } : { kind: 'updated', key, object, previous });
  }

  /**
   * Takes the answer of a write of our own. Who wrote it knows of a new object and of its status, so nobody is told of those; but where anything else of
   * its metadata moved (its generation, a label, its end), it may be somebody else's doing.
   */
  learn(object: T): void {
    const key = keyOf(object.metadata);
    const previous = this.#objects.get(key);
    if (!this.#accept(key, object, previous) || previous === undefined) return;
    if (metadataOf(object) !== metadataOf(previous)) this.#tell({ kind: 'updated', key, object, previous });
  }

  /** A DELETED event: that life is over. */
  forget(object: T): void {
    const key = keyOf(object.metadata);
    this.#bury(object.metadata.uid);
    if (this.#objects.get(key)?.metadata.uid === object.metadata.uid) this.#remove(key, object);
  }

  /** Takes a whole list as of `version`: what is missing from it, and not younger than it, was deleted meanwhile. */
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
    this.#tell({ kind: 'deleted', key, object: last });
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
    if (this.#tombstones.size <= MAX_TOMBSTONES) return;
    const [oldest] = this.#tombstones;
    if (oldest !== undefined) this.#tombstones.delete(oldest);
  }

  #tell(change: Change<T>): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.#onListenerError(error);
      }
    }
  }
}

/** Order of two resourceVersions: decimal numbers of any length (Kubernetes 1.35 makes that a promise). */
export function compareVersions(left: string, right: string): number {
  if (left.length !== right.length) return left.length - right.length;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** All of it but the version, as one word to compare. */
function metadataOf({ metadata }: KubeObject): string {
  return JSON.stringify({ ...metadata, resourceVersion: '' });
}

function isNewer(object: KubeObject, previous: KubeObject): boolean {
  return compareVersions(object.metadata.resourceVersion, previous.metadata.resourceVersion) > 0;
}
