import {
  PANICS,
  parseAiDollars,
  type CallInput,
  type ManifestFiles,
  type PanicCode,
  type RunBudgets,
  type RunFile,
  type RunLane,
  type RunStep,
} from '@hamlet/contract';
import type { settleRun as settleRunRoute } from '@hamlet/contract';
import { didNothing, type UnfitCode } from '@hamlet/core';
import {
  countEffects,
  databaseNow,
  endQuotaParks,
  findQuotaPark,
  findRun,
  findStep,
  inTransaction,
  listRunFiles,
  lockRun,
  markMemories,
  nameMind,
  readForgotten,
  readFreeze,
  readManifestFiles,
  QUOTA_PARK,
  readNextRun,
  readRunFileContent,
  readParks,
  readRunSteps,
  refuseSessionTurn,
  storeOutput,
  taintByConversation,
  taintWorker,
} from '@hamlet/store';
import type { RunRow, RunUsageClaim, Tx } from '@hamlet/store';
import type { AgentActor } from '../http/actor.ts';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted, refused, type Refused } from '../http/outcome.ts';
import type { Allowance } from '../limits/agent-limits.ts';
import { applyToHeldRun, applyToRun } from './apply-to-run.ts';
import { hasPendingPermission, openOfferOf, permissionsOfRun, sessionOfRun } from './run-partners.ts';
import { outputOf, schemaForAgent } from './output/output-of-run.ts';
import { workPlaceOf } from './repository/work-place.ts';
import { budgetsFor, refuseTooMany } from './work-limits.ts';
import { runView } from './run-view.ts';
import type { Village } from '../village.ts';

/** Upper bound for a reported cost. */
const COST_MAX_MICROS = 1e15;

type SettleBody = CallInput<typeof settleRunRoute>['body'];
type RunUsageBody = NonNullable<SettleBody['usage']>;

export function permitWork(actor: AgentActor, cycle: number): (run: RunRow) => Refused | null {
  return (run) => {
    if (run.agentId !== actor.agentId)
      return refused('not_own_agent', `This token belongs to ${actor.agentId}: use a token of the run's agent`);
    if (run.agentUid !== actor.uid) return refused('no_such_run', 'The run was given to an earlier life of the agent');
    return cycle === actor.cycle
      ? null
      : refused('stale_cycle', `This token belongs to cycle ${actor.cycle}, not to cycle ${cycle}`);
  };
}

function settleRun({ db }: Village): Handlers['settleRun'] {
  return plain(({ params, body, actor }) =>
    inTransaction(db, async (tx) => {
      const { cycle, attempt, summary, answer, usage, unsettled } = body;
      const run = await lockRun(tx, params.run_id);
      if (run === null) return refused('no_such_run');
      const permit = permitWork(actor, cycle);
      const denied = permit(run);
      if (denied !== null) return denied;
      const end = await judgedEnd(tx, run, body);
      const words = {
        summary,
        error: end.error,
        detail: { cycle },
        answer,
        unsettled,
        claimed: usage === undefined ? undefined : claimedOf(usage),
        unfit: end.why,
      };
      const outcome = await applyToRun(tx, params.run_id, {
        command: { kind: 'settle', cycle, attempt, state: end.state, unfit: end.unfit },
        words,
        permit,
      });
      if (!outcome.ok) return outcome;
      const { run: ended, changed } = outcome.data;
      if (changed && end.output !== undefined) await storeOutput(tx, ended.runId, end.output);
      return accepted({ run: runView(ended) });
    }),
  );
}

/** The end of a run. `unfit`: why the API fails a run that its agent reports as done. `output`: the output to store with a done run. */
type JudgedEnd = End & { readonly unfit: UnfitCode | null; readonly why?: string; readonly output?: string };

async function judgedEnd(tx: Tx, run: RunRow, { state, error, answer, output }: SettleBody): Promise<JudgedEnd> {
  const end = endOf(run, { state, error });
  if (end.state !== 'done') return { ...end, unfit: null };
  const given = await outputOf(tx, run.runId, output);
  if (given === null) return { ...end, unfit: await nothingDone(tx, run, answer) };
  return given.fits
    ? { ...end, unfit: null, output: given.json }
    : { ...end, unfit: 'output_not_valid', why: given.why };
}

async function nothingDone(tx: Tx, run: RunRow, answer?: string): Promise<UnfitCode | null> {
  const { runId, kind, runtime, workflow } = run;
  // The stages of a workflow may only compute.
  if (workflow !== null) return null;
  const effects = await countEffects(tx, runId);
  return didNothing({ kind, runtime, answer, effects }) ? 'run_did_nothing' : null;
}

