import { setTimeout as sleep } from 'node:timers/promises';
import { changeCopy, COPY_LIMITS, hideInCopy, type BoardCopy, type CopyLimits, type Hiding } from '@hamlet/core';
import { isConnectionError } from '@hamlet/store';
import { createComplaint, type Complaint } from '../service/log.ts';
import { LateError, withTimeout } from '../service/with-timeout.ts';
import type { BoardRelay } from './board-relay.ts';
import { loadCopy, readChanges } from './load-copy.ts';
import type { Services } from '../service/services.ts';

/** Interval between two reads without a notification, and so the largest age of the copy when an outage begins. */
const ASK_EVERY_MS = 1_000;
/** Pause between two reads, so that a burst of writes is read in pages. */
const PAUSE_MS = 100;
/** Timeout of a query, after which the database counts as unreachable. Loading the whole copy has its own, longer timeout. */
export const PATIENCE_MS = 5_000;
const LOAD_PATIENCE_MS = 30_000;
/** Interval of reloading the whole copy even without a reason. */
const LOAD_EVERY_MS = 600_000;

export interface FollowerPorts extends Pick<Services, 'db' | 'log' | 'monotonicMs'> {
  readonly relay: Pick<BoardRelay, 'onHead'>;
  readonly limits?: CopyLimits;
}

export const saysAway = (error: unknown): boolean => isConnectionError(error) || error instanceof LateError;

/**
 * Keeps a copy of the newest threads current with the events of the board. Reloads it after an outage, because the
 * database may have been restored. The reader of the copy checks permissions.
 */
export class CopyFollower {
  readonly #ports: FollowerPorts;
  readonly #limits: CopyLimits;
  readonly #timer: NodeJS.Timeout;
  #copy: BoardCopy | null = null;
  #offset = 0;
  /** The last time at which the copy had every committed write, in ms of the monotonic clock. */
  #currentMs = 0;
  #away = false;
  /**
   * Number of reasons so far to load the whole copy. Starts at 1, because there is no copy yet. Loads have handled the
   * first `#answered` of them.
   */
  #doubts = 1;
  #answered = 0;
  readonly #complaint: Complaint;
  #reading = 0;
  #loadedMs = 0;
  #hidings: readonly (Hiding & { readonly after: number })[] = [];
  #working: Promise<void> | null = null;
  #again = false;
  #stopped = false;

  constructor(ports: FollowerPorts) {
    this.#ports = ports;
    this.#complaint = createComplaint(ports.log, 'the copy of the board is not updated: the database does not answer');
    this.#limits = ports.limits ?? COPY_LIMITS;
    ports.relay.onHead(() => this.nudge());
    this.#timer = setInterval(() => this.nudge(), ASK_EVERY_MS);
  }

  get away(): boolean {
    return this.#away;
  }

  get copy(): BoardCopy | null {
    return this.#copy;
  }

  get offset(): number {
    return this.#offset;
  }

  get ageMs(): number {
    return this.#ports.monotonicMs() - this.#currentMs;
  }

  /** Call this when the database did not answer a request. Readers get the copy until the database answers this follower. */
  noteAway(): void {
    this.#away = true;
    this.#doubts += 1;
    this.nudge();
  }

  /** Call this after a commit: the database answers again, and authors must be able to read their own writes. */
  noteBack(): void {
    this.#away = false;
    this.nudge();
  }

  /**
   * Hides a text at once. After the API has confirmed to an admin that a text is hidden, the copy must not serve it.
   */
  hide(hiding: Hiding): void {
    this.#hidings = [...this.#hidings, { ...hiding, after: this.#reading }];
    if (this.#copy !== null) this.#copy = hideInCopy(this.#copy, hiding);
  }

  nudge(): void {
    this.#again = true;
    this.#working ??= this.#work().finally(() => {
      this.#working = null;
    });
  }

  async settled(): Promise<void> {
    await this.#working;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#working;
  }

  async #work(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      const doubts = this.#doubts;
      try {
        await this.#read();
        this.#complaint.succeed();
        // `noteAway` raises `#doubts`. If it was called during this read, its failure is newer than the read, so the
        // database still counts as away.
        if (this.#doubts === doubts) this.#away = false;
      } catch (error) {
        this.#fail(error);
      }
      if (this.#again) await sleep(PAUSE_MS);
    }
  }

  #fail(error: unknown): void {
    this.#complaint.fail(error);
    this.#doubts += 1;
    if (saysAway(error)) this.#away = true;
  }

  async #read(): Promise<void> {
    const startedMs = this.#ports.monotonicMs();
    this.#reading += 1;
    if (startedMs - this.#loadedMs > LOAD_EVERY_MS) this.#doubts += 1;
    const complete =
      this.#copy === null || this.#answered < this.#doubts ? await this.#load() : await this.#follow(this.#copy);
    if (complete) this.#currentMs = startedMs;
    else this.#again = true;
  }

  async #load(): Promise<boolean> {
    const doubts = this.#doubts;
    const { copy, offset } = await withTimeout(LOAD_PATIENCE_MS, loadCopy(this.#ports.db, this.#limits));
    this.#become(copy, offset);
    this.#answered = doubts;
    this.#loadedMs = this.#ports.monotonicMs();
    return true;
  }

  async #follow(copy: BoardCopy): Promise<boolean> {
    const { changes, offset, current, lost } = await withTimeout(
      PATIENCE_MS,
      readChanges(this.#ports.db, this.#offset),
    );
    if (lost) this.#doubts += 1;
    else this.#become(changeCopy(copy, changes, this.#limits), offset);
    return current && !lost;
  }

  #become(copy: BoardCopy, offset: number): void {
    this.#hidings = this.#hidings.filter(({ after }) => after >= this.#reading);
    this.#copy = this.#hidings.reduce(hideInCopy, copy);
    this.#offset = offset;
  }
}
