import { newIdempotencyKey, REFUSALS, type RefusalEntry } from '@hamlet/contract';
import { useMemo, useState } from 'react';
import type { Refused, Reply } from '../api.ts';
import { createStore, type Store, useStore } from '../store.ts';

/** Where a write stands: on its way, refused (and why), or done since the last edit. */
export interface IntentState {
  readonly busy: boolean;
  readonly refused: Refused | null;
  readonly done: boolean;
}
const NOTHING_SENT: IntentState = { busy: false, refused: null, done: false };

/**
 * Whether a refusal is the api's final answer to this very request. A lost answer, a failure of the server and a refusal that passes by waiting
 * are not: the write may have happened, or may succeed unchanged, so it is sent again under the same key.
 */
export function isFinal({ code, status }: Pick<Refused, 'code' | 'status'>): boolean {
  const known: Readonly<Record<string, RefusalEntry | undefined>> = REFUSALS;
  return status > 0 && status < 500 && status !== 429 && known[code]?.retry !== 'later';
}

/**
 * Sends writes one at a time under an idempotency key that belongs to one intent. The key stays while the answer is unknown, so that a repeated
 * write acts once. It is replaced after success, after a final refusal and for another intent: the api repeats the answer of a key for a day,
 * so a refused act under an old key would stay refused even where its cause is gone. Mutable because keys are spent.
 */
export class Intents {
  readonly state: Store<IntentState> = createStore<IntentState>(NOTHING_SENT);
  readonly #newKey: () => string;
  #key: string;
  #intent: string | null = null;

  /** @param newKey makes idempotency keys */
  constructor(newKey: () => string = newIdempotencyKey) {
    this.#newKey = newKey;
    this.#key = newKey();
  }

  /**
   * Sends, unless a write is on its way: then it answers null.
   * @param intent distinguishes the writes of one form; callers whose form sends only one thing leave it out and call `changed` on edits
   */
  async send<T>(call: (idempotencyKey: string) => Promise<Reply<T>>, intent = ''): Promise<Reply<T> | null> {
    if (this.state.get().busy) return null;
    if (this.#intent !== null && this.#intent !== intent) this.#key = this.#newKey();
    this.#intent = intent;
    this.state.set(() => ({ busy: true, refused: null, done: false }));
    try {
      const reply = await call(this.#key);
      if (reply.ok || isFinal(reply.refused)) this.#key = this.#newKey();
      this.state.set(() => ({ busy: false, refused: reply.ok ? null : reply.refused, done: reply.ok }));
      return reply;
    } catch (error) {
      // A bug: whether anything was written is not known.
      this.state.set(() => NOTHING_SENT);
      throw error;
    }
  }

  /** The form was edited: the next write is another intent, and the last outcome is no longer about it. */
  changed(): void {
    this.#key = this.#newKey();
    this.state.set((now) => (now.refused === null && !now.done ? now : { ...NOTHING_SENT, busy: now.busy }));
  }
}

/** Sending one intent at a time, with the outcome of the last one; see `Intents`. Every write of the page goes through it. */
export type Intent = IntentState & Pick<Intents, 'send' | 'changed'>;

export function useIntent(): Intent {
  const [intents] = useState(() => new Intents());
  const state = useStore(intents.state, (now) => now);
  return useMemo(
    () => ({ ...state, send: (call, intent) => intents.send(call, intent), changed: () => intents.changed() }),
    [intents, state],
  );
}
