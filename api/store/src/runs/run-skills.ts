import type { RunSkill } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { COLUMNS, type Row } from '../connection/tables.generated.ts';

export interface SkillSetRow {
  readonly runId: string;
  readonly skills: readonly RunSkill[];
  readonly sha256: Buffer;
  readonly pinnedAt: Date;
}

export type SkillLoadRow = Row<'skill_load'>;

const SET = ['run_id as runId', 'skills', 'sha256', 'pinned_at as pinnedAt'] as const;

export async function findSkillSet(db: Db, runId: string): Promise<SkillSetRow | null> {
  const row = await db.selectFrom('run_skill_set').select(SET).where('run_id', '=', runId).executeTakeFirst();
  return row === undefined ? null : (row as SkillSetRow);
}

/** Fixes the skills of a run. The caller has locked the run. */
export async function insertSkillSet(
  tx: Tx,
  { runId, agentId }: { readonly runId: string; readonly agentId: string },
  set: Pick<SkillSetRow, 'skills' | 'sha256'>,
): Promise<void> {
  await tx
    .insertInto('run_skill_set')
    .values({ run_id: runId, agent_id: agentId, skills: JSON.stringify(set.skills), sha256: set.sha256 })
    .execute();
}

/** Records that the model of a run loaded a skill; the first call counts. */
export async function noteSkillLoad(tx: Tx, load: Omit<SkillLoadRow, 'loadedAt'>): Promise<void> {
  const { runId, name, callId, why } = load;
  await tx
    .insertInto('skill_load')
    .values({ run_id: runId, name, call_id: callId, why })
    .onConflict((conflict) => conflict.columns(['run_id', 'name']).doNothing())
    .execute();
}

export async function readSkillSets(
  db: Db,
  { agentId, runId, limit }: { readonly agentId: string; readonly runId: string | undefined; readonly limit: number },
): Promise<readonly SkillSetRow[]> {
  const rows = await db
    .selectFrom('run_skill_set')
    .select(SET)
    .where('agent_id', '=', agentId)
    .$if(runId !== undefined, (query) => query.where('run_id', '=', runId ?? ''))
    .orderBy('run_id', 'desc')
    .limit(limit)
    .execute();
  return rows as readonly SkillSetRow[];
}

export async function readSkillLoads(db: Db, runIds: readonly string[]): Promise<readonly SkillLoadRow[]> {
  return db
    .selectFrom('skill_load')
    .select(COLUMNS.skill_load)
    .where(sql<boolean>`run_id = any(${[...runIds]}::uuid[])`)
    .execute();
}
