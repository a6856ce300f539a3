import type { Measure } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { HARDEST_FIRST, HOLDS } from './bars.ts';

/** Whoever takes or lifts a measure. */
export interface MeasureActor {
  readonly role: string;
  readonly id: string;
}

/** A measure that holds. */
export interface MeasureRow {
  readonly agentId: string;
  readonly measure: Measure;
  readonly reason: string;
  readonly byRole: string;
  readonly byId: string;
  readonly since: Date;
  readonly expiresAt: Date | null;
}

/** Lifts measures whose end has come under this name. */
const EXPIRY: MeasureActor = { role: 'system', id: 'expiry' };
const EXPIRED_AT_ONCE = 500;

/** The measures that hold, hardest first; of all agents, or of some. */
export async function readMeasures(db: Db, agentIds?: readonly string[]): Promise<readonly MeasureRow[]> {
  return db
    .selectFrom('standing_measure')
    .select([
      'agent_id as agentId',
      'measure',
      'reason',
      'by_role as byRole',
      'by_id as byId',
      'since',
      'expires_at as expiresAt',
    ])
    .where(HOLDS)
    .$if(agentIds !== undefined, (query) => query.where(sql<boolean>`agent_id = any(${agentIds})`))
    .orderBy('agent_id')
    .orderBy(HARDEST_FIRST)
    .execute();
}

/** Takes a measure; one of the same kind that holds already is replaced. Returns false where its end does not lie ahead by the database's clock. */
export async function takeMeasure(
  tx: Tx,
  taken: {
    readonly agentId: string;
    readonly measure: Measure;
    readonly reason: string;
    readonly expiresAt: Date | null;
  },
  by: MeasureActor,
): Promise<boolean> {
  const { agentId, measure, reason, expiresAt } = taken;
  if (expiresAt !== null && !(await isAhead(tx, expiresAt))) return false;
  await liftMeasure(tx, { agentId, measure, reason: 'replaced' }, by);
  await tx
    .insertInto('standing_measure')
    .values({ agent_id: agentId, measure, reason, by_role: by.role, by_id: by.id, expires_at: expiresAt })
    .execute();
  return true;
}

async function isAhead(tx: Tx, at: Date): Promise<boolean> {
  const { rows } = await sql<{ ahead: boolean }>`select ${at}::timestamptz > now() as ahead`.execute(tx);
  return rows[0]?.ahead === true;
}

/** Lifts a measure. Returns whether it held. */
export async function liftMeasure(
  tx: Tx,
  lifted: { readonly agentId: string; readonly measure: Measure; readonly reason: string | null },
  by: MeasureActor,
): Promise<boolean> {
  const rows = await tx
    .updateTable('standing_measure')
    .set({ lifted_at: sql<Date>`now()`, lifted_by_role: by.role, lifted_by_id: by.id, lift_reason: lifted.reason })
    .where('agent_id', '=', lifted.agentId)
    .where('measure', '=', lifted.measure)
    .where('lifted_at', 'is', null)
    .returning('measure_id')
    .execute();
  return rows.length > 0;
}

/** Lifts measures whose end has come, at most 500 that nobody else is lifting. Returns which. */
export async function liftExpired(tx: Tx): Promise<readonly { readonly agentId: string; readonly measure: Measure }[]> {
  return tx
    .updateTable('standing_measure')
    .set({ lifted_at: sql<Date>`now()`, lifted_by_role: EXPIRY.role, lifted_by_id: EXPIRY.id })
    .where('measure_id', 'in', (query) =>
      query
        .selectFrom('standing_measure')
        .select('measure_id')
        .where('lifted_at', 'is', null)
        .where('expires_at', '<=', sql<Date>`now()`)
        .orderBy('measure_id')
        .limit(EXPIRED_AT_ONCE)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['agent_id as agentId', 'measure'])
    .execute();
}

/** Whether the village knows an agent of this id: one that lives or has lived, or that something was held against. */
export async function isKnownAgent(db: Db, agentId: string): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    select exists (select from agent_life where agent_id = ${agentId}) or exists (select from standing_measure where agent_id = ${agentId}) as known`.execute(
    db,
  );
  return rows[0]?.known === true;
}
