import { formatAiDollars, type RunBudgets } from '@hamlet/contract';
import { decideRaise, isSettled, type RaiseFacts } from '@hamlet/core';
import {
  databaseNow,
  findOffer,
  findRun,
  lockRun,
  raiseBudgets,
  readRunEvents,
  readRuns,
  readRunLeft,
  readWorkerUse,
} from '@hamlet/store';
import type { RunFilter, RunRow, Tx } from '@hamlet/store';
import { recordAct } from '../audit/record-act.ts';
import type { Actor } from '../http/actor.ts';
import { inTx, plain, type Handlers } from '../http/handler.ts';
import { accepted, refused, type Refused } from '../http/outcome.ts';
import { pageCursor, paged } from '../http/page-cursor.ts';
import { z } from 'zod';
import { findShownRun, isRunOfReader, shownRuns, shownRunView } from './audience/run-audience.ts';
import { applyToRun } from './apply-to-run.ts';
import { createRun } from './creation/create-run.ts';
import { isOwn } from './creation/new-run.ts';
import { rerunRun } from './creation/rerun-run.ts';
import { budgetsFor } from './work-limits.ts';
import { shownOutput } from './output/output-of-run.ts';
import { ownUsage } from './workers/add-worker.ts';
import { resumeAfter } from './run-streams.ts';
import { runEventView, runView, withoutInputs } from './run-view.ts';
import { veiledEvent } from './audience/veil.ts';
import { offerView, seesReason } from '../money/offers/run-offers.ts';
import type { Village } from '../village.ts';

const cursor = pageCursor(z.uuid());

function mayCancel(actor: Actor, run: RunRow): Refused | null {
  return actor.role === 'admin' || isOwn(actor, run)
    ? null
    : refused('forbidden', 'Members may cancel only runs that they created');
}

const LIMIT_NAMES = { steps: 'steps', tokens: 'tokens', money: 'aiDollars', timeMs: 'milliseconds of work' } as const;

function raiseRun({ limits }: Village): Handlers['raiseRun'] {
  return inTx(async (request, tx) => {
    const { params, body, actor } = request;
    const run = await lockRun(tx, params.run_id);
    if (run === null || !(await isRunOfReader(tx, actor, run))) return refused('no_such_run');
    const refusal = mayRaise(actor, run);
    if (refusal !== null) return refusal;
    const budgets = run.budgets as RunBudgets | null;
    if (budgets === null)
      return refused('run_not_started', 'The run gets its limits when it first starts: wait until then');
    const verdict = decideRaise(
      { budgets, used: await usedWithWorkers(tx, run), fresh: await budgetsFor(tx, limits, run.agentId) },
      body.budgets,
    );
    if (verdict.kind === 'too_high')
      return refused('budget_too_high', `The run may have at most ${verdict.most} ${LIMIT_NAMES[verdict.limit]} now`);
    const by = { role: actor.role, id: actor.id };
    const raised = verdict.kind === 'same' ? run : await raiseBudgets(tx, run, { budgets: verdict.budgets, by });
    if (verdict.kind === 'raised')
      await recordAct(tx, request, { action: 'run.raise', object: run.runId, detail: { budgets: verdict.budgets } });
    const [shown = runView(raised)] = await shownRuns(tx, actor, [raised]);
    return accepted({ run: shown });
  });
}

function mayRaise(actor: Actor, run: RunRow): Refused | null {
  if (actor.role !== 'admin' && !isOwn(actor, run))
    return refused('forbidden', 'Members may raise the limits only of runs that they created');
  if (isSettled(run.state)) return refused('run_settled', `The run is ${run.state}: create another one`);
  return run.parentRunId === null
    ? null
    : refused('budget_too_high', `A worker has a share of the limits of its parent ${run.parentRunId}: raise those`);
}