type End = Pick<SettleBody, 'state' | 'error'>;

/** How a run ends: as its agent says, but a run whose calls the panic button stopped fails with that code. */
function endOf({ stoppedCode }: RunRow, { state, error }: End): End {
  if (stoppedCode !== null && state !== 'cancelled')
    return { state: 'failed', error: { code: stoppedCode, message: PANICS[stoppedCode as PanicCode] } };
  if (state === 'done') return { state, error: undefined };
  const unnamed = state === 'failed' ? { code: 'failed', message: 'The agent gave no reason' } : undefined;
  return { state, error: error ?? unnamed };
}

function claimedOf({ steps, tokens, cost }: RunUsageBody): RunUsageClaim {
  const micros = Number(parseAiDollars(cost));
  return { steps, tokens, costMicros: Math.min(COST_MAX_MICROS, Math.max(0, micros)) };
}

function startRun({ db, limits, policyOfRun, source }: Village): Handlers['startRun'] {
  return plain(({ params, body: { cycle, runtime, mind }, actor }) =>
    inTransaction(db, async (tx) => {
      const asked = await findRun(tx, params.run_id);
      // A worker counts as part of its parent run.
      const tooMany =
        asked?.kind === 'worker' ? null : await refuseTooMany(tx, limits, { actor, runId: params.run_id });
      if (tooMany !== null) return tooMany;
      const held = await refuseSessionTurn(tx, params.run_id, actor.agentId);
      if (held !== null) return refused(held);
      const budgets = await budgetsFor(tx, limits, actor.agentId);
      const outcome = await applyToRun(tx, params.run_id, {
        command: { kind: 'start', cycle, isParked: await isParked(tx, await lockRun(tx, params.run_id)) },
        words: { detail: { cycle, mind }, budgets, runtime, mind },
        permit: permitWork(actor, cycle),
      });
      if (!outcome.ok) return outcome;
      const { run } = outcome.data;
      if (run.state === 'failed') return refused('run_settled', run.errorMessage ?? undefined);
      await taintAtStart(tx, run);
      return accepted({
        run: runView(run),
        steps: [...(await readRunSteps(tx, run.runId))],
        permissions: [...(await permissionsOfRun(tx, run))],
        policy: policyOfRun(run),
        budgets: run.budgets === null ? budgets : (run.budgets as RunBudgets),
        // A worker gets only its prompt.
        session: run.kind === 'worker' ? null : await sessionOfRun(tx, run),
        ...(await workPlaceOf(tx, run, source.get(run.agentId))),
        offer: await openOfferOf(tx, run.runId),
        ...(await filesOf(tx, run)),
        ...(await schemaForAgent(tx, run)),
        ...(await manifestsOf(tx, run)),
      });
    }),
  );
}

/** The agent of a stage reads what its task has by now, even from stages that ended after the worker was created. */
async function taintAtStart(tx: Tx, run: RunRow): Promise<void> {
  await taintByConversation(tx, run);
  if (run.stage !== null) await taintWorker(tx, run);
}

async function filesOf(tx: Tx, { kind, runId }: RunRow): Promise<{ readonly files?: RunFile[] }> {
  const files = kind === 'message' ? await listRunFiles(tx, runId) : [];
  return files.length === 0 ? {} : { files: files.map(({ path, sha256 }) => ({ path, sha256: sha256.toHex() })) };
}

async function manifestsOf(tx: Tx, { manifests }: RunRow): Promise<{ readonly manifests?: ManifestFiles }> {
  return manifests === null ? {} : { manifests: await readManifestFiles(tx, manifests) };
}

async function isParked(tx: Tx, run: RunRow | null): Promise<boolean> {
  const until = run?.parkedUntil ?? null;
  return until !== null && until > (await databaseNow(tx));
}

/** Locks the run before it looks for pending permissions, so that no answer comes in between. */
function waitRun({ db }: Village): Handlers['waitRun'] {
  return plain(({ params, body: { cycle, attempt }, actor }) =>
    inTransaction(db, async (tx) => {
      const held = await lockRun(tx, params.run_id);
      if (held === null) return refused('no_such_run');
      const pending = await hasPendingPermission(tx, held.runId);
      const outcome = await applyToRun(tx, params.run_id, {
        command: { kind: 'wait', cycle, attempt, pending },
        words: { detail: { cycle } },
        permit: permitWork(actor, cycle),
      });
      if (!outcome.ok) return outcome;
      const { run } = outcome.data;
      return accepted({ run: runView(run), permissions: [...(await permissionsOfRun(tx, run))] });
    }),
  );
}

