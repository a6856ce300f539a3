import { REFUSALS } from '@hamlet/contract';
import {
  beginClusterWrite,
  claimKey,
  endClusterWrite,
  findAnswer,
  findResourceUid,
  findSeenResource,
  inTransaction,
  keepAnswers,
  lockResource,
  noteResource,
  noteResourceGone,
  noteScheduleApprover,
  noteScheduleAuthor,
  releaseClusterWrite,
} from '@hamlet/store';
import type { BegunWrite, Db, IntentKind, Tx, WriteAct } from '@hamlet/store';
import { recordAct, type Acting } from '../audit/record-act.ts';
import type { Answered, Caller, WriteKey } from '../http/handler.ts';
import { keptOf, replayOf } from '../http/idempotent.ts';
import { refused, type Accepted, type Outcome, type Refused } from '../http/outcome.ts';
import { hasRecorded } from './decide-audit.ts';

/** An object after a write. `changed` is false if it already had these values. */
export interface WrittenObject<T> {
  readonly data: T;
  readonly uid: string;
  readonly generation: number | undefined;
  readonly changed: boolean;
}

/** A write of one custom resource. Repeated with the same `begunAt`, it must leave the same object. */
interface ClusterWrite<T> {
  readonly kind: IntentKind;
  readonly name: string;
  /** The name of the act in the audit; a name that ends with `.delete` deletes the object. */
  readonly action: string;
  readonly check?: (tx: Tx) => Promise<Refused | null>;
  readonly write: (begun: BegunWrite) => Promise<Outcome<WrittenObject<T>>>;
  readonly detail: (written: WrittenObject<T>) => object;
}

type Described<T> = ClusterWrite<T> & {
  readonly answer: (data: T) => Promise<Accepted<unknown>> | Accepted<unknown>;
  /** False if a later request with the same key is a different write; by default true. */
  readonly keepsAnswer?: boolean;
};

function actOf({ actor, requestId, traceparent, call }: Acting, action: string): WriteAct {
  const account = 'accountId' in actor && typeof actor.accountId === 'string' ? actor.accountId : null;
  return { action, role: actor.role, id: actor.id, accountId: account, requestId, traceparent, call: call ?? null };
}

export function actingOf({ role, id, requestId, traceparent, call }: WriteAct): Acting {
  return { actor: { role, id }, requestId, traceparent, ...(call === null ? {} : { call }) };
}

/** Records the person who is responsible for a Schedule's effects: its writer, or the person who allowed an agent's proposal. */
export async function noteAuthor(tx: Tx, uid: string, { accountId, call }: WriteAct): Promise<void> {
  if (accountId !== null) await noteScheduleAuthor(tx, uid, accountId);
  if (call !== null) await noteScheduleApprover(tx, uid, call);
}

async function begin<T>(
  tx: Tx,
  { key, act, write }: { readonly key: WriteKey; readonly act: WriteAct; readonly write: ClusterWrite<T> },
): Promise<BegunWrite | Answered> {
  const claim = await claimKey(tx, key.actor, key.key);
  if (claim === null) return { outcome: refused('idempotency_in_flight', undefined, 1), replayed: false };
  if (claim.kept !== null) return replayOf(claim.kept, key);
  const { kind, name } = write;
  const begun = await beginClusterWrite(tx, { ...key, kind, name, act });
  if (begun === 'in_flight') return { outcome: refused('idempotency_in_flight', undefined, 1), replayed: false };
  if (begun === 'other_request') return { outcome: refused('idempotency_key_reused'), replayed: false };
  // Another attempt may have ended after the claim looked for its answer, so look again.
  const kept = await findAnswer(tx, key.actor, key.key);
  if (kept !== null) {
    await endClusterWrite(tx, begun.writeId);
    return replayOf(kept, key);
  }
  const refusal = (await write.check?.(tx)) ?? null;
  if (refusal === null) return begun;
  await endClusterWrite(tx, begun.writeId);
  return { outcome: refusal, replayed: false };
}

/** True if the write is audited already: the watch recorded it before the retry, or no attempt changed anything. */
async function isInAudit<T>(
  tx: Tx,
  { uid, generation, changed }: WrittenObject<T>,
  deletes: boolean,
): Promise<boolean> {
  const seen = await findSeenResource(tx, uid);
  if (deletes) return seen !== null && seen.goneAt !== null;
  if (generation === undefined) return !changed;
  return seen !== null && hasRecorded(seen, generation);
}

