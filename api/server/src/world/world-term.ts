import { GROUP_COMMITTED_EVENTS, type WorldEvent } from '@hamlet/contract';
import { advance, decodeEvents, halt, isLifecycle, reduce, validateCommand, type WorldState } from '@hamlet/core';
import {
  appendBatch,
  isConnectionError,
  isDuplicateError,
  readChunks,
  recentAnswers,
  replaceChunks,
  saveSnapshot,
} from '@hamlet/store';
import type { Answered } from '../http/handler.ts';
import { keptOf } from '../http/idempotent.ts';
import { refused } from '../http/outcome.ts';
import { UnavailableError } from '../http/respond.ts';
import { chunkOf, CommitQueue } from './commit-queue.ts';
import { packSnapshot } from './recovery/recover.ts';
import { RECALL_SECONDS, RecentAnswers } from './recent-answers.ts';
import type { VillageClock } from './village-clock.ts';
import { answerOf, type WorldRequest } from './world-request.ts';
import type { Services } from '../service/services.ts';

const SNAPSHOT_EVERY_MS = 60_000;
/** After the larger of 10,000 events and 4 per agent, because the cost grows with the number of agents. */
const SNAPSHOT_EVERY_EVENTS = 10_000;
const SNAPSHOT_EVERY_EVENTS_PER_AGENT = 4;
/** Maximum number of chunks that are merged after one snapshot, and of events in one merged chunk (about 40 KB). */
const MERGED_CHUNKS_MAX = 2_000;
const MERGED_EVENTS_MAX = 4_000;

const GROUPED: ReadonlySet<string> = new Set(GROUP_COMMITTED_EVENTS);

function lineFor(request: WorldRequest, outcome: { readonly ok: boolean }): WorldRequest['audit'] {
  return outcome.ok ? request.audit : undefined;
}

export interface TermPorts extends Pick<Services, 'db' | 'monotonicMs'> {
  readonly clock: VillageClock;
  /** True while the village is frozen: then all agents stand, and only the lifecycle of agents changes the world. */
  readonly isFrozen: () => boolean;
  readonly onDurable: (epoch: number, events: readonly WorldEvent[]) => void;
}

/** One epoch of writing: the accepted world and its commit queue. */
export class WorldTerm {
  readonly epoch: number;
  readonly ended: Promise<unknown>;
  readonly #world: WorldState;
  readonly #ports: TermPorts;
  readonly #queue: CommitQueue;
  readonly #answers: RecentAnswers;
  readonly #end: (reason: unknown) => void;
  #snapshot: { seq: number; atMs: number };
  #isHalted = false;