function parkRun({ db, limits }: Village): Handlers['parkRun'] {
  return plain(({ params, body: { cycle, attempt, code, wait_ms: waitMs }, actor }) =>
    inTransaction(db, async (tx) => {
      const { count, totalMs } = await readParks(tx, params.run_id);
      const quota = code === QUOTA_PARK ? { quota: tokensOf(await limits.of(actor.agentId, tx)) } : {};
      const outcome = await applyToRun(tx, params.run_id, {
        command: { kind: 'park', cycle, attempt, parks: { count: count + 1, totalMs: totalMs + waitMs } },
        words: { parked: { code, waitMs }, detail: { cycle, code, wait_ms: waitMs, ...quota } },
        permit: permitWork(actor, cycle),
      });
      return outcome.ok ? accepted({ run: runView(outcome.data.run) }) : outcome;
    }),
  );
}

const tokensOf = (allowance: Allowance | null): number => allowance?.limits.tokens_per_hour ?? 0;

/**
 * The next run of an agent. If the agent has more tokens an hour than when a run parked for lack of them, that run
 * continues.
 */
async function nextOf({ db, limits }: Village, { agentId, uid }: AgentActor, lane?: RunLane): Promise<RunRow | null> {
  // While the village is frozen no run can start, so none is offered.
  if ((await readFreeze(db)) !== null) return null;
  const life = { agentId, uid };
  const next = await readNextRun(db, { ...life, lane });
  const parked = next === null ? await findQuotaPark(db, life) : null;
  if (parked === null || tokensOf(await limits.of(agentId)) <= parked.quota) return next;
  await endQuotaParks(db, life);
  return readNextRun(db, { ...life, lane });
}

function nextRun(village: Village): Handlers['nextRun'] {
  return plain(async ({ params, query, actor }) => {
    if (village.source.get(params.agent_id) === null) return refused('no_such_agent');
    const run = await nextOf(village, actor, query.lane);
    return accepted({ run: run === null ? null : runView(run) });
  });
}

export function workHandlers(village: Village) {
  const { db } = village;
  return {
    nextRun: nextRun(village),
    startRun: startRun(village),
    waitRun: waitRun(village),
    parkRun: parkRun(village),
    recordRunStep: plain(({ params, body: { cycle, attempt, ...step }, actor }) =>
      inTransaction(db, async (tx) => {
        const run = await lockRun(tx, params.run_id);
        if (run === null) return refused('no_such_run');
        const denied = permitWork(actor, cycle)(run);
        if (denied !== null) return denied;
        const noted = await findStep(tx, run.runId, step.step);
        if (noted !== null) return accepted({ run: runView(run), step: noted as RunStep });
        const outcome = await applyToHeldRun(tx, run, {
          command: { kind: 'step', cycle, attempt },
          words: { detail: step },
        });
        return outcome.ok ? accepted({ run: runView(outcome.data.run), step }) : outcome;
      }),
    ),
    renewRun: plain(({ params, body: { cycle, attempt, mind }, actor }) =>
      inTransaction(db, async (tx) => {
        const outcome = await applyToRun(tx, params.run_id, {
          command: { kind: 'renew', cycle, attempt },
          words: {},
          permit: permitWork(actor, cycle),
        });
        if (!outcome.ok) return outcome;
        const { run } = outcome.data;
        return accepted({ run: runView(mind === undefined ? run : await nameMind(tx, run, mind)) });
      }),
    ),
    settleRun: settleRun(village),
    readRunFile: plain(async ({ params: { run_id: runId, sha256 }, query, actor }) => {
      const run = await findRun(db, runId);
      if (run === null) return refused('no_such_run');
      const denied = permitWork(actor, query.cycle)(run);
      if (denied !== null) return denied;
      const content = await readRunFileContent(db, runId, Buffer.from(sha256, 'hex'));
      return content === null ? refused('no_such_artifact') : accepted({ content: content.toString('base64') });
    }),
    noteMemories: plain(({ params, body: { cycle, attempt, ...memories }, actor }) =>
      inTransaction(db, async (tx) => {
        const outcome = await applyToRun(tx, params.run_id, {
          command: { kind: 'renew', cycle, attempt },
          words: {},
          permit: permitWork(actor, cycle),
        });
        if (!outcome.ok) return outcome;
        const { run } = outcome.data;
        const tainted = await markMemories(tx, { run, ...memories });
        const forgotten = await readForgotten(tx, { agentUid: run.agentUid, memoryIds: memories.recalled });
        return accepted({ tainted: [...tainted], forgotten: [...forgotten] });
      }),
    ),
  } satisfies Partial<Handlers>;
}
