import { sql } from 'kysely';
import type { Turn } from '@hamlet/contract';
import { randomUUID } from 'node:crypto';
import { cutPage } from '../connection/result-rows.ts';
import { type Db, inTransaction } from '../connection/database.ts';
import { recordAudit } from '../writes/audit.ts';

interface TurnRow {
  readonly turnId: string;
  readonly agentId: string;
  readonly recordedAt: Date;
  readonly turn: Turn;
}

/** Position of the last turn of the previous page. */
export interface TurnCursor {
  readonly recordedAt: string;
  readonly turnId: string;
}

interface TurnPage {
  readonly turns: readonly TurnRow[];
  readonly next: TurnCursor | null;
}

/** Stores a turn unless its id is already stored. */
export async function recordTurn(
  db: Db,
  agent: { readonly agentId: string; readonly uid: string },
  turn: Turn,
): Promise<void> {
  await db
    .insertInto('turn')
    .values({
      turn_id: turn.turn_id,
      agent_id: agent.agentId,
      uid: agent.uid,
      cycle: turn.cycle,
      turn: JSON.stringify(turn),
    })
    .onConflict((conflict) => conflict.column('turn_id').doNothing())
    .execute();
}

/** A page of an agent's turns, newest first, without turns whose text was deleted. */
export async function readTurns(
  db: Db,
  agentId: string,
  page: { readonly after: TurnCursor | null; readonly limit: number },
): Promise<TurnPage> {
  const rows = await db
    .selectFrom('turn')
    // The cursor needs microseconds, but a Date has only milliseconds, so the time is also read as text.
    .select([
      'turn_id as turnId',
      'agent_id as agentId',
      'recorded_at as recordedAt',
      'turn',
      sql<string>`recorded_at::text`.as('exactly'),
    ])
    .where('agent_id', '=', agentId)
    .where('turn', 'is not', null)
    .$if(page.after !== null, (query) =>
      query.where(
        sql<boolean>`(recorded_at, turn_id) < (${page.after?.recordedAt}::timestamptz, ${page.after?.turnId}::uuid)`,
      ),
    )
    .orderBy('recorded_at', 'desc')
    .orderBy('turn_id', 'desc')
    .limit(page.limit + 1)
    .execute();
  const { rows: shown, next } = cutPage(rows, page.limit, ({ exactly, turnId }) => ({ recordedAt: exactly, turnId }));
  return { turns: shown.map(({ exactly: _exactly, ...row }) => ({ ...row, turn: row.turn as Turn })), next };
}

/** Deletes at most 10,000 expired texts and records one act; hashes stay. Returns their number: 0 while another replica does this. */
export async function dropTurnTexts(
  db: Db,
  { before, atMost }: { readonly before: Date; readonly atMost: number },
): Promise<number> {
  return inTransaction(db, async (tx) => {
    const { rows } = await sql<{ dropped: number }>`
      select drop_turn_texts(${before}, ${atMost}) as dropped`.execute(tx);
    const dropped = rows[0]?.dropped ?? 0;
    if (dropped === 0) return 0;
    const auditId = randomUUID();
    await recordAudit(tx, {
      auditId,
      actorRole: 'system',
      actorId: 'retention',
      action: 'turn.drop_texts',
      object: 'turns',
      detail: { before: before.toISOString(), turns: dropped },
      requestId: auditId,
      traceparent: null,
    });
    return dropped;
  });
}
