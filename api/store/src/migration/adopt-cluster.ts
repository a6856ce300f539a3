import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type pg from 'pg';
import type { Db } from '../connection/database.ts';

/** Whether this cluster has yet to adopt a loaded dump. Works for any role, once the schema is current. */
export async function isClusterBehind(db: Db): Promise<boolean> {
  const { rows } = await sql<{ behind: boolean }>`select log.is_behind() as behind`.execute(db);
  return rows[0]?.behind ?? false;
}

/** Raises the transaction offset above the log of a loaded dump. Needs the owner. Throws while an API is connected. */
export async function adoptCluster(client: pg.Client, appRole: string): Promise<boolean> {
  if (!(await isBehind(client))) return false;
  await client.query('begin');
  try {
    await client.query('lock table log.head, ledger.transfer, public.audit, public.turn in access exclusive mode');
    await refuseSessionsOf(client, appRole);
    const { rows } = await client.query<{ before: string; offset: string }>(`
      select log.xact_offset()::text as before, greatest(
        (select max(xact) from log.head), (select max(xact) from ledger.transfer), (select max(xact) from public.audit), (select max(xact) from public.turn)
      )::text as offset`);
    const before = BigInt(rows[0]?.before ?? '0');
    const offset = BigInt(rows[0]?.offset ?? '0');
    await client.query(
      `create or replace function log.xact_offset() returns bigint language sql stable parallel safe as $$ select ${offset}::bigint $$`,
    );
    const auditId = randomUUID();
    await client.query(
      `insert into public.audit (audit_id, actor_role, actor_id, action, object, detail, request_id) values ($1, 'system', 'migrate', 'log.restore', 'log', $2, $3)`,
      [auditId, JSON.stringify({ offset: String(offset), before: String(before) }), auditId],
    );
    await client.query('commit');
    return true;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

async function isBehind(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ behind: boolean }>('select log.is_behind() as behind');
  return rows[0]?.behind ?? false;
}

async function refuseSessionsOf(client: pg.Client, role: string): Promise<void> {
  const { rows } = await client.query<{ sessions: number }>(
    'select count(*)::integer as sessions from pg_stat_activity where datname = current_database() and usename = $1 and pid <> pg_backend_pid()',
    [role],
  );
  const sessions = rows[0]?.sessions ?? 0;
  if (sessions > 0)
    throw new Error(
      `the village was loaded from a dump, and ${sessions} sessions of the role ${role} are connected. Fix: scale the api to 0 replicas, then run this again (docs/OPERATIONS.md, "Backup and restore")`,
    );
}
