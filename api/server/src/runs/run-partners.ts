import type { Permission, Policy, RunSession } from '@hamlet/contract';
import type { RunRow, Tx } from '@hamlet/store';

/** The rules about the calls of an agent; null if only the API judges them. */
export type PolicyOf = (agentId: string) => Promise<Policy | null>;

/** The permissions of a run, newest first, with the answers of people. */
export async function permissionsOfRun(_tx: Tx, _runId: string): Promise<readonly Permission[]> {
  return [];
}

/** True if a person has not answered a permission of the run, and it has not expired. The caller has locked the run. */
export async function hasPendingPermission(_tx: Tx, _runId: string): Promise<boolean> {
  return false;
}

/** The session whose message the run answers; null for a run of its own. */
export async function sessionOfRun(_tx: Tx, _run: RunRow): Promise<RunSession | null> {
  return null;
}
