import { RUN_UNSETTLED_MAX } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Tx } from '../connection/database.ts';

/** Calls of a run that have begun, in its newest 1,000 events, and have no result; at most RUN_UNSETTLED_MAX. */
export async function readUnsettledCalls(tx: Tx, runId: string): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly callId: string }>`
    with call as (
      select detail ->> 'call_id' as call_id, bool_or(event = 'call_settled') as settled, min(number) as first
      from (select event, detail, number from run_event where run_id = ${runId}
        and event in ('call_begun', 'call_settled', 'call_unknown') order by number desc limit 1000) as newest
      group by 1)
    select call_id as "callId" from call where not settled order by first limit ${RUN_UNSETTLED_MAX}`.execute(tx);
  return rows.map(({ callId }) => callId);
}

/** Number of recorded steps and of calls with the outcome ok, counted up to one. */
export async function countEffects(tx: Tx, runId: string): Promise<number> {
  const { rows } = await sql<{ readonly effects: boolean }>`
    select exists (select from run_event where run_id = ${runId}
      and (event = 'step' or (event = 'call_settled' and detail ->> 'outcome' = 'ok'))) as effects`.execute(tx);
  return rows[0]?.effects === true ? 1 : 0;
}
