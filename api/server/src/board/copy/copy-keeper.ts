import { setTimeout as sleep } from 'node:timers/promises';
import { changeCopy, COPY_LIMITS, hideInCopy } from '@hamlet/core';
import type { BoardCopy, CopyLimits, Hiding } from '@hamlet/core';
import { isConnectionError } from '@hamlet/store';
import type { Db } from '@hamlet/store';
import type { Log } from '../../service/log.ts';
import { LateError, within } from '../../service/within.ts';
import type { BoardRelay } from '../live/board-relay.ts';
import { loadCopy, readChanges } from './load-copy.ts';

/** How often the database is asked without being told that there is something: so old a copy may be when an outage begins. */
const ASK_EVERY_MS = 1_000;
/** Between two readings, so that a storm of writes is read in pages. */
const PAUSE_MS = 100;
/** A database that says nothing for so long is taken for away; reading everything may take longer. */
export const PATIENCE_MS = 5_000;
const LOAD_PATIENCE_MS = 30_000;
/** Whatever is heard, everything is read anew this often. */
const LOAD_EVERY_MS = 600_000;

export interface KeeperPorts {
  readonly db: Db;
  readonly relay: Pick<BoardRelay, 'onHead'>;
  readonly log: Log;
  readonly monotonicMs: () => number;
  readonly limits?: CopyLimits;
}

/** Whether an error says that the database is away, and nothing else. */
export function saysAway(error: unknown): boolean {
  return isConnectionError(error) || error instanceof LateError;
}

/**
 * Keeps a copy of the newest threads, by what the board's feed brings behind its offset. After an outage it is read anew, because the database may have
 * come back as another than went. Mutable because it follows; who may see what of the copy is asked where it is read.
 */
export class CopyKeeper {
  readonly #ports: KeeperPorts;
  readonly #limits: CopyLimits;
  readonly #timer: NodeJS.Timeout;
  #copy: BoardCopy | null = null;
  #offset = 0;
  /** When everything that had been written was in the copy. */
  #currentMs = 0;
  #away = false;
  /** Reasons to read the copy anew, whatever it holds, and how many of them a reading has answered. The first is that there is none. */
  #doubts = 1;
  #answered = 0;
  #complained = false;
  #reading = 0;
  #loadedMs = 0;
  /** What was hidden after a reading had begun, with the number of that reading: its rows may show it still. The next reading empties it. */
  #hidings: readonly (Hiding & { readonly after: number })[] = [];
  #working: Promise<void> | null = null;
  #again = false;
  #stopped = false;

  constructor(ports: KeeperPorts) {
    this.#ports = ports;
    this.#limits = ports.limits ?? COPY_LIMITS;
    ports.relay.onHead(() => this.nudge());
    this.#timer = setInterval(() => this.nudge(), ASK_EVERY_MS);
  }

  /** Whether the database was away when it was asked last. */
  get away(): boolean {
    return this.#away;
  }

  /** The newest threads; null before they were read once. */
  get copy(): BoardCopy | null {
    return this.#copy;
  }

  /** The event that the copy is not older than. */
  get offset(): number {
    return this.#offset;
  }

  /** For how long something may have been written that the copy does not have, in ms. */
  get ageMs(): number {
    return this.#ports.monotonicMs() - this.#currentMs;
  }

  /** Hears that the database did not answer somebody. Until it answers here again the copy stands in for it. */
  noteAway(): void {
    this.#away = true;
    this.#doubts += 1;
    this.nudge();
  }

  /** Hears that something was committed: the database is there, and whoever wrote reads what they wrote. */
  noteBack(): void {
    this.#away = false;
    this.nudge();
  }

  /** Hides something at once: what an admin has been told is hidden must not be read from here. */
  hide(hiding: Hiding): void {
    this.#hidings = [...this.#hidings, { ...hiding, after: this.#reading }];
    if (this.#copy !== null) this.#copy = hideInCopy(this.#copy, hiding);
  }

  /** Reads what there is to read. */
  nudge(): void {
    this.#again = true;
    this.#working ??= this.#work().finally(() => {
      this.#working = null;
    });
  }

  /** Resolves once what was asked to be read is read, or cannot be. */
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
        this.#complained = false;
        // What was heard since it began may be newer than its answer.
        if (this.#doubts === doubts) this.#away = false;
      } catch (error) {
        this.#fail(error);
      }
      if (this.#again) await sleep(PAUSE_MS);
    }
  }

  #fail(error: unknown): void {
    if (!this.#complained) this.#ports.log('warn', 'the copy of the board waits for the database', { error });
    this.#complained = true;
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
    const { copy, offset } = await within(LOAD_PATIENCE_MS, loadCopy(this.#ports.db, this.#limits));
    this.#become(copy, offset);
    this.#answered = doubts;
    this.#loadedMs = this.#ports.monotonicMs();
    return true;
  }

  /** Reads what happened since. False where there is more. */
  async #follow(copy: BoardCopy): Promise<boolean> {
    const { changes, offset, current, lost } = await within(PATIENCE_MS, readChanges(this.#ports.db, this.#offset));
    if (lost) this.#doubts += 1;
    else this.#become(changeCopy(copy, changes, this.#limits), offset);
    return current && !lost;
  }

  /** Takes what a reading came to. What was hidden since it began is hidden in it too, and is in whatever is read later. */
  #become(copy: BoardCopy, offset: number): void {
    this.#hidings = this.#hidings.filter(({ after }) => after >= this.#reading);
    this.#copy = this.#hidings.reduce(hideInCopy, copy);
    this.#offset = offset;
  }
}
