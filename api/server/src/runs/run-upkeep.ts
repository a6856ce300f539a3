import { PANICS, RUN_LEASE_S, type PanicCode, type RunError } from '@hamlet/contract';
import { claimLapsed } from '@hamlet/core';
import {
  forgetLife,
  forgetManifests,
  forgetOldFirings,
  forgetOldSchedules,
  inTransaction,
  databaseNow,
  pruneRuns,
  readLivesToForget,
  readOverdueRuns,
  readRunsOverLease,
} from '@hamlet/store';
import type { Db, EndedLife, GivenUp, OverdueRun, RunLimits } from '@hamlet/store';
import { refused } from '../http/outcome.ts';
import { itemByItem } from '../service/item-by-item.ts';
import { job, type Job } from '../service/jobs.ts';
import type { Log } from '../service/log.ts';
import { repeat } from '../service/single-flight.ts';
import { applyToRun } from './apply-to-run.ts';

interface UpkeepPorts {
  readonly db: Db;
  readonly log: Log;
}

const EVERY_MS = 2_000;
const FORGET_EVERY_MS = 60_000;
/** Interval of pruning: until the next one, ended runs beyond the limit stay. */
const PRUNE_EVERY_MS = 300_000;
const LEASE_MS = RUN_LEASE_S * 1_000;

/** Seconds after which the village ends a run itself. `cancelGraceS` equals the grace period of an agent's pod. */
const RUN_LIMITS: RunLimits = {
  cancelGraceS: 10,
  stopGraceS: 300,
  timeGraceS: 300,
  timeLimitS: 86_400,
  unseenLifeS: 600,
};

const ENDS: Readonly<
  Record<Exclude<GivenUp, 'stopped'>, { readonly state: 'failed' | 'cancelled'; readonly message: string }>
> = {
  agent_gone: { state: 'failed', message: "The agent's life ended before this run did" },
  cancel_unconfirmed: {
    state: 'cancelled',
    message: 'The agent did not confirm the end of this run: some of its work may have been done',
  },
  time_limit: { state: 'failed', message: 'The run took longer than its budget of time' },
};

function endOf({ why, stoppedCode }: OverdueRun): { readonly state: 'failed' | 'cancelled'; readonly error: RunError } {
  const code = stoppedCode as PanicCode;
  if (why === 'stopped') return { state: 'failed', error: { code, message: PANICS[code] } };
  const { state, message } = ENDS[why];
  return { state, error: { code: why, message } };
}

async function giveUp(db: Db, overdue: OverdueRun): Promise<boolean> {
  const { runId, why } = overdue;
  const { state, error } = endOf(overdue);
  const outcome = await inTransaction(db, (tx) =>
    applyToRun(tx, runId, {
      command: { kind: 'give_up', state },
      words: { error, detail: { code: why } },
      permit: () => null,
    }),
  );
  return outcome.ok && outcome.data.changed;
}

/** Returns a function that requeues lapsed runs and counts them. Its argument: the time since which this replica has checked without a failure. */
export function requeueing({ db, log }: UpkeepPorts) {
  const each = itemByItem<string>({
    log,
    message: 'a lapsed run was not requeued; the API retries it',
    keyOf: (id) => id,
  });
  return async (attentiveSince: Date): Promise<number> =>
    each(await readRunsOverLease(db), (runId) => requeue(db, runId, attentiveSince.getTime()));
}

async function requeue(db: Db, runId: string, attentiveSinceMs: number): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    // Read the time before the lock: if the agent renews in between, the run counts as renewed.
    const nowMs = (await databaseNow(tx)).getTime();
    const outcome = await applyToRun(tx, runId, {
      command: { kind: 'lapse' },
      words: { detail: { code: 'claim_lapsed' } },
      permit: ({ leaseUntil }) =>
        claimLapsed({ leaseUntilMs: leaseUntil?.getTime() ?? null, attentiveSinceMs, leaseMs: LEASE_MS, nowMs })
          ? null
          : refused('claim_lapsed'),
    });
    return outcome.ok && outcome.data.changed;
  });
}

/**
 * Returns a function that requeues lapsed runs; the caller repeats it. After a failure it waits a full lease again,
 * because the agents could not renew their leases either while Postgres was unreachable.
 */
export function requeueLook(ports: UpkeepPorts): () => Promise<void> {
  const { db } = ports;
  const requeueRuns = requeueing(ports);
  let attentiveSince: Date | null = null;
  return async () => {
    const since = attentiveSince;
    attentiveSince = null;
    const began = since ?? (await databaseNow(db));
    await requeueRuns(began);
    attentiveSince = began;
  };
}

/** Requeues nothing until this replica has checked the leases without a failure for the time of a lease. */
export function startRequeue(ports: UpkeepPorts): () => Promise<void> {
  const { log } = ports;
  return repeat(EVERY_MS, requeueLook(ports), (error) => log('warn', 'lapsed runs could not be requeued', { error }));
}

export function runJobs({ db, log }: UpkeepPorts): readonly Job[] {
  const forget = (): Promise<void> => forgetOldFirings(db).then(() => forgetOldSchedules(db));
  const each = itemByItem<OverdueRun>({
    log,
    message: 'an overdue run was not ended; the API retries it',
    keyOf: ({ runId }) => runId,
  });
  const endOverdue = async (): Promise<number> =>
    each(await readOverdueRuns(db, RUN_LIMITS), (overdue) => giveUp(db, overdue));
  const eachLife = itemByItem<EndedLife>({
    log,
    message: 'an ended life was not forgotten; the API retries it',
    keyOf: ({ uid }) => uid,
  });
  const forgetRuns = async (): Promise<void> => {
    await pruneRuns(db);
    await eachLife(await readLivesToForget(db), (life) => forgetLife(db, life));
    await forgetManifests(db);
  };
  return [
    job({ name: 'overdue-runs', everyMs: EVERY_MS, run: endOverdue }),
    job({ name: 'firing-retention', everyMs: FORGET_EVERY_MS, run: forget }),
    job({ name: 'run-retention', everyMs: PRUNE_EVERY_MS, run: forgetRuns }),
  ];
}
