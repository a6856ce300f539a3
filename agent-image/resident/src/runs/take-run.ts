import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { RUN_PARK_MAX_MS, RUN_RENEW_EVERY_S } from '@hamlet/contract/resident';
import type { AgentConfig, Mind, Refusal, Run, RunBudgets } from '@hamlet/contract';
import { RunCancelled, RunFailure, type AgentRuntime, type RuntimeOutcome } from '@hamlet/engine';
import { shorten } from '@hamlet/core/shorten';
import type { LifeMind } from '../brain/life/life-mind.ts';
import type { BookedRun } from '../engine/run-book.ts';
import type { WorkTree } from '../hands/repository/read-work-tree.ts';
import type { Repository } from '../hands/repository/work-trees.ts';
import type { MemoryPlace } from '../memory/files/memory-files.ts';
import type { Thinking } from '../engine/thinking.ts';
import type { Log } from '../process/json-log.ts';
import type { RuntimePool } from '../runtime/runtime-pool.ts';
import { CycleOver, rejectOnAbort, retry } from '../village/retry.ts';
import type { RunLease, StartedRun, Village } from '../village/village.ts';
import type { WorkVillage } from '../village/work-village.ts';
import {
  answersOf,
  audienceOf,
  budgetsOf,
  conversationOf,
  inputOf,
  memoryAudienceOf,
  NO_WORKPLACE,
} from './run-input.ts';
import { mindOfRun } from './mind-of-run.ts';
import { createRunWork, LeaseLost, type Progress, type RunWorkPorts } from './run-work.ts';
import { cancelledEnd, endOf, failedEnd, refusedEnd, type EndedRun } from './settlement.ts';
import type { TurnGate } from './turn-gate.ts';
import { bookedWorkflowOf } from '../engine/booked-workflow.ts';
import { wordsOfRun } from './words-of-run.ts';

/** Time limit of a run with a runtime that keeps no journal. */
export const RUN_TIME_LIMIT_MS = 900_000;
const WORDS_OF_WORK = 80;
/** Maximum number of times that a run continues after a wait, in one attempt. */
const WAITS_MAX = 1_000;
const ASK_AGAIN_MS = 1_000;
/** Refusals of a renewal that end the lease. Any other refusal, for example because of a measure, may be temporary. */
const LOST: ReadonlySet<Refusal> = new Set<Refusal>(['claim_lapsed', 'run_settled', 'run_not_started', 'no_such_run']);

export interface TakePorts extends RunWorkPorts {
  readonly village: Village;
  readonly work: Pick<WorkVillage, 'waitRun' | 'parkRun'>;
  readonly log: Pick<Log, 'warn'>;
  readonly runtimes: Pick<RuntimePool, 'obtain'>;
  readonly thinking: Thinking;
  readonly turnGate: TurnGate;
  readonly life?: () => LifeMind;
  readonly workTreeOf: (repository: Repository | null) => Promise<WorkTree>;
  readonly memoryPathOf: (place: MemoryPlace | null) => string;
  /** Called once the API has stored the result of a run. `hasModel`: a model wrote the words of the run, so they stay private. */
  readonly onEnded: (run: Run, ended: EndedRun, hasModel: boolean) => void;
}

/** `ended`: finished, or its lease has lapsed. `left`: it waits for people or for its model. `later`: the API accepts no result now. */
export type Taken = 'ended' | 'left' | 'later';

type Runtime = Readonly<{ name: string; runtime: AgentRuntime; config: AgentConfig }>;
type Held = StartedRun & { readonly lease: RunLease; readonly naming: MindNaming };

/** The mind of a run now, and as the API knows it: a program has a version only after its start. Mutable. */
export interface MindNaming {
  readonly now: () => Mind;
  named: Mind;
}

/**
 * Works on a run until the API has stored its result, or the run waits for people. `cancelled` aborts with RunCancelled when a
 * person cancels, and with ProcessEnding when the process ends; the next cycle then continues the run. Rejects with CycleOver.
 */
export async function takeRun(ports: TakePorts, run: Run, cancelled: AbortSignal): Promise<Taken> {
  // A cancelled run is settled too; only the end of the process prevents that.
  const ending = new AbortController();
  const onAbort = (): void => {
    if (!(cancelled.reason instanceof RunCancelled)) ending.abort(cancelled.reason);
  };
  if (cancelled.aborted) onAbort();
  else cancelled.addEventListener('abort', onAbort, { once: true });
  try {
    const begun = await begin(ports, run, ending.signal);
    if (typeof begun === 'string') return begun;
    return await finish(ports, begun, { cancelled, ending: ending.signal });
  } finally {
    cancelled.removeEventListener('abort', onAbort);
  }
}

