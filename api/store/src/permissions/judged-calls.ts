import type { SafeMode } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import type { Row } from '../connection/tables.generated.ts';
import { seesTexts, type TextReader } from '../runs/run-row.ts';

/** Number of days whose calls a trial reads. Their facts are stored one day longer. */
export const TRIAL_DAYS = 7;
const KEPT_DAYS = TRIAL_DAYS + 1;
/** Maximum number of facts to delete at once. */
export const FORGOTTEN_JUDGED_CALLS = 5_000;
/** Upper limit of the counts of calls outside a trial. */
const COUNTED_CALLS_MAX = 200_000;

/** The facts by which the API judged a call of a run, and its verdict. `words`: the first words of a command, without secrets. */
type JudgedCallFacts = Omit<Row<'judged_call'>, 'judgedCallId' | 'judgedAt'>;

/** Stores the facts of a call; a later judgement of the same call replaces them. The caller has locked the run. */
export async function noteJudgedCall(tx: Tx, facts: JudgedCallFacts): Promise<void> {
  const { classes } = facts;
  await sql`
    insert into judged_call (run_id, call_id, agent_id, agent_uid, tool, tool_class, classes, unclear, taint_source, taint_detail, by_rule, words,
      verdict, policy_version)
    values (${facts.runId}, ${facts.callId}, ${facts.agentId}, ${facts.agentUid}, ${facts.tool}, ${facts.toolClass},
      ${classes === null ? null : [...classes]}::text[], ${facts.unclear}, ${facts.taintSource}, ${facts.taintDetail}, ${facts.byRule}::boolean,
      ${facts.words}, ${facts.verdict}, ${facts.policyVersion})
    on conflict (run_id, call_id) do update set tool = excluded.tool, tool_class = excluded.tool_class, classes = excluded.classes,
      unclear = excluded.unclear, taint_source = excluded.taint_source, taint_detail = excluded.taint_detail, by_rule = excluded.by_rule,
      words = excluded.words, verdict = excluded.verdict, policy_version = excluded.policy_version
    where (judged_call.tool, judged_call.tool_class, judged_call.classes, judged_call.unclear, judged_call.taint_source, judged_call.taint_detail,
        judged_call.by_rule, judged_call.words, judged_call.verdict, judged_call.policy_version)
      is distinct from (excluded.tool, excluded.tool_class, excluded.classes, excluded.unclear, excluded.taint_source, excluded.taint_detail,
        excluded.by_rule, excluded.words, excluded.verdict, excluded.policy_version)`.execute(tx);
}

/** A judged call as a trial reads it. */
export interface JudgedCallRow extends Omit<JudgedCallFacts, 'policyVersion'> {
  readonly id: string;
  readonly judgedAt: Date;
  /** True while its run is stored: only then its safe mode and lists of tools are known. */
  readonly hasRun: boolean;
  readonly safeMode: SafeMode | null;
  readonly toolLists: readonly (readonly string[])[] | null;
  /** The answer of people to the last request for the call; null without one. */
  readonly answer: 'allowed' | 'denied' | 'expired' | null;
}

/** Calls of the last week before `before`, newest first. Null for words that the reader may not see. */
export async function readJudgedCalls(
  db: Db,
  { reader, before, limit }: { readonly reader: TextReader; readonly before: string | null; readonly limit: number },
): Promise<readonly JudgedCallRow[]> {
  const { rows } = await sql<JudgedCallRow>`
    select j.judged_call_id as id, j.run_id as "runId", j.call_id as "callId", j.agent_id as "agentId", j.agent_uid as "agentUid", j.tool,
      j.tool_class as "toolClass", j.classes, j.unclear, j.taint_source as "taintSource", j.taint_detail as "taintDetail", j.by_rule as "byRule",
      case when run.run_id is not null and ${seesTexts(reader)} then j.words end as words, j.verdict, j.judged_at as "judgedAt",
      run.run_id is not null as "hasRun", run.tool_lists as "toolLists", run.safe_mode as "safeMode", asked.answer
    from judged_call j
      left join run on run.run_id = j.run_id
      left join lateral (
        select case when p.answer = 'deny' then 'denied' when p.answer is not null then 'allowed' when p.state = 'expired' then 'expired' end as answer
        from permission p where p.run_id = j.run_id and p.call_id = j.call_id order by p.permission_id desc limit 1
      ) asked on j.verdict = 'ask'
    where j.judged_at > now() - ${TRIAL_DAYS} * interval '1 day' and (${before}::uuid is null or j.judged_call_id < ${before})
    order by j.judged_call_id desc limit ${limit}`.execute(db);
  return rows;
}

/** Numbers of last week's calls that a trial does not cover, each at most {@link COUNTED_CALLS_MAX}. */
interface UntriedCalls {
  /** Calls from before the API stored their facts. */
  readonly withoutFacts: number;
  /** Calls before `before`. */
  readonly older: number;
}

/** Counts last week's calls that a trial did not reach; `before` is the last call that it read, null if it read all. */
export async function countUntriedCalls(db: Db, before: string | null): Promise<UntriedCalls> {
  const { rows } = await sql<UntriedCalls>`
    select
      (select count(*)::integer from (
        select from effect e where e.begun_at > now() - ${TRIAL_DAYS} * interval '1 day'
          and not exists (select from judged_call j where j.run_id = e.run_id and j.call_id = e.call_id)
        limit ${COUNTED_CALLS_MAX}) as unknown) as "withoutFacts",
      (select count(*)::integer from (
        select from judged_call j where j.judged_at > now() - ${TRIAL_DAYS} * interval '1 day' and j.judged_call_id < ${before}::uuid
        limit ${COUNTED_CALLS_MAX}) as rest) as older`.execute(db);
  return rows[0] ?? { withoutFacts: 0, older: 0 };
}

/** Deletes facts that are too old for a trial, at most 5,000. Returns their number. */
export async function forgetJudgedCalls(db: Db): Promise<number> {
  const { rows } = await sql<{ readonly calls: number }>`
    with old as materialized (
      select judged_call_id from judged_call where judged_at < now() - ${KEPT_DAYS} * interval '1 day'
      order by judged_at limit ${FORGOTTEN_JUDGED_CALLS} for update skip locked),
    gone as (delete from judged_call j using old where j.judged_call_id = old.judged_call_id returning 1)
    select count(*)::integer as calls from gone`.execute(db);
  return rows[0]?.calls ?? 0;
}
