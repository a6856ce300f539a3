import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { inTransaction } from '../connection/database.ts';
import type { Db } from '../connection/database.ts';
import { recordAudit } from '../people/audit.ts';

/**
 * Drops the text of turns that were recorded before a moment, the oldest first, at most `atMost` (1 to 10,000), and records that as one act.
 * Rows keep the hash of the text, which is all that the sealed log has of a turn. Returns how many; 0 too while another replica is at it.
 */
export async function dropTurnTexts(
  db: Db,
  { before, atMost }: { readonly before: Date; readonly atMost: number },
): Promise<number> {
  return inTransaction(db, async (tx) => {
    const { rows } = await sql<{ dropped: number }>`select drop_turn_texts(${before}, ${atMost}) as dropped`.execute(
      tx,
    );
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
