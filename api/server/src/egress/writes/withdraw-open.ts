import { endPermission, type HeldPermission, type RunRow, type Tx } from '@hamlet/store';
import { followPermission } from '../../permissions/follow-permission.ts';

/** Ends a permission that is unanswered or unused, as an event of its run; false if there is none. */
export async function withdrawOpen(
  tx: Tx,
  { run, permission }: { readonly run: RunRow; readonly permission: HeldPermission | null },
): Promise<boolean> {
  if (permission === null || (permission.state !== 'pending' && permission.state !== 'allowed')) return false;
  const withdrawn = await endPermission(tx, permission.permissionId, permission.isOver ? 'expired' : 'withdrawn');
  const event = permission.isOver ? 'permission_expired' : 'permission_answered';
  await followPermission(tx, { run, permission: withdrawn, event });
  return true;
}
