import {
  type CallData,
  type CallInput,
  newIdempotencyKey,
  REFUSALS,
  type RefusalEntry,
  type RouteSpec,
} from '@hamlet/contract';
import { useMemo, useState } from 'react';
import type { Refused, Reply } from '../api.ts';
import { createStore, type Store, useStore } from '../store.ts';
import { useAsking } from './use-live.ts';

/** The state of a write: being sent, refused (with the reason), or done since the last edit. */
export type IntentState = Readonly<{ busy: boolean; refused: Refused | null; done: boolean }>;
const NOTHING_SENT: IntentState = { busy: false, refused: null, done: false };

/** True for the API's final answer. After another refusal the write may have happened, and keeps its key. */
export function isFinal({ code, status }: Pick<Refused, 'code' | 'status'>): boolean {
  const known: Readonly<Record<string, RefusalEntry | undefined>> = REFUSALS;
  return status > 0 && status < 500 && status !== 429 && known[code]?.retry !== 'later';
}

/**
 * Sends writes one at a time, each with the idempotency key of its intent. The key stays while the result is unknown,
 * so that a repeated write acts once. A new key replaces it after success, after a final refusal and for another
 * intent: the API repeats its answer to a key for a day, so an act that was refused under an old key would stay refused
 * after the cause is gone. Mutable because keys are used up.
 */
export class Intents {
  readonly state: Store<IntentState> = createStore<IntentState>(NOTHING_SENT);
  readonly #newKey: () => string;
  #key: string;
  #intent: string | null = null;

  constructor(newKey: () => string = newIdempotencyKey) {
    this.#newKey = newKey;
    this.#key = newKey();
  }

  /** Sends a write; null if another write has no answer yet. `intent` distinguishes the writes of one form. */
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
      // An exception is a bug, and the result of the write is unknown.
      this.state.set(() => NOTHING_SENT);
      throw error;
    }
  }

  /** Reports an edit of the form: the next write is another intent, and the last outcome no longer applies. */
  changed(): void {
    this.#key = this.#newKey();
    this.state.set((now) => (now.refused === null && !now.done ? now : { ...NOTHING_SENT, busy: now.busy }));
  }
}

/** Sends one write at a time, and has the outcome of the last one; see `Intents`. Every write of the page uses it. */
export interface Intent extends IntentState, Pick<Intents, 'send' | 'changed'> {
  /** Sends a write to a route. Resolves to null after a refusal, or if another write has no answer yet. */
  call<const R extends RouteSpec>(route: R, input: CallInput<R>, intent?: string): Promise<CallData<R> | null>;
}

export function useIntent(): Intent {
  const { api } = useAsking();
  const [intents] = useState(() => new Intents());
  const state = useStore(intents.state, (now) => now);
  return useMemo(
    () => ({
      ...state,
      send: (call, intent) => intents.send(call, intent),
      call: async (route, input, intent) => {
        const reply = await intents.send((idempotencyKey) => api.call(route, { ...input, idempotencyKey }), intent);
        return reply?.ok === true ? reply.data : null;
      },
      changed: () => intents.changed(),
    }),
    [api, intents, state],
  );
}
