import { setTimeout as sleep } from 'node:timers/promises';
import { GROUP_COMMITTED_EVENTS, type WorldEvent } from '@hamlet/contract';
import { encodeEvents } from '@hamlet/core';
import type { AuditEntry, Batch, KeptAnswer, MoveChunk } from '@hamlet/store';

/** The queue collects moves for this long before it commits them, well below the 100 ms within which moves must be durable. */
const GROUP_DELAY_MS = 60;
const RETRY_PAUSE_MS = 100;
const BACKLOG_MAX_EVENTS = 20_000;

interface CommitPorts {
  readonly epoch: number;
  readonly append: (batch: Batch) => Promise<void>;
  /** True if a failed append may be retried: the connection was lost, and the commit may or may not have happened. */
  readonly mayRetry: (error: unknown) => boolean;
  /** True if an append failed because an earlier attempt, whose answer was lost, has committed these events. */
  readonly alreadyThere: (error: unknown) => boolean;
  readonly onDurable: (events: readonly WorldEvent[]) => void;
  /** Receives the error that ends the queue, after which it commits nothing. */
  readonly onDead: (error: unknown) => void;
}

interface Pending {
  readonly events: WorldEvent[];
  readonly answers: KeptAnswer[];
  readonly audits: AuditEntry[];
  readonly durable: PromiseWithResolvers<void>;
}

function emptyBatch(): Pending {
  const durable = Promise.withResolvers<void>();
  // If no caller waits, a failure reaches only onDead.
  durable.promise.catch(() => undefined);
  return { events: [], answers: [], audits: [], durable };
}

function hasContent({ events, answers, audits }: Pending): boolean {
  return events.length > 0 || answers.length > 0 || audits.length > 0;
}

const GROUPED: ReadonlySet<string> = new Set(GROUP_COMMITTED_EVENTS);

export function batchOf(
  epoch: number,
  pending: {
    readonly events: readonly WorldEvent[];
    readonly answers: readonly KeptAnswer[];
    readonly audits: readonly AuditEntry[];
  },
): Batch {
  const moves = pending.events.filter((event) => GROUPED.has(event.kind));
  return {
    epoch,
    events: pending.events.filter((event) => !GROUPED.has(event.kind)),
    moves: chunkOf(moves),
    answers: pending.answers,
    audits: pending.audits,
  };
}

export function chunkOf(moves: readonly WorldEvent[]): MoveChunk | null {
  const [first, last] = [moves[0], moves.at(-1)];
  if (first === undefined || last === undefined) return null;
  return {
    seqFrom: first.seq,
    seqTo: last.seq,
    tickFrom: first.tick,
    tickTo: last.tick,
    count: moves.length,
    packed: encodeEvents(moves),
  };
}

/**
 * Makes accepted events durable in order, one commit at a time. Events that arrive during a commit join the next one.
 */
export class CommitQueue {
  readonly #ports: CommitPorts;
  #open = emptyBatch();
  #timer: NodeJS.Timeout | null = null;
  #committing = false;
  #urgent = false;
  #dead = false;
  #struggling = false;
  #backlog = 0;

  constructor(ports: CommitPorts) {
    this.#ports = ports;
  }

  get healthy(): boolean {
    return !this.#dead && !this.#struggling && this.#backlog < BACKLOG_MAX_EVENTS;
  }

  get backlog(): number {
    return this.#backlog;
  }

  /** Resolves once the events are durable. An `urgent` push waits only for the current commit. */
  push(
    events: readonly WorldEvent[],
    options: { readonly answer: KeptAnswer | null; readonly audit?: AuditEntry | undefined; readonly urgent: boolean },
  ): Promise<void> {
    if (this.#dead) return Promise.reject(new Error('the writer has stopped; try again'));
    const batch = this.#open;
    batch.events.push(...events);
    if (options.answer !== null) batch.answers.push(options.answer);
    if (options.audit !== undefined) batch.audits.push(options.audit);
    this.#backlog += events.length;
    this.#urgent ||= options.urgent;
    this.#schedule();
    return batch.durable.promise;
  }

  drained(): Promise<void> {
    return this.push([], { answer: null, urgent: true });
  }

  kill(error: unknown): void {
    if (this.#dead) return;
    this.#dead = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#open.durable.reject(error);
  }

  #schedule(): void {
    if (this.#committing || this.#dead) return;
    if (this.#urgent) {
      if (this.#timer !== null) clearTimeout(this.#timer);
      this.#timer = null;
      void this.#commit();
    } else {
      this.#timer ??= setTimeout(() => void this.#commit(), GROUP_DELAY_MS);
    }
  }

  async #commit(): Promise<void> {
    this.#timer = null;
    this.#committing = true;
    this.#urgent = false;
    // Wait for the rest of this turn of the event loop, so that everything accepted in it joins the batch.
    await Promise.resolve();
    const batch = this.#open;
    this.#open = emptyBatch();
    try {
      if (hasContent(batch)) await this.#append(batchOf(this.#ports.epoch, batch));
    } catch (error) {
      batch.durable.reject(error);
      this.kill(error);
      this.#ports.onDead(error);
      return;
    }
    this.#backlog -= batch.events.length;
    this.#committing = false;
    if (batch.events.length > 0) this.#ports.onDurable(batch.events);
    batch.durable.resolve();
    if (hasContent(this.#open) || this.#urgent) this.#schedule();
  }

  /** Appends under the epoch. Retries after connection errors until the batch is durable; throws every other error. */
  async #append(batch: Batch): Promise<void> {
    for (;;) {
      try {
        await this.#ports.append(batch);
        this.#struggling = false;
        return;
      } catch (error) {
        if (this.#dead) throw error;
        if (this.#ports.alreadyThere(error)) {
          this.#struggling = false;
          return;
        }
        if (!this.#ports.mayRetry(error)) throw error;
        this.#struggling = true;
        await sleep(RETRY_PAUSE_MS);
      }
    }
  }
}
