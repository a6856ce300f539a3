import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import type { Circumstance } from '../ledger/transfer-request.ts';

/** What a transfer or a hold was about, and the very process that asked; null where nothing is known. */
export async function findCircumstance(db: Db, id: string): Promise<Required<Circumstance> | null> {
  const { rows } = await sql<Required<Circumstance>>`
    select related_post_id as "relatedPostId", pod_uid as "podUid", run_id as "runId", image_digest as "imageDigest", traceparent
    from ledger.circumstance where id = ${id}
    union all
    select c.related_post_id, c.pod_uid, c.run_id, c.image_digest, c.traceparent
    from ledger.transfer t, jsonb_populate_record(null::ledger.circumstance, t.about) c where t.transfer_id = ${id} and t.about is not null`.execute(
    db,
  );
  return rows[0] ?? null;
}
