import { BROKER_TOOLS } from '@hamlet/contract';
import type { EndedCall } from '@hamlet/core';
import { sql, type RawBuilder } from 'kysely';
import { lockName, type Db, type Tx } from '../connection/database.ts';
import { cutPage } from '../connection/result-rows.ts';
import type { Row } from '../connection/tables.generated.ts';
import { seesTexts, type TextReader } from '../runs/run-row.ts';

/** The cycle and attempt that work on a call: those of the effect, or of a later attempt that took it over. */
const CYCLE = sql<number>`coalesce(h.cycle, effect.cycle)`;
const ATTEMPT = sql<number>`coalesce(h.attempt, effect.attempt)`;

type NewHandsCall = Pick<Row<'hands_call'>, 'runId' | 'callId' | 'agentId' | 'tool' | 'boot' | 'slot' | 'arguments'>;

/** Inserts the start of a call in the hands, in the transaction of its effect. */
export async function insertHandsCall(tx: Tx, made: NewHandsCall): Promise<void> {
  const { runId, callId, agentId, tool, boot, slot } = made;
  await tx
    .insertInto('hands_call')
    .values({ run_id: runId, call_id: callId, agent_id: agentId, tool, boot, slot, arguments: made.arguments })
    .execute();
}

/** A call for later requests. `isOf`: the cycle and attempt that work on it. */
export interface KnownHandsCall {
  readonly boot: string;
  readonly slot: boolean;
  readonly endedAt: Date | null;
  readonly isOf: { readonly cycle: number; readonly attempt: number };
}