/** Records the result of a write. The audit gets one row for a change, even after a retry. */
async function record<T>(
  tx: Tx,
  { kind, name, action, detail }: ClusterWrite<T>,
  { written, act, resumed }: { readonly written: WrittenObject<T>; readonly act: WriteAct; readonly resumed: boolean },
): Promise<void> {
  const { uid, generation, changed } = written;
  if (!changed && !resumed) return;
  const deletes = action.endsWith('.delete');
  if (kind === 'Schedule' && !deletes) await noteAuthor(tx, uid, act);
  if (await isInAudit(tx, written, deletes)) return;
  if (generation !== undefined) await noteResource(tx, { uid, kind, name, generation });
  if (deletes) await noteResourceGone(tx, uid);
  await recordAct(tx, actingOf(act), { action, object: name, detail: detail(written) });
}

async function end<T>(
  tx: Tx,
  { key, keepsAnswer = true, ...write }: Described<T> & { readonly key: WriteKey },
  ended: {
    readonly begun: BegunWrite;
    readonly act: WriteAct;
    readonly written: WrittenObject<T> | null;
    readonly answer: Outcome<unknown>;
  },
): Promise<Answered> {
  const { begun, act, written, answer } = ended;
  await lockResource(tx, write.kind, write.name);
  if (!(await endClusterWrite(tx, begun.writeId))) {
    // The lease expired, and a retry has done the rest.
    const kept = await findAnswer(tx, key.actor, key.key);
    return kept === null ? { outcome: answer, replayed: false } : replayOf(kept, key);
  }
  if (written !== null) await record(tx, write, { written, act, resumed: begun.resumed });
  const kept = keepsAnswer ? keptOf(key, answer) : null;
  if (kept !== null) await keepAnswers(tx, [kept]);
  return { outcome: answer, replayed: false };
}

/**
 * Writes a custom resource at most once for its key. No transaction is open while the API server works: the first one
 * records the beginning of the write, the second its result, with audit row and answer. If the API is killed in
 * between, a retry with the same key completes the write; without a retry, the watch of the cluster writes the audit
 * row. After any other failure a retry continues at once. Throws the error of the API server or of Postgres.
 */
export async function writeCluster<T>(
  db: Db,
  { by, ...asked }: Described<T> & { readonly key: WriteKey; readonly by: Acting },
): Promise<Answered> {
  const act = actOf(by, asked.action);
  const begun = await inTransaction(db, (tx) => begin(tx, { key: asked.key, act, write: asked }));
  if ('outcome' in begun) return begun;
  try {
    const outcome = await asked.write(begun);
    if (outcome.ok) {
      const answer = await asked.answer(outcome.data.data);
      return await inTransaction(db, (tx) => end(tx, asked, { begun, act, written: outcome.data, answer }));
    }
    if (REFUSALS[outcome.reason].retry !== 'later')
      return await inTransaction(db, (tx) => end(tx, asked, { begun, act, written: null, answer: outcome }));
    await releaseClusterWrite(db, begun.writeId);
    return { outcome, replayed: false };
  } catch (error) {
    // If Postgres is unreachable too, the lease expires by itself.
    await releaseClusterWrite(db, begun.writeId).catch(() => undefined);
    throw error;
  }
}

export function inCluster<R extends Caller, T>(db: Db, describe: (request: R) => Outcome<Described<T>>) {
  return {
    kind: 'cluster',
    run: async (request: R, key: WriteKey): Promise<Answered> => {
      const described = describe(request);
      return described.ok
        ? writeCluster(db, { ...described.data, key, by: request })
        : { outcome: described, replayed: false };
    },
  } as const;
}

/** If the object is gone when an attempt is resumed, it counts as deleted. */
export async function deletionOf(
  db: Db,
  { kind, name, resumed }: { readonly kind: IntentKind; readonly name: string; readonly resumed: boolean },
  outcome: Outcome<{ readonly uid: string; readonly generation: number; readonly changed?: boolean }>,
): Promise<Outcome<WrittenObject<null>>> {
  if (outcome.ok) return { ok: true, data: { changed: true, ...outcome.data, data: null } };
  const uid = resumed ? await inTransaction(db, (tx) => findResourceUid(tx, kind, name)) : null;
  return uid === null || REFUSALS[outcome.reason].status !== 404
    ? outcome
    : { ok: true, data: { data: null, uid, generation: undefined, changed: true } };
}
