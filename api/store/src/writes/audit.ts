import type { Selection } from 'kysely';
import type { Db } from '../connection/database.ts';
import type { Tables } from '../connection/tables.generated.ts';

const COLUMNS = [
  'audit_id as auditId',
  'actor_role as actorRole',
  'actor_id as actorId',
  'action',
  'object',
  'detail',
  'request_id as requestId',
  'traceparent',
  'at',
] as const;
type AuditRow = Readonly<Selection<Tables, 'audit', (typeof COLUMNS)[number]>>;

/** One act of the audit. `detail` has facts that are recorded nowhere else. */
export type AuditEntry = Omit<AuditRow, 'at'>;

export const recordAudit = (db: Db, entry: AuditEntry): Promise<void> => recordAudits(db, [entry]);

export async function recordAudits(db: Db, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await db
    .insertInto('audit')
    .values(
      entries.map((entry) => ({
        audit_id: entry.auditId,
        actor_role: entry.actorRole,
        actor_id: entry.actorId,
        action: entry.action,
        object: entry.object,
        detail: JSON.stringify(entry.detail),
        request_id: entry.requestId,
        traceparent: entry.traceparent,
      })),
    )
    .execute();
}

export function readAudit(db: Db, object: string, limit: number): Promise<readonly AuditRow[]> {
  return db
    .selectFrom('audit')
    .select(COLUMNS)
    .where('object', '=', object)
    .orderBy('at', 'desc')
    .limit(limit)
    .execute();
}
