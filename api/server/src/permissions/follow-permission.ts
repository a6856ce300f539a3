import { countPermissions, hintAgents, noteRunEvent, type PermissionRow, type RunRow, type Tx } from '@hamlet/store';
import { applyToHeldRun } from '../runs/apply-to-run.ts';

/**
 * Handles the end of a permission in its transaction, under the lock of the run: records it as an event of the run,
 * requeues the run if it waited only for this, and notifies the agent. Call it last in the transaction.
 */
export async function followPermission(
  tx: Tx,
  ended: {
    readonly run: RunRow;
    readonly permission: PermissionRow;
    readonly event: 'permission_answered' | 'permission_expired';
  },
): Promise<void> {
  const { permission, event } = ended;
  const { permissionId: permission_id, callId: call_id, tool, state, answer } = permission;
  const run = await noteRunEvent(tx, ended.run, { event, detail: { permission_id, call_id, tool, state, answer } });
  if (run.state === 'waiting_permission' && (await countPermissions(tx, run.runId, 'pending')) === 0)
    await applyToHeldRun(tx, run, { command: { kind: 'resume' }, words: { detail: { permission_id } } });
  await hintAgents(tx, [run.agentId]);
}
