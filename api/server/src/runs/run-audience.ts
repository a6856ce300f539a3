import type { Run } from '@hamlet/contract';
import { findRun, sessionsOfPerson, type Db, type RunRow } from '@hamlet/store';
import type { Actor } from '../http/actor.ts';
import type { Caller } from '../http/handler.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import { runView } from './run-view.ts';
import { openSession } from '../sessions/transcript/session-access.ts';

/** The prompt of a run in a list, if the admin who reads the list is not in its session. */
const VEILED = 'A message of a session of others: open the session to read it.';

/**
 * Reads a run for a request. A run of a session exists only for the readers of the session, and the audit names an admin
 * who is not one of its people.
 */
export async function findShownRun(db: Db, caller: Caller, runId: string): Promise<Outcome<RunRow>> {
  const run = await findRun(db, runId);
  if (run === null) return refused('no_such_run');
  if (run.sessionId === null) return accepted(run);
  const admitted = await openSession(db, caller, run.sessionId);
  return admitted.ok ? accepted(run) : refused('no_such_run');
}

/** Runs of a list, without the texts of those whose session the actor is not in. */
export async function shownRuns(db: Db, actor: Actor, runs: readonly RunRow[]): Promise<readonly Run[]> {
  const sessionIds = runs.map(({ sessionId }) => sessionId).filter((id) => id !== null);
  const own = await sessionsOfPerson(db, actor.id, sessionIds);
  return runs.map((row) => {
    const run = runView(row);
    const isShown = row.sessionId === null || own.has(row.sessionId);
    return isShown ? run : { ...run, prompt: VEILED, summary: null };
  });
}
