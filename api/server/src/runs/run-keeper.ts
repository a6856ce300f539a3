import { setTimeout as sleep } from 'node:timers/promises';
import type { RunError } from '@hamlet/contract';
import { forgetOldFirings, forgetOldSchedules, inTransaction, readOverdueRuns } from '@hamlet/store';
import type { Db, GivenUp, RunLimits } from '@hamlet/store';
import type { Log } from '../service/log.ts';
import { applyToRun } from './apply-to-run.ts';
import { requeueLook } from './requeue-runs.ts';

const EVERY_MS = 2_000;
const FORGET_EVERY_MS = 60_000;

/** How long the village waits before it ends a run itself. An agent has its pod's grace to end what is cancelled. */
export const RUN_LIMITS: RunLimits = { cancelGraceS: 10, timeLimitS: 86_400, unseenLifeS: 600 };

const ENDS: Readonly<Record<GivenUp, { readonly state: 'failed' | 'cancelled'; readonly message: string }>> = {
  agent_gone: { state: 'failed', message: 'The life of the agent that had this run has ended' },
  cancel_unconfirmed: {
    state: 'cancelled',
    message: 'The agent did not say that it ended this run: what it was doing may have been done',
  },
  time_limit: { state: 'failed', message: 'The run went on for longer than a run may' },
};

/** Ends the runs that nobody else will end. Returns how many. */
export async function endOverdueRuns(db: Db, limits: RunLimits): Promise<number> {
  const overdue = await readOverdueRuns(db, limits);
  for (const { runId, why } of overdue) {
    const { state, message } = ENDS[why];
    const error: RunError = { code: why, message };
    await inTransaction(db, (tx) =>
      applyToRun(tx, runId, {
        command: { kind: 'give_up', state },
        words: { error, detail: { code: why } },
        permit: () => null,
      }),
    );
  }
  return overdue.length;
}

/** Ends overdue runs, lets those wait again whose agents are gone, and forgets what is kept no longer, until it is stopped. Replicas that do it at the same time do no harm. */
export function startRunKeeper({
  db,
  log,
  limits = RUN_LIMITS,
}: {
  readonly db: Db;
  readonly log: Log;
  readonly limits?: RunLimits;
}): { stop(): Promise<void> } {
  const stopping = new AbortController();
  async function every(ms: number, what: string, work: () => Promise<unknown>): Promise<void> {
    while (!stopping.signal.aborted) {
      await sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (!stopping.signal.aborted)
        await work().catch((error: unknown) => log('warn', `${what} waits for the database`, { error }));
    }
  }
  const loops = [
    every(EVERY_MS, 'the end of overdue runs', () => endOverdueRuns(db, limits)),
    every(EVERY_MS, 'the return of lapsed runs', requeueLook(db)),
    every(FORGET_EVERY_MS, 'forgetting of firings', () => forgetOldFirings(db).then(() => forgetOldSchedules(db))),
  ];
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}