type Begun = Readonly<{ held: Held; runtime: Work['runtime']; name: string }>;

/** Starts the run, unless its runtime cannot work or the API refuses. */
async function begin(ports: TakePorts, run: Run, ending: AbortSignal): Promise<Begun | Taken> {
  const { village, cycle, runtimes, thinking } = ports;
  const config = await retry(() => village.config(), ending, ports);
  if (config.kind === 'refused') return 'later';
  const { config: own, lost } = mindOfRun(config.value, run);
  const obtained = lost ?? (await runtimes.obtain(own, conversationOf({ run })));
  const { name, mind } = obtained;
  const naming: MindNaming = { now: () => obtained.mind, named: mind };
  if (obtained.ok && !(await thinking.isReady(name))) return 'later';
  const started = await retry(() => village.startRun(run.run_id, cycle, mind), ending, ports);
  if (started.kind === 'refused') return started.code === 'run_settled' ? 'ended' : 'later';
  const held: Held = { ...started.value, lease: { cycle, attempt: started.value.run.attempt }, naming };
  return { held, name, runtime: obtained.ok ? { ...obtained, config: own } : obtained.warning };
}

type Signals = Readonly<{ cancelled: AbortSignal; ending: AbortSignal }>;

async function finish(
  ports: TakePorts,
  { held, runtime, name }: Begun,
  { cancelled, ending }: Signals,
): Promise<Taken> {
  const { turnGate, thinking } = ports;
  const { run } = held;
  const words = shorten(run.prompt, WORDS_OF_WORK);
  await turnGate.begin(words);
  try {
    const ended = await workUnderLease(ports, held, { runtime, cancelled });
    // Programs in the background stay for the next process, and while people are asked.
    if (ended === 'interrupted') return 'later';
    if (ended === 'left') return 'left';
    await thinking.endPrograms(run.run_id);
    if (ended === 'lost') return 'ended';
    if (hasNewMind(held.naming)) await renewed(ports.village, { runId: run.run_id, ...held });
    const settled = await settle(ports, held, { ended, ending });
    if (typeof settled === 'string') return OVER.has(settled) ? 'ended' : 'later';
    ports.onEnded(run, settled, thinking.thinks(name));
    return 'ended';
  } finally {
    turnGate.end(words);
  }
}

const OVER: ReadonlySet<Refusal> = new Set<Refusal>(['run_settled', 'claim_lapsed', 'no_such_run']);
/** Refusals that the API would repeat for the same end. */
const UNFIT: ReadonlySet<Refusal> = new Set<Refusal>(['validation_failed', 'cancel_not_requested']);

type Settling = Readonly<{ ended: EndedRun; ending: AbortSignal }>;

/** Stores the end of a run. If the API would always refuse it, the run fails with the reason of the refusal. */
async function settle(
  ports: TakePorts,
  { run, lease }: Held,
  { ended, ending }: Settling,
): Promise<EndedRun | Refusal> {
  const send = (end: EndedRun) => retry(() => ports.village.settleRun(run.run_id, { ...lease, ...end }), ending, ports);
  const answer = await send(ended);
  if (answer.kind === 'ok') return ended;
  const { code, detail } = answer;
  ports.log.warn('result_refused', { run_id: run.run_id, code, detail });
  if (!UNFIT.has(code)) return code;
  const plain = refusedEnd(code);
  const again = await send(plain);
  return again.kind === 'ok' ? plain : again.code;
}

interface Renewing {
  readonly runId: string;
  readonly lease: RunLease;
  readonly over: AbortSignal;
  /** Called with the limits of the run after each renewal. */
  readonly onLimits: (limits: RunBudgets) => void;
  readonly naming: MindNaming;
}

const hasNewMind = ({ now, named }: MindNaming): boolean => !isDeepStrictEqual(now(), named);

/** Renews the lease of a run, and names its mind if the API does not know it yet. */
async function renewed(
  village: Pick<Village, 'renewRun'>,
  { runId, lease, naming }: Pick<Renewing, 'runId' | 'lease' | 'naming'>,
): ReturnType<Village['renewRun']> {
  const mind = hasNewMind(naming) ? naming.now() : undefined;
  const answer = await village.renewRun(runId, lease, mind);
  // An API of an earlier version refuses the mind, so the next renewal comes without it.
  if (mind !== undefined && answer.kind !== 'unreachable') naming.named = mind;
  return answer;
}

