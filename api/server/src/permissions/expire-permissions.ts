import { endPermission, inTransaction, lockPermission, lockRun, readOverduePermissions, type Db } from '@hamlet/store';
import { actingAs, recordAct } from '../audit/record-act.ts';
import { job, type Job } from '../service/jobs.ts';
import { followPermission } from './follow-permission.ts';

const EVERY_MS = 2_000;

/** Ends open permissions that have expired; an expired request is a denial with its own code. Returns their number. */
async function expirePermissions(db: Db): Promise<number> {
  let expired = 0;
  for (const overdue of await readOverduePermissions(db)) if (await expire(db, overdue)) expired += 1;
  return expired;
}

function expire(
  db: Db,
  { permissionId, runId }: { readonly permissionId: string; readonly runId: string },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const run = await lockRun(tx, runId);
    const held = await lockPermission(tx, permissionId);
    if (run === null || held === null || !held.isOver) return false;
    if (held.state !== 'pending' && held.state !== 'allowed') return false;
    const permission = await endPermission(tx, permissionId, 'expired');
    await recordAct(tx, actingAs('system', 'permissions'), {
      action: 'permission.expire',
      object: run.agentId,
      detail: { permission_id: permissionId, run_id: runId, call_id: held.callId, tool: held.tool },
    });
    await followPermission(tx, { run, permission, event: 'permission_expired' });
    return true;
  });
}

export function permissionJobs(db: Db): readonly Job[] {
  return [job({ name: 'permission-expiry', everyMs: EVERY_MS, run: () => expirePermissions(db) })];
}
