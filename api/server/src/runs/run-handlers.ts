import {
  formatAiDollars,
  RUNS_WAITING_MAX,
  type createRun as createRunRoute,
  type Run,
  type RunBudgets,
  type RunOffer,
} from '@hamlet/contract';
import { continuedPrompt, decideRaise, isSettled, type RaiseFacts } from '@hamlet/core';
import {
  countWaiting,
  databaseNow,
  findOffer,
  findRun,
  inSavepoint,
  insertRuns,
  lockRun,
  raiseBudgets,
  readBars,
  readRunEvents,
  readRuns,
  readRunLeft,
  readWorkerUse,
  taintByEarlierRun,
} from '@hamlet/store';
import type { RunFilter, RunRow, Tx } from '@hamlet/store';
import { recordAct } from '../audit/record-act.ts';
import type { Actor } from '../http/actor.ts';
import { inTx, plain, type Handlers, type RequestOf } from '../http/handler.ts';
import { accepted, refused, type Outcome, type Refused } from '../http/outcome.ts';
import { pageCursor, paged } from '../http/page-cursor.ts';
import { z } from 'zod';
import { findShownRun, isRunOfReader, shownRuns, shownRunView } from './audience/run-audience.ts';
import { applyToRun } from './apply-to-run.ts';
import { barsRuns, budgetsFor } from './work-limits.ts';
import { keepSchema, schemaOfNewRun, shownOutput } from './output/output-of-run.ts';
import { ownUsage } from './workers/begin-worker.ts';
import { resumeAfter } from './run-streams.ts';
import { runEventView, runView } from './run-view.ts';
import { veiledEvent } from './audience/veil.ts';
import { offerView, seesReason } from '../money/offers/run-offers.ts';
import type { Village } from '../village.ts';

const cursor = pageCursor(z.uuid());

const isOwn = (actor: Actor, run: RunRow): boolean => run.createdByRole === actor.role && run.createdById === actor.id;

function mayCancel(actor: Actor, run: RunRow): Refused | null {
  return actor.role === 'admin' || isOwn(actor, run)
    ? null
    : refused('forbidden', 'Members may cancel only runs that they created');
}

type Created = { readonly run: Run; readonly offer: RunOffer | null };
type Creating = RequestOf<typeof createRunRoute>;

function createRun(village: Village): Handlers['createRun'] {
  return inTx(async (request, tx): Promise<Outcome<Created>> => {
    const { agent_id: agentId } = request.params;
    const record = village.source.get(agentId);
    if (record === null || record.deleting) return refused('no_such_agent', `There is no agent ${agentId}`);
    const bar = (await readBars(tx, [agentId])).get(agentId);
    if (barsRuns(bar)) return refused('agent_barred', `A measure of an admin bars ${agentId}: ${bar?.measure}`);
    const waiting = (await countWaiting(tx, [agentId])).get(agentId) ?? 0;
    if (waiting >= RUNS_WAITING_MAX)
      return refused('run_queue_full', `${waiting} runs already wait for ${agentId}: cancel one`);
    const earlier = await earlierRun(tx, request);
    if (!earlier.ok) return earlier;
    const schema = await schemaOfNewRun(tx, request.body, earlier.data);
    if (!schema.ok) return schema;
    const parts = { uid: record.uid, earlier: earlier.data, schema: schema.data, placeOffer: village.placeOffer };
    // A run whose offer is refused is not created.
    return inSavepoint(tx, () => createWithOffer(tx, request, parts));
  });
}

/** The ended run that a new one continues; null for new work. */
async function earlierRun(tx: Tx, { actor, body, params }: Creating): Promise<Outcome<RunRow | null>> {
  if (body.continues === undefined) return accepted(null);
  const run = await findRun(tx, body.continues);
  if (run === null || run.agentId !== params.agent_id || !(await isRunOfReader(tx, actor, run)))
    return refused('no_such_run');
  if (actor.role !== 'admin' && !isOwn(actor, run))
    return refused('forbidden', 'Members may continue only runs that they created');
  // The words of a conversation are for its people alone, and those of a run for other readers too.
  if (run.sessionId !== null)
    return refused('validation_failed', 'body.continues: send a message to the conversation of this run instead');
  return isSettled(run.state) ? accepted(run) : refused('run_under_way');
}

const promptOf = ({ prompt: words }: Creating['body'], earlier: RunRow | null): string =>
  earlier === null ? words : continuedPrompt(words, { ...earlier, report: earlier.summary ?? '' });

type CreateParts = Pick<Village, 'placeOffer'> & {
  readonly uid: string;
  readonly earlier: RunRow | null;
  readonly schema: string | null;
};

async function createWithOffer(
  tx: Tx,
  request: Creating,
  { uid, earlier, schema, placeOffer }: CreateParts,
): Promise<Outcome<Created>> {
  const { actor, body, params } = request;
  const by = { createdByRole: actor.role, createdById: actor.id };
  const asked = {
    agentId: params.agent_id,
    agentUid: uid,
    kind: 'prompt',
    prompt: promptOf(body, earlier),
    safeMode: body.safe_mode ?? earlier?.safeMode,
    schedule: null,
  } as const;
  const [run] = await insertRuns(tx, [{ ...asked, ...by }]);
  if (run === undefined) throw new Error('the database returned no run');
  await keepSchema(tx, run, schema);
  if (earlier !== null) await taintByEarlierRun(tx, run, earlier.runId);
  const { safe_mode, continues } = body;
  await recordAct(tx, request, {
    action: 'run.create',
    object: params.agent_id,
    detail: { run_id: run.runId, ...(safe_mode && { safe_mode }), ...(continues && { continues }) },
  });
  if (body.offer === undefined) return accepted({ run: runView(run), offer: null });
  const { amount, expires_in_hours: expiresInHours } = body.offer;
  const placed = await placeOffer(tx, run, { ...request, amount, expiresInHours });
  return placed.ok ? accepted({ run: runView(run), offer: placed.data }) : placed;
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
    if (budgets === null) return refused('run_not_started', 'The run has its limits from its first start: wait for it');
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
    listRuns: plain(async ({ query, actor }) => {
      const personId = actor.role === 'admin' ? undefined : actor.id;
      const filter: RunFilter = { agentId: query.agent_id, schedule: query.schedule, state: query.state, personId };
      return paged(cursor, { ...query, personId, list: 'runs' }, async (page) => {
        const { runs, next } = await readRuns(db, filter, page);
        return { runs: [...(await shownRuns(db, actor, runs))], next };
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