/** The steps of a run as the gateway counts them, which also counts requests. */
async function countedSteps(tx: Tx, { agentId, agentUid, runId, budgets, steps }: RunRow): Promise<number> {
  const counted = await readRunLeft(tx, { agentId, agentUid, runId });
  const isOfRun = counted?.runId === runId && counted.left !== null;
  return isOfRun ? Math.floor((budgets as RunBudgets).steps - counted.left.steps) : steps;
}

/** The use of the limits of a run by itself and its workers. */
async function usedWithWorkers(tx: Tx, run: RunRow): Promise<RaiseFacts['used']> {
  const workers = await readWorkerUse(tx, run.runId);
  const { tokens, costMicros } = ownUsage(run);
  const { workingSince } = run;
  const nowMs = (await databaseNow(tx)).getTime();
  return {
    steps: await countedSteps(tx, run),
    tokens: tokens + workers.tokens,
    money: formatAiDollars(BigInt(costMicros + workers.costMicros)),
    timeMs: run.workedMs + (workingSince === null ? 0 : Math.max(0, nowMs - workingSince.getTime())),
  };
}

function cancelRun(): Handlers['cancelRun'] {
  return inTx(async (request, tx) => {
    const { params, body, actor } = request;
    const asked = await findRun(tx, params.run_id);
    if (asked === null || !(await isRunOfReader(tx, actor, asked))) return refused('no_such_run');
    const detail = {
      by: { role: actor.role, id: actor.id },
      ...(body.reason === undefined ? {} : { reason: body.reason }),
    };
    const outcome = await applyToRun(tx, params.run_id, {
      command: { kind: 'cancel' },
      words: { detail },
      permit: (run) => mayCancel(actor, run),
    });
    if (!outcome.ok) return outcome;
    if (outcome.data.changed)
      await recordAct(tx, request, {
        action: 'run.cancel',
        object: params.run_id,
        detail: { reason: body.reason ?? null },
      });
    const [run = runView(outcome.data.run)] = await shownRuns(tx, actor, [outcome.data.run]);
    return accepted({ run });
  });
}

export function runHandlers(village: Village) {
  const { db } = village;
  return {
    createRun: createRun(village),
    rerunRun: rerunRun(village),
    listRuns: plain(async ({ query, actor }) => {
      const personId = actor.role === 'admin' ? undefined : actor.id;
      const filter: RunFilter = { agentId: query.agent_id, schedule: query.schedule, state: query.state, personId };
      return paged(cursor, { ...query, personId, list: 'runs' }, async (page) => {
        const { runs, next } = await readRuns(db, filter, page);
        return { runs: (await shownRuns(db, actor, runs)).map(withoutInputs), next };
      });
    }),
    getRun: plain(async (request) => {
      const found = await findShownRun(db, request, request.params.run_id);
      if (!found.ok) return found;
      const offer = await findOffer(db, request.params.run_id);
      const shown = offer === null ? null : offerView(offer, seesReason(request.actor, offer));
      return accepted({ run: shownRunView(found.data), offer: shown, ...(await shownOutput(db, found.data)) });
    }),
    listRunEvents: plain(async (request) => {
      const { params, query } = request;
      const found = await findShownRun(db, request, params.run_id);
      if (!found.ok) return found;
      const events = await readRunEvents(db, params.run_id, query);
      const shown = events.map((event) => runEventView(params.run_id, event));
      return accepted({ events: found.data.veiled ? shown.map(veiledEvent) : shown });
    }),
    streamRun: {
      kind: 'stream',
      open: async (request, sink) => {
        const { params, query, headers, actor } = request;
        const found = await findShownRun(db, request, params.run_id);
        if (!found.ok) return found;
        const { row, veiled } = found.data;
        const wanted = { runId: row.runId, after: resumeAfter(headers, query.after), actor, veiled };
        return village.runStreams.open(wanted, sink);
      },
    },
    raiseRun: raiseRun(village),
    cancelRun: cancelRun(),
  } satisfies Partial<Handlers>;
}
