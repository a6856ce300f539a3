import type { Wake, WorldEvent } from '@hamlet/contract';
import { reduce, wakesOf, type WorldState } from '@hamlet/core';
import { UnavailableError } from '../http/respond.ts';
import { withTimeout } from '../service/with-timeout.ts';

interface WorldWatcher {
  before?(event: WorldEvent): void;
  after?(event: WorldEvent): void;
  epochBegan?(epoch: number): void;
  wake?(agentId: string, wake: Wake): void;
}

interface ReplicaPorts {
  readonly onWatcherError: (error: unknown) => void;
  /** Receives the error of an event that could not be applied. This copy of the world is then wrong, and only a new copy helps. */
  readonly onBroken: (error: unknown) => void;
}

/** Beyond this number the replica drops early events and reads them from Postgres. */
const EARLY_MAX = 5_000;

/**
 * The durable world as this process knows it: the source of every read, frame and wake. Events come from the writer in
 * this process, over Redis, or from Postgres if the replica missed one. The replica applies each event once, in order.
 */
export class WorldReplica {
  readonly world: WorldState;
  #epoch: number;
  readonly #watchers: WorldWatcher[] = [];
  readonly #early = new Map<number, WorldEvent>();
  readonly #waiting = new Set<{ readonly seq: number; readonly done: () => void }>();

  readonly #ports: ReplicaPorts;

  constructor(recovered: { readonly world: WorldState; readonly epoch: number }, ports: ReplicaPorts) {
    this.world = recovered.world;
    this.#epoch = recovered.epoch;
    this.#ports = ports;
  }

  get epoch(): number {
    return this.#epoch;
  }

  watch(watcher: WorldWatcher): void {
    this.#watchers.push(watcher);
  }

  /**
   * Applies the next events and stores early ones. Returns false if events are missing and must be read from Postgres.
   */
  take(epoch: number, events: readonly WorldEvent[]): boolean {
    if (epoch > this.#epoch) {
      this.#epoch = epoch;
      this.#notify((watcher) => watcher.epochBegan?.(epoch));
    }
    for (const event of events) {
      if (event.seq > this.world.seq + 1) this.#early.set(event.seq, event);
      else if (event.seq === this.world.seq + 1 && !this.#apply(event)) return true;
      else if (this.#early.size > 0) this.#early.delete(event.seq);
    }
    for (
      let next = this.#early.get(this.world.seq + 1);
      next !== undefined;
      next = this.#early.get(this.world.seq + 1)
    ) {
      this.#early.delete(next.seq);
      if (!this.#apply(next)) return true;
    }
    if (this.#early.size > EARLY_MAX) this.#early.clear();
    this.#release();
    return this.#early.size === 0;
  }

  /** Resolves once this replica has applied an event. Throws UnavailableError after `limitMs`. */
  async reached(seq: number, limitMs: number): Promise<void> {
    if (this.world.seq >= seq) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter = { seq, done: resolve };
    this.#waiting.add(waiter);
    try {
      await withTimeout(limitMs, promise);
    } catch (error) {
      throw new UnavailableError('This replica has not caught up with the world yet; try again', { cause: error });
    } finally {
      this.#waiting.delete(waiter);
    }
  }

  #apply(event: WorldEvent): boolean {
    this.#notify((watcher) => watcher.before?.(event));
    try {
      reduce(this.world, event);
    } catch (error) {
      this.#ports.onBroken(error);
      return false;
    }
    this.#notify((watcher) => watcher.after?.(event));
    for (const { agent_id, wake } of wakesOf(this.world, event))
      this.#notify((watcher) => watcher.wake?.(agent_id, wake));
    return true;
  }

  #notify(say: (watcher: WorldWatcher) => void): void {
    for (const watcher of this.#watchers) {
      try {
        say(watcher);
      } catch (error) {
        this.#ports.onWatcherError(error);
      }
    }
  }

  #release(): void {
    for (const waiter of this.#waiting) if (waiter.seq <= this.world.seq) waiter.done();
  }
}
