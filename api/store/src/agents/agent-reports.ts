import type { Capability, CapabilitySummary, FoundSkill, Mind } from '@hamlet/contract';
import { sql } from 'kysely';
import { inTransaction, type Db, type Tx } from '../connection/database.ts';
import { COLUMNS } from '../connection/tables.generated.ts';
import { addInternalEvent } from '../writes/internal-events.ts';

export interface AgentReport {
  readonly agentId: string;
  readonly uid: string;
  readonly cycle: number;
  readonly capabilities: readonly Capability[];
  readonly skills: readonly FoundSkill[];
}
export type StoredReport = AgentReport & { readonly reportedAt: Date };

/** Minimum seconds between different reports of a cycle, because each costs the operator a write. */
const REPORT_EVERY_S = 10;

/**
 * Replaces the previous report, and announces `summary` to the operator. False, without a change, if the report is the
 * same, if the cycle reported less than {@link REPORT_EVERY_S} ago, or if a later cycle of the life has reported.
 */
export async function storeReport(db: Db, report: AgentReport, summary: CapabilitySummary): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { agentId, uid, cycle } = report;
    const row = {
      uid,
      cycle,
      capabilities: JSON.stringify(report.capabilities),
      skills: JSON.stringify(report.skills),
    };
    if (!(await isNews(tx, { agentId, ...row }))) return false;
    await tx
      .insertInto('agent_report')
      .values({ agent_id: agentId, ...row })
      .onConflict((conflict) =>
        conflict.column('agent_id').doUpdateSet({ ...row, reported_at: sql<Date>`clock_timestamp()` }),
      )
      .execute();
    await addInternalEvent(tx, 'capabilities', summary);
    return true;
  });
}

interface Row {
  readonly agentId: string;
  readonly uid: string;
  readonly cycle: number;
  readonly capabilities: string;
  readonly skills: string;
}

async function isNews(tx: Tx, { agentId, uid, cycle, capabilities, skills }: Row): Promise<boolean> {
  const before = await tx
    .selectFrom('agent_report')
    .select([
      'uid',
      'cycle',
      sql<boolean>`capabilities = ${capabilities}::jsonb and skills = ${skills}::jsonb`.as('same'),
      sql<boolean>`reported_at > now() - ${REPORT_EVERY_S} * interval '1 second'`.as('recent'),
    ])
    .where('agent_id', '=', agentId)
    .forUpdate()
    .executeTakeFirst();
  if (before === undefined || before.uid !== uid || before.cycle < cycle) return true;
  return before.cycle === cycle && !before.same && !before.recent;
}

export async function findReport(db: Db, agentId: string): Promise<StoredReport | null> {
  const row = await db
    .selectFrom('agent_report')
    .select(COLUMNS.agent_report)
    .where('agent_id', '=', agentId)
    .executeTakeFirst();
  return row === undefined ? null : (row as StoredReport);
}

export async function readReports(db: Db): Promise<readonly StoredReport[]> {
  return (await db.selectFrom('agent_report').select(COLUMNS.agent_report).execute()) as readonly StoredReport[];
}

/** A mind that the pod of an agent reported, with the life of the agent. */
export interface ReportedMind {
  readonly uid: string;
  readonly mind: Mind;
}

export async function readMinds(db: Db, agentIds: readonly string[]): Promise<ReadonlyMap<string, ReportedMind>> {
  const { rows } = await sql<ReportedMind & { readonly agentId: string }>`
    select agent_id as "agentId", uid, reported.mind
    from agent_report,
      jsonb_path_query_first(capabilities, '$[*] ? (@.kind == "runtime").mind') as reported (mind)
    where agent_id = any (${agentIds}) and reported.mind is not null
  `.execute(db);
  return new Map(rows.map(({ agentId, uid, mind }) => [agentId, { uid, mind }]));
}
