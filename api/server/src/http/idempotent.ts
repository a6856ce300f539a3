import { createHash } from 'node:crypto';
import { REFUSALS } from '@hamlet/contract';
import { claimKey, inTransaction, keepAnswers, type Db, type KeptAnswer, type Tx } from '@hamlet/store';
import type { Answered, WriteKey } from './handler.ts';
import { refused, type Accepted, type Outcome, type Refused } from './outcome.ts';

const KEY_MAX_CHARS = 255;

/** The key without quotes. The draft standard quotes it, but most senders do not. */
export function idempotencyKeyOf(header: string | string[] | undefined): string {
  return String(header ?? '').replace(/^"(.*)"$/, '$1');
}

/** Reads the Idempotency-Key of a request. The hash covers the request's input in the order in which it was sent. */
export function writeKeyOf(
  actor: string,
  header: string | undefined,
  request: { readonly route: string; readonly input: unknown },
): { readonly ok: true; readonly key: WriteKey } | Refused {
  const key = idempotencyKeyOf(header);
  if (key === '')
    return refused(
      'idempotency_key_missing',
      'Send the header Idempotency-Key: a value that you choose for each operation and keep for its retries',
    );
  if (key.length > KEY_MAX_CHARS)
    return refused('validation_failed', `Idempotency-Key: shorten it to ${KEY_MAX_CHARS} characters`);
  const hash = createHash('sha256')
    .update(JSON.stringify([request.route, request.input]))
    .digest();
  return { ok: true, key: { actor, key, hash } };
}

/** True if an outcome is final. A refusal with `retry: 'later'` is not, so that the same request can succeed later. */
const isFinal = (outcome: Outcome<unknown>): boolean => outcome.ok || REFUSALS[outcome.reason].retry !== 'later';

export function keptOf(key: WriteKey | null, outcome: Outcome<unknown>): KeptAnswer | null {
  if (key === null || !isFinal(outcome)) return null;
  const answer = outcome.ok
    ? { ok: true, data: outcome.data }
    : { ok: false, reason: outcome.reason, detail: outcome.detail };
  return { ...key, status: outcome.ok ? 200 : 409, answer };
}

export function replayOf(kept: KeptAnswer, key: WriteKey): Answered {
  if (!Buffer.from(kept.hash).equals(Buffer.from(key.hash)))
    return { outcome: refused('idempotency_key_reused'), replayed: false };
  return { outcome: kept.answer as Accepted<unknown> | Refused, replayed: true };
}

/** Runs a write at most once for its key. The effect and the final answer commit together, and a failure rolls both back. */
export async function runOnce(db: Db, key: WriteKey, work: (tx: Tx) => Promise<Outcome<unknown>>): Promise<Answered> {
  const answered = await inTransaction(db, async (tx): Promise<Answered> => {
    const claim = await claimKey(tx, key.actor, key.key);
    if (claim === null) return { outcome: refused('idempotency_in_flight', undefined, 1), replayed: false };
    if (claim.kept !== null) return replayOf(claim.kept, key);
    const outcome = await work(tx);
    const answer = keptOf(key, outcome);
    if (answer !== null) await keepAnswers(tx, [answer]);
    return { outcome, replayed: false };
  });
  if (answered.outcome.ok) answered.outcome.afterCommit?.();
  return answered;
}