export async function findHandsCall(tx: Tx, runId: string, callId: string): Promise<KnownHandsCall | null> {
  const { rows } = await sql<Omit<KnownHandsCall, 'isOf'> & KnownHandsCall['isOf']>`
    select h.boot, h.slot, h.ended_at as "endedAt", ${CYCLE} as cycle, ${ATTEMPT} as attempt
    from hands_call h join effect using (run_id, call_id) where h.run_id = ${runId} and h.call_id = ${callId}`.execute(
    tx,
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { boot, slot, endedAt, cycle, attempt } = row;
  return { boot, slot, endedAt, isOf: { cycle, attempt } };
}

/** Transfers an open call to a later attempt of its run. The caller has locked the run. */
export async function takeUpHandsCall(
  tx: Tx,
  {
    runId,
    callId,
    cycle,
    attempt,
  }: Pick<NewHandsCall, 'runId' | 'callId'> & { readonly cycle: number; readonly attempt: number },
): Promise<void> {
  await tx
    .updateTable('hands_call')
    .set({ cycle, attempt })
    .where('run_id', '=', runId)
    .where('call_id', '=', callId)
    .where('ended_at', 'is', null)
    .execute();
}

export async function endHandsCall(
  tx: Tx,
  { runId, callId }: Pick<NewHandsCall, 'runId' | 'callId'>,
  report: unknown,
): Promise<void> {
  await tx
    .updateTable('hands_call')
    .set({ report: JSON.stringify(report), ended_at: sql<Date>`clock_timestamp()` })
    .where('run_id', '=', runId)
    .where('call_id', '=', callId)
    .execute();
}

/** True while the attempt that owns the call still works on its run. */
const isLive = sql<boolean>`(run.state = 'running' and run.cycle = ${CYCLE} and run.attempt = ${ATTEMPT})`;

/** Number of slots that an agent's calls occupy now. Locks the agent: no other call begins until the transaction ends. */
export async function countSlots(tx: Tx, agentId: string): Promise<number> {
  await lockName(tx, `slots of tools ${agentId}`);
  const { rows } = await sql<{ readonly count: number }>`
    select count(*)::integer as count from hands_call h join effect using (run_id, call_id) join run on run.run_id = h.run_id
    where h.agent_id = ${agentId} and h.slot and h.ended_at is null and ${isLive}`.execute(tx);
  return rows[0]?.count ?? 0;
}

/**
 * Seconds until an agent may begin another call of these tools; null if it began fewer than `allowed` (at least 1) in
 * the last hour. Locks the agent like `countSlots`.
 */
export async function waitForRate(
  tx: Tx,
  {
    agentId,
    tools,
    allowed,
  }: { readonly agentId: string; readonly tools: readonly string[]; readonly allowed: number },
): Promise<number | null> {
  await lockName(tx, `slots of tools ${agentId}`);
  const { rows } = await sql<{ readonly waitS: number }>`
    select greatest(1, ceil(extract(epoch from begun_at + interval '1 hour' - clock_timestamp())))::integer as "waitS"
    from hands_call
    where agent_id = ${agentId} and tool = any(${[...tools]}::text[]) and begun_at > clock_timestamp() - interval '1 hour'
    order by begun_at desc offset ${allowed - 1} limit 1`.execute(tx);
  return rows[0]?.waitS ?? null;
}

/** The newest ended calls of a run, oldest first, with the start of each command and the end of each stream. */
export async function readEndedCalls(
  tx: Tx,
  runId: string,
  { calls, chars }: { readonly calls: number; readonly chars: number },
): Promise<readonly EndedCall[]> {
  const { rows } = await sql<EndedCall>`
    select h.tool, left(coalesce(h.report ->> 'command', ''), ${chars}::integer) as command, (h.report ->> 'exit')::integer as exit,
      right(coalesce(h.report ->> 'stdout', ''), ${chars}::integer) as stdout, right(coalesce(h.report ->> 'stderr', ''), ${chars}::integer) as stderr,
      effect.outcome ->> 'code' as code, h.report -> 'refused' is not null as refused
    from hands_call h join effect using (run_id, call_id)
    where h.run_id = ${runId} and h.ended_at is not null order by h.ended_at desc, h.hands_call_id desc limit ${calls}`.execute(
    tx,
  );
  return rows.toReversed();
}

interface HandsCallFilter {
  readonly agentId?: string | undefined;
  readonly runId?: string | undefined;
  readonly tool?: string | undefined;
  readonly state?: 'begun' | 'ended' | 'unknown' | undefined;
  readonly words?: string | undefined;
  /** Admins see all calls, but texts of sessions only as one of their people. */
  readonly reader: TextReader;
}

export interface HandsCallRow {
  readonly id: string;
  readonly runId: string;
  readonly callId: string;
  readonly agentId: string;
  readonly tool: string;
  readonly state: 'begun' | 'ended' | 'unknown';
  readonly begunAt: Date;
  readonly endedAt: Date | null;
  readonly outcome: unknown;
  readonly arguments: string | null;
  readonly report: unknown;
}

const STATE = sql<
  HandsCallRow['state']
>`case when h.ended_at is not null then 'ended' when ${isLive} then 'begun' else 'unknown' end`;

const like = (words: string): string => `%${words.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;

/** A page of calls, newest first; the search covers only texts that the reader may see. Members see calls of their own runs. */
export async function readHandsCalls(
  db: Db,
  { agentId, runId, tool, state, words, reader }: HandsCallFilter,
  page: { readonly before: string | null; readonly limit: number },
): Promise<{ readonly calls: readonly HandsCallRow[]; readonly next: string | null }> {
  const none = <T>(value: T | undefined): T | null => value ?? null;
  const found = none(words === undefined ? undefined : like(words));
  const { rows } = await sql<HandsCallRow>`
    select * from (
      select h.hands_call_id as id, h.run_id as "runId", h.call_id as "callId", h.agent_id as "agentId", h.tool, ${STATE} as state,
        h.begun_at as "begunAt", h.ended_at as "endedAt", effect.outcome,
        case when sees.texts then h.arguments end as arguments, case when sees.texts then h.report end as report
      from hands_call h join effect using (run_id, call_id) join run on run.run_id = h.run_id,
        lateral (select ${seesTexts(reader)} as texts) sees
      where (${none(agentId)}::text is null or h.agent_id = ${none(agentId)})
        and (${none(runId)}::uuid is null or h.run_id = ${none(runId)})
        and (${none(tool)}::text is null or h.tool = ${none(tool)})
        and (${reader.role}::text = 'admin' or sees.texts)
        and (${found}::text is null or (sees.texts and (h.arguments ilike ${found} or h.report::text ilike ${found})))
        and (${page.before}::uuid is null or h.hands_call_id < ${page.before})) as call
    where (${none(state)}::text is null or state = ${none(state)})
    order by id desc limit ${page.limit + 1}`.execute(db);
  const { rows: calls, next } = cutPage(rows, page.limit, ({ id }) => id);
  return { calls, next };
}

/** An open call of the attempt that works on its run. */
export interface OpenCallRow {
  readonly agentId: string;
  readonly tool: string;
  readonly arguments: string;
}

/** The present work of all hands: open calls, newest last, and agents with a run that waits for people. */
interface OpenHands {
  readonly calls: readonly OpenCallRow[];
  readonly waiting: readonly string[];
}

/** Maximum characters to read of an open call's arguments. */
const ARGUMENTS_SHOWN = 8_192;

/** True while a permission of the run is pending, for any tool or for one of `tools`. */
const isAsked = (tools: readonly string[] | null): RawBuilder<boolean> => sql<boolean>`exists (
  select from permission p where p.run_id = run.run_id and p.state = 'pending' and p.expires_at > now()
    and (${tools === null ? null : [...tools]}::text[] is null or p.tool = any(${tools === null ? null : [...tools]}::text[])))`;

/** A running run whose call waits while the broker asks about a write. */
const waitsAtBroker = isAsked(BROKER_TOOLS);

export async function readOpenHands(db: Db, limit: number): Promise<OpenHands> {
  const { rows } = await sql<OpenCallRow & { readonly waits: boolean }>`
    select * from (
      select false as waits, run.agent_id as "agentId", h.tool, left(h.arguments, ${ARGUMENTS_SHOWN}) as arguments
      from run join hands_call h on h.run_id = run.run_id and h.ended_at is null
        join effect on effect.run_id = h.run_id and effect.call_id = h.call_id
      where run.state in ('queued', 'running', 'waiting_permission') and ${isLive} and not ${waitsAtBroker}
      order by h.hands_call_id desc limit ${limit}) as open
    union all
    select * from (
      select distinct true, run.agent_id, '', '' from run
      where run.state in ('queued', 'running', 'waiting_permission')
        and (run.state = 'waiting_permission' and ${isAsked(null)} or run.state = 'running' and ${waitsAtBroker})
      limit ${limit}) as waiting`.execute(db);
  return {
    calls: rows.filter(({ waits }) => !waits).toReversed(),
    waiting: rows.filter(({ waits }) => waits).map(({ agentId }) => agentId),
  };
}