/** Renews a run's lease until the run is over or the lease is lost. Repeats an unanswered renewal at the next interval. */
export async function renewUntilOver(
  village: Pick<Village, 'renewRun'>,
  { over, onLimits, ...renewing }: Renewing,
  everyMs = RUN_RENEW_EVERY_S * 1_000,
): Promise<'over' | 'lost'> {
  for (;;) {
    await delay(everyMs, undefined, { signal: over }).catch(() => {});
    if (over.aborted) return 'over';
    const answer = await renewed(village, renewing);
    if (answer.kind === 'stale' || (answer.kind === 'refused' && LOST.has(answer.code))) return 'lost';
    if (answer.kind === 'ok' && answer.value !== null) onLimits(answer.value);
  }
}

type Work = Readonly<{ runtime: Runtime | Readonly<{ code: string; message: string }>; cancelled: AbortSignal }>;
type Ended = EndedRun | 'interrupted' | 'lost' | 'left';

/** Why the work on a run ended. `interrupted`: the process ends. `lost`: the lease is lost. `left`: the run waits for people or for its model. */
async function workUnderLease(ports: TakePorts, held: Held, { runtime, cancelled }: Work): Promise<Ended> {
  const { run, lease, naming, policy } = held;
  const [over, lost] = [new AbortController(), new AbortController()];
  const onLeaseLost = (): void => lost.abort(new LeaseLost('the lease of the run has lapsed'));
  // The process waits for an engine's work to end, and renews the lease until then.
  const onLimits = (limits: RunBudgets): void => {
    ports.thinking.raise(run.run_id, budgetsOf(limits)).catch((error: unknown) => {
      ports.log.warn('limits_not_raised', { run_id: run.run_id, why: String(error) });
    });
  };
  void renewUntilOver(ports.village, { runId: run.run_id, lease, naming, over: over.signal, onLimits }).then((end) => {
    if (end === 'lost') onLeaseLost();
  });
  ports.thinking.book.open({
    runId: run.run_id,
    lease,
    policy,
    model: 'name' in runtime ? windowOf(runtime.config) : null,
    audience: audienceOf(held),
    repository: held.repository,
    memoryAudience: memoryAudienceOf(held),
    author: held.author,
    files: held.files,
    isWorker: run.worker !== undefined,
    ...bookedWorkflowOf(held),
    given: run.worker?.tools?.flat() ?? [],
    canBrowse: 'name' in runtime ? runtime.config.can_browse : false,
    onLeaseLost,
    refused: new Set(),
    refusals: new Map(),
  });
  try {
    const ended = await workOn(ports, held, { runtime, cancelled: AbortSignal.any([cancelled, lost.signal]) });
    if (lost.signal.aborted) return 'lost';
    if (typeof ended !== 'string') {
      await ports.thinking.keepMemory(run.run_id);
      await ports.memory.keep(run.run_id, wordsOfRun(held, ended));
    }
    return ended;
  } catch (error) {
    if (error instanceof LeaseLost) return 'lost';
    throw error;
  } finally {
    over.abort();
    ports.thinking.close(run.run_id);
  }
}

const windowOf = ({ model }: AgentConfig): BookedRun['model'] =>
  model === null ? null : { name: model.name, contextTokens: model.context_tokens ?? null };

/** Rejects with LeaseLost and CycleOver. */
async function workOn(ports: TakePorts, held: Held, { runtime, cancelled }: Work): Promise<Ended> {
  const { run, steps } = held;
  const thinks = 'name' in runtime && ports.thinking.thinks(runtime.name);
  // The run's budgets limit an engine's time.
  const signal = thinks ? cancelled : AbortSignal.any([cancelled, AbortSignal.timeout(RUN_TIME_LIMIT_MS)]);
  const { work, progress } = createRunWork(ports, held, signal);
  try {
    if (!('name' in runtime)) throw new RunFailure(runtime.code, runtime.message);
    if (run.cancel_requested_at !== null && !thinks) return cancelledEnd(progress, steps);
    const outcome = await carryOut(ports, held, { runtime, work, signal, thinks });
    if (outcome === 'left') return 'left';
    if (outcome.kind === 'interrupted') return 'interrupted';
    const ended =
      outcome.kind === 'failed'
        ? inGatewaysWords(outcome, ports.thinking.refusalOf(run.run_id, outcome.code))
        : outcome;
    return endOf(ended, await ports.thinking.spentOf(run.run_id, runtime.name), { progress, steps });
  } catch (error) {
    return endAfter(error, { cancelled, progress });
  }
}

/** A model failure in the gateway's words, which contain more detail: for example, when tokens are available again. */
const inGatewaysWords = (failed: Extract<Carried, { kind: 'failed' }>, words: string | null) =>
  words === null ? failed : { ...failed, message: words };

