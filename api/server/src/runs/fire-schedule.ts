import { FIRING_EARLY_MS, RUNS_WAITING_MAX, type FiredRun, type FiringBody, type RunWorkflow } from '@hamlet/contract';
import { planFiring, type FiringPlan } from '@hamlet/core';
import type { Fence, FiringRow, RunRow, Tx } from '@hamlet/store';
import {
  announceSchedule,
  countWaiting,
  findFiring,
  hintAgents,
  lockFence,
  lockRunsOfSchedule,
  lockSchedule,
  lockWorkersBelow,
  inTransaction,
  insertFiring,
  insertRuns,
  isScheduleAuthorBarred,
  noteFence,
  pruneScheduleRuns,
  readBars,
  databaseNow,
  readFreeze,
} from '@hamlet/store';
import { staleFence, fenceOf } from '../operator/operator-fence.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import { applyToHeldRun } from './apply-to-run.ts';
import { barsRuns } from './work-limits.ts';
import { manifestsOfFiring } from './workflow/firing-manifests.ts';
import type { Village } from '../village.ts';
import { plain, type Handlers } from '../http/handler.ts';

export function firingHandlers(village: Village): Pick<Handlers, 'fireSchedule'> {
  return {
    fireSchedule: plain(async ({ headers, body }) => {
      const fence = fenceOf(headers);
      if (!fence.ok) return fence;
      const outcome = await fireSchedule(village, body, fence.data);
      if (!outcome.ok) return outcome;
      const { firing, claimed, now } = outcome.data;
      return accepted({
        firing_id: firing.firingId,
        slot: firing.slot.toISOString(),
        claimed,
        runs: [...firing.runs],
        now: now.toISOString(),
      });
    }),
  };
}

/** A firing. `claimed` is true if this request was the first for its slot. */
export interface Fired {
  readonly firing: FiringRow;
  readonly claimed: boolean;
  readonly now: Date;
}

/** Uses the database's clock. Returns the earlier firing if the slot has fired. */
export async function fireSchedule(village: Village, body: FiringBody, fence: Fence): Promise<Outcome<Fired>> {
  const { db, source } = village;
  await noteFence(db, fence);
  const work = await workOf(village, body);
  return inTransaction(db, async (tx) => {
    if (!(await lockFence(tx, fence))) return staleFence(fence);
    if ((await readFreeze(tx)) !== null) return refused('village_frozen');
    const slot = new Date(body.slot);
    const now = await databaseNow(tx);
    const earlyMs = slot.getTime() - now.getTime();
    if (earlyMs > FIRING_EARLY_MS)
      return refused(
        'firing_too_early',
        `The slot is in the future: the clock of the village says ${now.toISOString()}`,
        Math.ceil(earlyMs / 1_000),
      );
    const { prunedThrough } = await lockSchedule(tx, {
      uid: body.schedule_uid,
      name: body.schedule,
      historyLimit: body.history_limit,
    });
    const before = await findFiring(tx, body.schedule_uid, slot);
    if (before !== null) return accepted({ firing: before, claimed: false, now });
    if (prunedThrough !== null && slot <= prunedThrough)
      return refused('firing_forgotten', `Slots up to ${prunedThrough.toISOString()} have fired or were skipped`);
    const firing = await claim(tx, source, { ...body, slot, fence, work });
    return accepted({ firing, claimed: true, now });
  });
}

/** The workflow that a firing starts by agent; null if the agents answer the prompt. */
type WorkOfFiring = ((agentId: string) => RunWorkflow | undefined) | null;
type Claim = Omit<FiringBody, 'slot'> & { readonly slot: Date; readonly fence: Fence; readonly work: WorkOfFiring };

/** Reads manifests before the transaction, which then waits for nothing outside of the database. */
async function workOf(village: Village, { agents, workflow }: FiringBody): Promise<WorkOfFiring> {
  if (workflow === undefined) return null;
  const hashes = await manifestsOfFiring(village, agents);
  return (agentId) => {
    const manifests = hashes.get(agentId);
    return manifests === undefined ? undefined : { ...workflow, manifests };
  };
}

async function claim(tx: Tx, source: Village['source'], body: Claim): Promise<FiringRow> {
  const waiting = await countWaiting(tx, body.agents);
  const underWay = await lockRunsOfSchedule(tx, body.schedule_uid);
  const bars = await readBars(tx, body.agents);
  // If the author of a schedule is barred, its firing claims the slot but creates no runs.
  const authorIsBarred = await isScheduleAuthorBarred(tx, body.schedule_uid);
  const plan = planFiring({
    agents: body.agents,
    overlap: body.overlap,
    isKnown: (agentId) => source.get(agentId)?.deleting === false,
    isBarred: (agentId) => authorIsBarred || barsRuns(bars.get(agentId)),
    hasWork: (agentId) => body.work === null || body.work(agentId) !== undefined,
    underWay,
    waitingFor: (agentId) => waiting.get(agentId) ?? 0,
    waitingMax: RUNS_WAITING_MAX,
  });
  await giveWay(tx, underWay, plan);
  const made = await makeRuns(tx, source, { body, plan });
  const last = made.at(-1);
  const firing = await insertFiring(tx, {
    scheduleUid: body.schedule_uid,
    slot: body.slot,
    fence: body.fence,
    madeUp: body.made_up,
    runs: firedRuns(plan, made),
    lastRun: last === undefined ? null : { runId: last.runId, createdAt: last.createdAt },
  });
  await pruneScheduleRuns(tx, body.schedule_uid, body.history_limit);
  await announceSchedule(tx, body.schedule_uid);
  return firing;
}

async function giveWay(tx: Tx, underWay: readonly RunRow[], plan: FiringPlan): Promise<void> {
  const leaving = new Set(plan.cancel.map(({ runId }) => runId));
  const runs = underWay.filter(({ runId }) => leaving.has(runId));
  await lockWorkersBelow(tx, [...leaving]);
  for (const run of runs)
    await applyToHeldRun(tx, run, { command: { kind: 'cancel' }, words: { detail: { reason: 'replaced' } } });
  await hintAgents(
    tx,
    runs.map(({ agentId }) => agentId),
  );
}

async function makeRuns(
  tx: Tx,
  source: Village['source'],
  { body, plan }: { readonly body: Claim; readonly plan: FiringPlan },
): Promise<readonly RunRow[]> {
  const { schedule_uid: uid, schedule: name, slot, prompt, work } = body;
  const schedule = { uid, name, slot };
  return insertRuns(
    tx,
    plan.agents.flatMap(({ agentId, runs }) => {
      const agentUid = source.get(agentId)?.uid;
      return runs && agentUid !== undefined
        ? [
            {
              agentId,
              agentUid,
              kind: 'schedule' as const,
              prompt,
              createdByRole: 'schedule',
              createdById: name,
              schedule,
              workflow: work?.(agentId),
            },
          ]
        : [];
    }),
  );
}

function firedRuns(plan: FiringPlan, made: readonly RunRow[]): readonly FiredRun[] {
  const runOf = new Map(made.map(({ agentId, runId }) => [agentId, runId]));
  return plan.agents.map(({ agentId, outcome }) => ({
    agent_id: agentId,
    run_id: runOf.get(agentId) ?? null,
    outcome,
  }));
}
