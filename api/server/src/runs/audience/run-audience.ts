import type { Run } from '@hamlet/contract';
import { findRun, sessionsOfPerson, type Db, type RunRow } from '@hamlet/store';
import type { Actor } from '../../http/actor.ts';
import type { Caller } from '../../http/handler.ts';
import { accepted, refused, type Outcome } from '../../http/outcome.ts';
import { runView } from '../run-view.ts';
import { openSession } from '../../sessions/transcript/session-access.ts';
import { seesTexts, veiledRun } from './veil.ts';

/** A run for a reader. `veiled`: the reader sees state, cost and times, but no texts. */
export interface ShownRun {
  readonly row: RunRow;
  readonly veiled: boolean;
}

/**
 * Reads a run for a request. A run of a session exists only for the readers of the session; an admin who is not one of
 * its people is audited. The texts of other runs are for their person and admins.
 */
export async function findShownRun(db: Db, caller: Caller, runId: string): Promise<Outcome<ShownRun>> {
  const row = await findRun(db, runId);
  if (row === null) return refused('no_such_run');
  if (row.sessionId === null) return accepted({ row, veiled: !seesTexts(caller.actor, row, false) });
  const admitted = await openSession(db, caller, row.sessionId);
  return admitted.ok ? accepted({ row, veiled: false }) : refused('no_such_run');
}

/** False for a run of a session that the person is not in. Admins read every run. */
export async function isRunOfReader(db: Db, actor: Actor, { sessionId }: Pick<RunRow, 'sessionId'>): Promise<boolean> {
  if (actor.role !== 'member' || sessionId === null) return true;
  return (await sessionsOfPerson(db, actor.id, [sessionId])).size > 0;
}

export function shownRunView({ row, veiled }: ShownRun): Run {
  const run = runView(row);
  return veiled ? veiledRun(run) : run;
}

export async function shownRuns(db: Db, actor: Actor, runs: readonly RunRow[]): Promise<readonly Run[]> {
  const sessionIds = runs.map(({ sessionId }) => sessionId).filter((id) => id !== null);
  const own = await sessionsOfPerson(db, actor.id, sessionIds);
  return runs.map((row) => {
    const inSession = row.sessionId !== null && own.has(row.sessionId);
    return shownRunView({ row, veiled: !seesTexts(actor, row, inSession) });
  });
}
