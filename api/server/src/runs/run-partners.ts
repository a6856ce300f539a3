import type { Permission, RunOffer, RunSession } from '@hamlet/contract';
import { formatAiDollars, RUN_PERMISSIONS_MAX } from '@hamlet/contract';
import type { RunRow, Tx } from '@hamlet/store';
import { countPermissions, findChatSession, findOffer, readPermissionsOfRun } from '@hamlet/store';
import { permissionView } from '../permissions/view/permission-view.ts';
import { repositoryOf } from '../sessions/transcript/session-view.ts';

export async function permissionsOfRun(tx: Tx, { runId, sessionId }: RunRow): Promise<readonly Permission[]> {
  const rows = await readPermissionsOfRun(tx, runId, RUN_PERMISSIONS_MAX);
  return rows.map((row) => permissionView(row, sessionId));
}

/** True if a permission of the run is unanswered and has not expired. The caller has locked the run. */
export async function hasPendingPermission(tx: Tx, runId: string): Promise<boolean> {
  return (await countPermissions(tx, runId, 'pending')) > 0;
}

export async function sessionOfRun(tx: Tx, { sessionId }: RunRow): Promise<RunSession | null> {
  const session = sessionId === null ? null : await findChatSession(tx, sessionId);
  if (session === null) return null;
  return { session_id: session.sessionId, people: [...session.people], repository: repositoryOf(session) };
}

export async function openOfferOf(tx: Tx, runId: string): Promise<Pick<RunOffer, 'amount' | 'expires_at'> | null> {
  const offer = await findOffer(tx, runId);
  if (offer === null || offer.state !== 'open') return null;
  return { amount: formatAiDollars(offer.amount), expires_at: offer.expiresAt.toISOString() };
}
