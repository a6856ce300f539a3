import type { NodeShortage } from '@hamlet/contract';
import { sql } from 'kysely';
import { type Db, lockName, type Tx } from '../connection/database.ts';
import { COLUMNS, type Row } from '../connection/tables.generated.ts';
import { addInternalEvents, lockInternalEvents } from '../writes/internal-events.ts';

export const PAUSES_KEPT_DAYS = 90;

/** `since` is null while the node may become short. */
export type ShortageRow = Row<'node_shortage'>;

/** Nodes that are or may become short. The lock lets one guard at a time decide about them. */
export async function lockShortages(tx: Tx): Promise<readonly ShortageRow[]> {
  await lockName(tx, 'node shortages');
  return tx.selectFrom('node_shortage').select(COLUMNS.node_shortage).execute();
}

/** Null ends the shortage of the node. */
export async function putShortage(tx: Tx, node: string, row: ShortageRow | null): Promise<void> {
  if (row === null) return void (await tx.deleteFrom('node_shortage').where('node', '=', node).execute());
  const values = {
    tight_readings: row.tightReadings,
    since: row.since,
    stepped_at: row.steppedAt,
    easy_since: row.easySince,
    read_at: row.readAt,
  };
  await tx
    .insertInto('node_shortage')
    .values({ node, ...values })
    .onConflict((conflict) => conflict.column('node').doUpdateSet(values))
    .execute();
}

export async function pauseAgents(tx: Tx, node: string, agentIds: readonly string[]): Promise<void> {
  await sql`
    insert into agent_pause (agent_id, node) select agent_id, ${node} from unnest(${[...agentIds]}::text[]) agent_id
    on conflict (node, agent_id) where ended_at is null do nothing`.execute(tx);
}

/** Ends the pauses of a node. Resolves with their agents. */
export async function endPauses(tx: Tx, node: string): Promise<readonly string[]> {
  const rows = await tx
    .updateTable('agent_pause')
    .set({ ended_at: sql<Date>`now()` })
    .where('node', '=', node)
    .where('ended_at', 'is', null)
    .returning('agent_id as agentId')
    .execute();
  return rows.map(({ agentId }) => agentId).toSorted();
}

interface ShortNode {
  readonly node: string;
  readonly since: Date;
  readonly paused: string[];
}

/** A shortage as the operator reads it. */
export const shortageEvent = ({ node, paused }: Pick<ShortNode, 'node' | 'paused'>): NodeShortage => ({
  node,
  short: true,
  paused,
});

/** Nodes that are short now, with the agents that wait for them. */
export async function readShortages(db: Db): Promise<readonly ShortNode[]> {
  const { rows } = await sql<ShortNode>`
    select node, since, array(
      select agent_id from agent_pause p where p.node = s.node and p.ended_at is null order by agent_id) as paused
    from node_shortage s where since is not null order by node`.execute(db);
  return rows;
}

/** Notifies the operator of these nodes. Call it last: it takes the lock that orders internal events. */
export async function announceShortages(tx: Tx, nodes: readonly string[]): Promise<void> {
  if (nodes.length === 0) return;
  await lockInternalEvents(tx);
  const short = new Map((await readShortages(tx)).map((each) => [each.node, shortageEvent(each)]));
  const all = nodes.map((node): NodeShortage => short.get(node) ?? { node, short: false, paused: [] });
  await addInternalEvents(tx, 'shortage', all);
}

/** Deletes pauses that ended PAUSES_KEPT_DAYS ago. */
export async function forgetPauses(tx: Tx): Promise<void> {
  await sql`delete from agent_pause where ended_at < now() - ${PAUSES_KEPT_DAYS} * interval '1 day'`.execute(tx);
}