  private constructor(
    begun: { readonly epoch: number; readonly world: WorldState; readonly answers: RecentAnswers },
    ports: TermPorts,
  ) {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.epoch = begun.epoch;
    this.ended = promise;
    this.#end = resolve;
    this.#world = begun.world;
    this.#answers = begun.answers;
    this.#ports = ports;
    this.#snapshot = { seq: begun.world.seq, atMs: ports.monotonicMs() };
    this.#queue = new CommitQueue({
      epoch: begun.epoch,
      append: (batch) => appendBatch(ports.db, batch),
      mayRetry: isConnectionError,
      alreadyThere: isDuplicateError,
      onDurable: (events) => ports.onDurable(begun.epoch, events),
      onDead: resolve,
    });
  }

  static async begin(
    begun: { readonly epoch: number; readonly world: WorldState },
    ports: TermPorts,
  ): Promise<WorldTerm> {
    const kept = await recentAnswers(ports.db, RECALL_SECONDS);
    return new WorldTerm({ ...begun, answers: new RecentAnswers(kept, ports.monotonicMs()) }, ports);
  }

  get backlog(): number {
    return this.#queue.backlog;
  }

  /** Decides a command; see WorldRequest for when it answers. Throws UnavailableError if the writer cannot commit. */
  async submit(request: WorldRequest): Promise<Answered> {
    if (!this.#queue.healthy) throw new UnavailableError('The world cannot store events at the moment; try again');
    const early = this.#answerEarly(request);
    if (early !== null) return early;
    const { outcome, events } = this.#decide(request);
    const through = request.durability === 'written_through' || events.some((event) => !GROUPED.has(event.kind));
    const answer = answerOf(this.#world, request, { outcome, tick: this.#world.advancedTo, durable: through });
    const kept = keptOf(request.key, answer);
    const settle = kept === null ? null : this.#answers.note(kept, this.#ports.monotonicMs());
    const durable = this.#queue.push(events, { answer: kept, audit: lineFor(request, outcome), urgent: through });
    if (through && outcome.ok) await durable.catch(() => this.#unsaved());
    settle?.();
    return { outcome: answer, replayed: false };
  }

  /** The kept answer to a repeated request, or the refusal during a freeze; null for a request to decide. */
  #answerEarly({ key, command }: WorldRequest): Answered | null {
    const recalled = key === null ? null : this.#answers.recall(key);
    if (recalled !== null || !this.#ports.isFrozen() || isLifecycle(command)) return recalled;
    return { outcome: refused('village_frozen'), replayed: false };
  }

  tick(): void {
    try {
      this.#passTime();
      this.#obeyFreeze();
    } catch (error) {
      this.stop(error);
    }
  }

  stop(reason: unknown): void {
    this.#queue.kill(reason);
    this.#end(reason);
  }

  async finish(): Promise<void> {
    await this.#queue.drained().catch(() => undefined);
    this.stop('finished');
  }

  /** Takes a snapshot of the accepted world if one is due, and stores it once that world is durable. Then merges the chunks before it. */
  async snapshotIfDue(): Promise<boolean> {
    const { seq, atMs } = this.#snapshot;
    const nowMs = this.#ports.monotonicMs();
    const many = Math.max(SNAPSHOT_EVERY_EVENTS, this.#world.agents.count * SNAPSHOT_EVERY_EVENTS_PER_AGENT);
    const due = this.#world.seq - seq >= many || (this.#world.seq > seq && nowMs - atMs >= SNAPSHOT_EVERY_MS);
    if (!due) return false;
    this.#snapshot = { seq: this.#world.seq, atMs: nowMs };
    const [snapshot] = await Promise.all([packSnapshot(this.#world), this.#queue.drained()]);
    await saveSnapshot(this.#ports.db, this.epoch, snapshot);
    await this.#mergeChunks(seq, snapshot.seq);
    return true;
  }

  #unsaved(): never {
    throw new UnavailableError("The command's events could not be saved; try again with the same Idempotency-Key");
  }

  #passTime(): WorldEvent[] {
    const tick = Math.max(this.#ports.clock.tick(), this.#world.tick);
    const events = advance(this.#world, tick);
    if (events.length > 0) void this.#queue.push(events, { answer: null, urgent: false });
    return events;
  }

  /** The first tick of a freeze, or of a term during one, ends all walks. */
  #obeyFreeze(): void {
    const isFrozen = this.#ports.isFrozen();
    const events = isFrozen && !this.#isHalted ? halt(this.#world, this.#world.advancedTo) : [];
    this.#isHalted = isFrozen;
    if (events.length > 0) void this.#queue.push(events, { answer: null, urgent: false });
  }

  /** An exception here leaves the accepted world in doubt: the term ends, and the next begins from the durable world. */
  #decide(request: WorldRequest): {
    readonly outcome: ReturnType<typeof validateCommand>;
    readonly events: readonly WorldEvent[];
  } {
    try {
      this.#passTime();
      const outcome = validateCommand(this.#world, request.command, this.#world.advancedTo);
      const events = outcome.ok ? outcome.events : [];
      for (const event of events) reduce(this.#world, event);
      return { outcome, events };
    } catch (error) {
      this.stop(error);
      throw error;
    }
  }

  async #mergeChunks(after: number, upTo: number): Promise<void> {
    const chunks = await readChunks(this.#ports.db, { after, upTo, limit: MERGED_CHUNKS_MAX });
    let run: WorldEvent[] = [];
    for (const [index, chunk] of chunks.entries()) {
      run.push(...decodeEvents(chunk.packed));
      if (run.length < MERGED_EVENTS_MAX && index < chunks.length - 1) continue;
      const merged = chunkOf(run);
      if (merged !== null) await replaceChunks(this.#ports.db, this.epoch, merged);
      run = [];
    }
  }
}
