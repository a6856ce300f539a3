import { endPermission, inTransaction, lockPermission, lockRun, readOverduePermissions, type Db } from '@hamlet/store';
import { actingAs, recordAct } from '../audit/record-act.ts';
import { itemByItem } from '../service/item-by-item.ts';
import { job, type Job } from '../service/jobs.ts';
import type { Log } from '../service/log.ts';
import { followPermission } from './follow-permission.ts';
import { lostEffectsJob } from './lost-effects.ts';

const EVERY_MS = 2_000;

interface Overdue {
  readonly permissionId: string;
  readonly runId: string;
}

/** Ends an open permission that has expired; an expired request is a denial with its own code. False if it ended meanwhile. */
function expire(db: Db, { permissionId, runId }: Overdue): Promise<boolean> {
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

export function permissionJobs(ports: { readonly db: Db; readonly log: Log }): readonly Job[] {
  const { db, log } = ports;
  const each = itemByItem<Overdue>({
    log,
    message: 'an expired permission was not ended; the API retries it',
    keyOf: ({ permissionId }) => permissionId,
  });
  const run = async (): Promise<number> => each(await readOverduePermissions(db), (overdue) => expire(db, overdue));
  return [job({ name: 'permission-expiry', everyMs: EVERY_MS, run }), lostEffectsJob(ports)];
}