function endAfter(
  error: unknown,
  { cancelled, progress }: { readonly cancelled: AbortSignal; readonly progress: Progress },
): Ended {
  if (error instanceof CycleOver || error instanceof LeaseLost) throw error;
  if (!cancelled.aborted) return failedEnd(error, progress);
  return cancelled.reason instanceof RunCancelled ? cancelledEnd(progress, []) : 'interrupted';
}

const memoryPlaceOf = (held: Held): MemoryPlace | null =>
  held.repository === null ? null : { url: held.repository.url, audience: memoryAudienceOf(held) };

type Carried = Exclude<RuntimeOutcome, { kind: 'waiting' | 'parked' }> | 'left';
type Carry = Readonly<{
  runtime: Runtime;
  work: Parameters<typeof inputOf>[2];
  signal: AbortSignal;
  thinks: boolean;
}>;

async function carryOut(ports: TakePorts, held: Held, { runtime, work, signal, thinks }: Carry): Promise<Carried> {
  const { config } = runtime;
  const { repository } = held;
  const workplace = thinks
    ? await ports.thinking.workplaceOf(held.run.run_id, runtime.name, { ...config, repository })
    : NO_WORKPLACE;
  const skills = thinks ? await ports.thinking.skillsOf(held, config, signal) : [];
  const tree = await ports.workTreeOf(repository);
  const { input, context } = await inputOf(
    { ...ports, config, workplace, now: new Date(), skills, tree, memoryPath: ports.memoryPathOf(memoryPlaceOf(held)) },
    held,
    work,
  );
  let answers = answersOf(held.permissions);
  for (let waits = 0; waits < WAITS_MAX; waits += 1) {
    const attempt = AbortSignal.any([signal, cancelAtStart(held)]);
    const working = runtime.runtime.execute({ ...input, answers }, { ...context, signal: attempt });
    // Once its signal aborts, a runtime without a journal is not awaited.
    const outcome = await (thinks ? working : Promise.race([working, rejectOnAbort(attempt)]));
    await ports.thinking.flush(held.run.run_id);
    if (outcome.kind === 'parked') {
      if (await park(ports, held, { outcome, signal })) return 'left';
      continue;
    }
    if (outcome.kind !== 'waiting') return outcome;
    const refused = ports.thinking.takeRefused(held.run.run_id);
    const waited = refused.length > 0 ? refused : await wait(ports, { ...held, known: answers.length }, signal);
    if (waited === 'left') return 'left';
    answers = waited;
  }
  throw new RunFailure('too_many_waits', `The run waited ${WAITS_MAX} times`);
}

type Parking = Readonly<{ outcome: Extract<RuntimeOutcome, { kind: 'parked' }>; signal: AbortSignal }>;

/** Gives the lease back until the model may answer again. False if the run is to be cancelled: its runtime then ends it. */
async function park(ports: TakePorts, { run, lease }: Held, { outcome, signal }: Parking): Promise<boolean> {
  const { code, waitMs } = outcome;
  const answer = await retry(
    () => ports.work.parkRun(run.run_id, lease, { code, wait_ms: Math.min(RUN_PARK_MAX_MS, waitMs) }),
    signal,
    ports,
  );
  if (answer.kind === 'refused' && LOST.has(answer.code)) throw new LeaseLost(answer.detail);
  if (answer.kind === 'refused') throw new RunFailure(answer.code, answer.detail);
  if (answer.value.run.state !== 'running') return true;
  await pause(signal);
  return false;
}

async function pause(signal: AbortSignal): Promise<void> {
  await delay(ASK_AGAIN_MS, undefined, { signal }).catch(() => {});
}

/** Cancels a run that was cancelled before its start, so that its journal contains the cancel. */
function cancelAtStart({ run }: Held): AbortSignal {
  return run.cancel_requested_at === null
    ? new AbortController().signal
    : AbortSignal.abort(new RunCancelled('the run was cancelled'));
}

/** Releases the lease while people are asked. Returns the answers if they already exist. */
async function wait(ports: TakePorts, { run, lease, known }: Held & { readonly known: number }, signal: AbortSignal) {
  const answer = await retry(() => ports.work.waitRun(run.run_id, lease), signal, ports);
  if (answer.kind === 'refused' && LOST.has(answer.code)) throw new LeaseLost(answer.detail);
  if (answer.kind === 'refused') throw new RunFailure(answer.code, answer.detail);
  if (answer.value.run.state === 'waiting_permission') return 'left' as const;
  const answers = answersOf(answer.value.permissions);
  // A person's allow rule answers at once.
  if (answers.length > known) return answers;
  // No permission is pending: a question did not reach the API, and the engine asks again.
  await pause(signal);
  signal.throwIfAborted();
  return answers;
}
