import { BROKER_TOOLS } from '@hamlet/contract';
import { type Selection, sql } from 'kysely';
import { asColumns } from '../connection/as-columns.ts';
import type { Db, Tx } from '../connection/database.ts';
import type { Tables } from '../connection/tables.generated.ts';

const EFFECT_COLUMNS = [
  'run_id as runId',
  'call_id as callId',
  'tool',
  'arguments_hash as argumentsHash',
  'policy_version as policyVersion',
  'permission_id as permissionId',
  'state',
  'begun_at as begunAt',
  'outcome',
] as const;
export type EffectRow = Readonly<Selection<Tables, 'effect', (typeof EFFECT_COLUMNS)[number]>>;

/** `permissionId`: a permission that this transaction has consumed. */
interface NewEffect extends Pick<EffectRow, 'runId' | 'callId' | 'tool' | 'policyVersion' | 'permissionId'> {
  readonly agentId: string;
  readonly agentUid: string;
  readonly cycle: number;
  readonly attempt: number;
  readonly argumentsHash: Uint8Array;
}

/** Locks the effect of a call; null if there is none. The caller has locked the run. */
export async function lockEffect(tx: Tx, runId: string, callId: string): Promise<EffectRow | null> {
  const row = await tx
    .selectFrom('effect')
    .select(EFFECT_COLUMNS)
    .where('run_id', '=', runId)
    .where('call_id', '=', callId)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

/** Inserts an effect in the state `settled` with its outcome, or in the state `begun` if the outcome is null. */
export async function insertEffect(tx: Tx, made: NewEffect, outcome: unknown): Promise<void> {
  await tx
    .insertInto('effect')
    .values({
      ...asColumns(made),
      ...(outcome === null
        ? { state: 'begun' as const, outcome: null }
        : { state: 'settled' as const, outcome: JSON.stringify(outcome), settled_at: sql<Date>`clock_timestamp()` }),
    })
    .execute();
}

export async function settleEffect(tx: Tx, { runId, callId }: EffectRow, outcome: unknown): Promise<void> {
  await tx
    .updateTable('effect')
    .set({ state: 'settled', outcome: JSON.stringify(outcome), settled_at: sql<Date>`clock_timestamp()` })
    .where('run_id', '=', runId)
    .where('call_id', '=', callId)
    .execute();
}

export type LostEffect = Pick<EffectRow, 'runId' | 'callId'>;

const LOST_AT_ONCE = 200;

/**
 * Effects without an end whose run ended at least `lateS` seconds ago, at most 200, without writes that leave a pod (`readLateWrites`).
 * The caller locks each and checks again.
 */
export async function readLostEffects(db: Db, lateS: number): Promise<readonly LostEffect[]> {
  const { rows } = await sql<LostEffect>`
    select effect.run_id as "runId", effect.call_id as "callId" from effect join run using (run_id)
    where effect.state = 'begun' and effect.tool <> all(${BROKER_TOOLS}::text[])
      and run.state in ('done', 'failed', 'cancelled') and run.ended_at <= clock_timestamp() - ${lateS} * interval '1 second'
    order by begun_at limit ${LOST_AT_ONCE}`.execute(db);
  return rows;
}
