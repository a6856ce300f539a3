import type { CallOutcome } from '@hamlet/contract';
import {
  inTransaction,
  lockEffect,
  lockRun,
  readLostEffects,
  settleEffect,
  type Db,
  type LostEffect,
} from '@hamlet/store';
import { isSettled } from '@hamlet/core';
import { actingAs, recordAct } from '../audit/record-act.ts';
import { itemByItem } from '../service/item-by-item.ts';
import { job, type Job } from '../service/jobs.ts';
import type { Log } from '../service/log.ts';

const EVERY_MS = 30_000;
/** Upper bound, in seconds, for a command that is still running when its run ends. */
const LATE_S = 300;

const UNKNOWN: CallOutcome = {
  kind: 'failed',
  code: 'effect_unknown',
  text: 'It is unknown whether the call happened.',
};

/** Settles an effect that began in a run that has ended, with its line in the audit. False if it was settled meanwhile. */
function settleLost(db: Db, { runId, callId }: LostEffect): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const run = await lockRun(tx, runId);
    const effect = await lockEffect(tx, runId, callId);
    if (run === null || effect?.state !== 'begun' || !isSettled(run.state)) return false;
    await settleEffect(tx, effect, UNKNOWN);
    await recordAct(tx, actingAs('system', 'permissions'), {
      action: 'run.call',
      object: run.agentId,
      detail: {
        run_id: runId,
        call_id: callId,
        tool: effect.tool,
        arguments_hash: effect.argumentsHash.toString('hex'),
        outcome: UNKNOWN.kind,
        code: UNKNOWN.code,
        permission_id: effect.permissionId,
        policy_version: effect.policyVersion,
      },
    });
    return true;
  });
}

/**
 * Returns a function that settles the effects whose end was lost with the API or the pod: they began in a run that ended at least `lateS`
 * seconds ago. It returns their number.
 */
export function lostEffects({ db, log }: { readonly db: Db; readonly log: Log }) {
  const each = itemByItem<LostEffect>({
    log,
    message: 'an effect of an ended run was not settled; the API tries to settle it again',
    keyOf: ({ runId, callId }) => `${runId} ${callId}`,
  });
  return async (lateS: number): Promise<number> =>
    each(await readLostEffects(db, lateS), (lost) => settleLost(db, lost));
}

export function lostEffectsJob(ports: { readonly db: Db; readonly log: Log }): Job {
  const settle = lostEffects(ports);
  return job({ name: 'lost-effects', everyMs: EVERY_MS, run: () => settle(LATE_S) });
}
