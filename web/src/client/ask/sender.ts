import { newIdempotencyKey, REFUSALS, type RefusalEntry } from '@hamlet/contract';
import type { Refused, Reply } from '../api.ts';
import { createStore, type Store } from '../store.ts';

/** Where a write stands: whether one is under way, and why the last one was refused. */
export interface SendState {
  readonly busy: boolean;
  readonly refused: Refused | null;
}
export const NOTHING_SENT: SendState = { busy: false, refused: null };

/**
 * Whether a refusal is the api's final answer to this very request. A lost answer, a failure of the server and a refusal that passes by waiting
 * are not: the write may have happened, or may succeed unchanged, so it is sent again under the same key.
 */
export function isFinal({ code, status }: Pick<Refused, 'code' | 'status'>): boolean {
  const known: Readonly<Record<string, RefusalEntry | undefined>> = REFUSALS;
  return status > 0 && status < 500 && status !== 429 && known[code]?.retry !== 'later';
}

/**
 * Sends writes one at a time under an idempotency key that belongs to one intent. The key stays while the answer is unknown, so that a write that is
 * sent again acts once. After success, after a final refusal and for another intent it is replaced: the api repeats the answer of a key for a day,
 * so a refused act under an old key would stay refused even where its cause is gone. Mutable because keys are spent.
 */
export class Sender {
  readonly state: Store<SendState> = createStore<SendState>(NOTHING_SENT);
  readonly #newKey: () => string;
  #key: string;
  #intent: string | null = null;
  #busy = false;

  /** @param newKey makes idempotency keys */
  constructor(newKey: () => string = newIdempotencyKey) {
    this.#newKey = newKey;
    this.#key = newKey();
  }

  /**
   * Sends, unless a write is under way: then it answers null.
   * @param intent tells apart what one form may send; callers whose form sends only one thing leave it out and call `changed` on edits
   */
  async send<T>(call: (idempotencyKey: string) => Promise<Reply<T>>, intent = ''): Promise<Reply<T> | null> {
    if (this.#busy) return null;
    this.#busy = true;
    if (this.#intent !== null && this.#intent !== intent) this.#key = this.#newKey();
    this.#intent = intent;
    this.state.set(() => ({ busy: true, refused: null }));
    try {
      const reply = await call(this.#key);
      this.#settle(reply);
      return reply;
    } catch (error) {
      // A bug: whether anything was written is not known.
      this.state.set(() => NOTHING_SENT);
      throw error;
    } finally {
      this.#busy = false;
    }
  }

  #settle(reply: Reply<unknown>): void {
    if (reply.ok || isFinal(reply.refused)) this.#key = this.#newKey();
    this.state.set(() => ({ busy: false, refused: reply.ok ? null : reply.refused }));
  }

  /** What is sent next is another intent; the last refusal is about something else. */
  changed(): void {
    this.#key = this.#newKey();
    this.state.set((now) => (now.refused === null ? now : { ...now, refused: null }));
  }
}
