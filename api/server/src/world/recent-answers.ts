import type { KeptAnswer } from '@hamlet/store';
import type { Answered, WriteKey } from '../http/handler.ts';
import { replayOf } from '../http/idempotent.ts';
import { refused } from '../http/outcome.ts';

/** Longer than the longest request, so that a retry always finds its answer here or in the database. */
export const RECALL_SECONDS = 60;
const RECALLED_MAX = 100_000;

interface Recalled {
  readonly kept: KeptAnswer;
  readonly sinceMs: number;
  settled: boolean;
}

/** The answers of the last minute by key, at most 100,000. An answer is settled once its events are durable. */
export class RecentAnswers {
  readonly #byKey = new Map<string, Recalled>();

  constructor(kept: readonly KeptAnswer[], nowMs: number) {
    for (const each of kept) this.#byKey.set(idOf(each), { kept: each, sinceMs: nowMs, settled: true });
  }

  recall(key: WriteKey): Answered | null {
    const found = this.#byKey.get(idOf(key));
    if (found === undefined) return null;
    const replay = replayOf(found.kept, key);
    return found.settled || !replay.replayed
      ? replay
      : { outcome: refused('idempotency_in_flight', undefined, 1), replayed: false };
  }

  /** Stores an answer; returns a function that marks it as settled. */
  note(kept: KeptAnswer, nowMs: number): () => void {
    this.#forget(nowMs);
    const entry: Recalled = { kept, sinceMs: nowMs, settled: false };
    this.#byKey.set(idOf(kept), entry);
    return () => {
      entry.settled = true;
    };
  }

  #forget(nowMs: number): void {
    for (const [id, { sinceMs }] of this.#byKey) {
      if (nowMs - sinceMs < RECALL_SECONDS * 1_000 && this.#byKey.size < RECALLED_MAX) return;
      this.#byKey.delete(id);
    }
  }
}

function idOf(key: { readonly actor: string; readonly key: string }): string {
  return `${key.actor}\n${key.key}`;
}
