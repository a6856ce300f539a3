import { TAINT_DETAIL_MAX_CHARS, type TaintSource } from '@hamlet/contract';
import { isOfSupply, shorten, SUPPLY } from '@hamlet/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { HAS_BEGUN, TAINT_OF_RUN, type RunRow } from './run-row.ts';

/** Maximum number of marked memories of one life that the database names. Each memory has its mark in the store of the agent too. */
const MEMORY_MARKS_MAX = 20_000;

interface NewTaint {
  readonly runId: string;
  readonly source: TaintSource;
  readonly detail: string;
  readonly callId?: string | null;
  readonly fromRunId?: string | null;
}

/** Marks a run and the runs that wait for its result. A source that already marked the run has no effect. Does not lock runs. */
export async function taintRun(
  tx: Tx,
  { runId, source, detail, callId = null, fromRunId = null }: NewTaint,
): Promise<void> {
  const words = shorten(detail.toWellFormed(), TAINT_DETAIL_MAX_CHARS);
  await sql`select taint_run(${runId}, ${source}, ${words}, ${callId}::text, ${fromRunId}::uuid)`.execute(tx);
}

export async function taintWorker(tx: Tx, { runId, parentRunId }: RunRow): Promise<void> {
  if (parentRunId !== null)
    await inherit(tx, { runId, source: 'parent', detail: 'its parent', fromRunId: parentRunId });
}

export const isTainted = async (tx: Tx, runId: string): Promise<boolean> => (await sourcesOf(tx, runId)).length > 0;

async function sourcesOf(tx: Tx, runId: string): Promise<readonly TaintSource[]> {
  const rows = await tx.selectFrom('run_taint').select('source').where('run_id', '=', runId).execute();
  return rows.map(({ source }) => source);
}

/**
 * Marks a run with the taint of the run that it continues. If an admin chose every source of that run, the mark has the
 * source `supply`.
 */
async function inherit(tx: Tx, mark: NewTaint & { readonly fromRunId: string }): Promise<void> {
  const sources = await sourcesOf(tx, mark.fromRunId);
  if (sources.length === 0) return;
  const { runId, detail } = mark;
  await taintRun(tx, isOfSupply(sources) ? { runId, source: SUPPLY, detail } : mark);
}

/** Marks a run whose prompt has the last words of a tainted one. */
export const taintByEarlierRun = (tx: Tx, { runId }: Pick<RunRow, 'runId'>, fromRunId: string): Promise<void> =>
  inherit(tx, { runId, source: 'conversation', detail: 'an earlier run', fromRunId });

/** Marks the run of a message if an earlier answer of the agent in its session comes from a tainted run. */
export async function taintByConversation(tx: Tx, { runId, kind, sessionId, agentUid }: RunRow): Promise<void> {
  if (sessionId === null || kind === 'worker') return;
  const { rows } = await sql<{ readonly runId: string }>`
    select run.run_id as "runId" from run join run_taint using (run_id)
    where run.session_id = ${sessionId} and run.agent_uid = ${agentUid} and run.run_id <> ${runId}
    order by run_taint.source = ${SUPPLY}, run_taint.at limit 1`.execute(tx);
  const [earlier] = rows;
  if (earlier !== undefined) await taintByEarlierRun(tx, { runId }, earlier.runId);
}

/** The marks of an agent's runs under way (workers included), and whether there is such a run. */
export async function readTaintUnderWay(
  db: Db,
  agentId: string,
): Promise<{ readonly underWay: boolean; readonly taint: RunRow['taint'] }> {
  const { rows } = await sql<{ readonly taint: RunRow['taint'] }>`
    select taint from (
      select ${TAINT_OF_RUN} as taint from run where agent_id = ${agentId} and ${HAS_BEGUN}) as marked
    order by taint is null limit 1`.execute(db);
  return { underWay: rows.length > 0, taint: rows[0]?.taint ?? null };
}

interface MemoriesOfRun {
  readonly run: RunRow;
  readonly written: readonly string[];
  readonly recalled: readonly string[];
  /** The memories that the store of the agent marks. */
  readonly outside: readonly string[];
}

/**
 * Marks the memories that a tainted run writes, and a run that recalls a marked memory. Returns the marked ones among
 * the recalled memories. The caller has locked the run.
 */
export async function markMemories(tx: Tx, memories: MemoriesOfRun): Promise<readonly string[]> {
  const { run, written } = memories;
  const marks = await marksOf(tx, memories);
  const marked = [...marks.keys()].toSorted();
  const brought = marked.length === 0 ? [] : [isOfSupply(marks.values()) ? SUPPLY : ('memory' as const)];
  for (const source of brought) {
    const detail = source === SUPPLY ? 'a memory' : (marked.find((id) => marks.get(id) === source) ?? '');
    await taintRun(tx, { runId: run.runId, source, detail });
  }
  const reached = [...(run.taint ?? []).map(({ source }) => source), ...brought];
  if (written.length === 0 || reached.length === 0) return marked;
  await keepMarks(tx, run, { written, supply: isOfSupply(reached) });
  return [...marked, ...written];
}

/**
 * The marked ones among the recalled memories, each with the source that it brings to the run. A memory that only the
 * store of the agent marks may have any source.
 */
async function marksOf(
  tx: Tx,
  { run, recalled, outside }: MemoriesOfRun,
): Promise<ReadonlyMap<string, 'memory' | typeof SUPPLY>> {
  const { rows } = await sql<{ readonly memoryId: string; readonly supply: boolean }>`
    update memory_taint set used_at = clock_timestamp()
    where agent_uid = ${run.agentUid} and memory_id = any(${[...recalled]}::text[]) returning memory_id as "memoryId", supply`.execute(
    tx,
  );
  const ofStore = outside.filter((id) => recalled.includes(id));
  return new Map([
    ...ofStore.map((id) => [id, 'memory'] as const),
    ...rows.map(({ memoryId, supply }) => [memoryId, supply ? SUPPLY : 'memory'] as const),
  ]);
}

interface WrittenMemories {
  readonly written: readonly string[];
  readonly supply: boolean;
}

async function keepMarks(tx: Tx, { agentUid, runId }: RunRow, { written, supply }: WrittenMemories): Promise<void> {
  await tx
    .insertInto('memory_taint')
    .values(written.map((memory_id) => ({ agent_uid: agentUid, memory_id, run_id: runId, supply })))
    .onConflict((conflict) =>
      conflict
        .columns(['agent_uid', 'memory_id'])
        .doUpdateSet((given) => ({ supply: sql`memory_taint.supply and ${given.ref('excluded.supply')}` })),
    )
    .execute();
  await sql`
    delete from memory_taint where agent_uid = ${agentUid} and memory_id in (
      select memory_id from memory_taint where agent_uid = ${agentUid} order by used_at desc, memory_id offset ${MEMORY_MARKS_MAX})`.execute(
    tx,
  );
}
