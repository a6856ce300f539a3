import type { JournalEvent } from '../../journal/event.ts';
import type { Notice } from '../../loop/kit.ts';
import { TELEMETRY_VERSION, type TelemetryBody, type TelemetryEvent } from './event.ts';
import { codeOf, messageOf } from './message.ts';
import {
  memoryRetrieved,
  modelAnswered,
  modelFailed,
  permissionAsked,
  toolIntent,
  toolSettled,
  type CostOf,
} from './project-calls.ts';
import { callsKnown, runClosed, runOpened, stageClosed, stageOpened } from './project-task.ts';
import { charge, signatureOf, type Step, type TrackedRun } from './tracked-run.ts';

/** Number of ended tasks that stay known, because plugins may fail after the end of a task. */
const MAX_ENDED = 100;

/** The open runs of tasks and the runs of the last ended ones, by their ids, and the number of events of each task. */
export type Projection = Readonly<{
  runs: ReadonlyMap<string, TrackedRun>;
  counts: ReadonlyMap<string, number>;
}>;

export const EMPTY_PROJECTION: Projection = { runs: new Map(), counts: new Map() };

export type ProjectionSources = Readonly<{
  /** A text of the journal; null if it was deleted. */
  textOf: (ref: string) => string | null;
  costOf: CostOf;
  /** True for a tool whose risk is high. Calls whose effect is `once` are sensitive anyway. */
  isSensitive: (tool: string) => boolean;
}>;

/**
 * Memories that a stage of a task reads. The journal has no event for those that go into the prompt of an agent, so the caller that chooses
 * them reports them. `run`: of the task.
 */
type MemoryNotice = Readonly<{ type: 'memory'; run: string; stage: string; parts: number; tokens: number }>;
/** A fault at a run that may not have begun yet, or has ended; `task` is then its place. */
type Problem = Extract<Notice, { type: 'problem' }> & Readonly<{ task?: string }>;
export type TelemetryNotice = Exclude<Notice, { type: 'problem' }> | MemoryNotice | Problem;

export type Projected = Readonly<{ projection: Projection; events: readonly TelemetryEvent[] }>;

/**
 * The events of telemetry that a notice of the engine stands for. A fold: it needs each notice of a run from `run_opened` on, in order;
 * notices of other runs give no events. The same notices give the same events.
 */
export function project(projection: Projection, notice: TelemetryNotice, sources: ProjectionSources): Projected {
  if (notice.type === 'event') return projectEvent(projection, notice.event, sources);
  if (notice.type === 'problem') return projectProblem(projection, notice);
  if (notice.type === 'memory') return projectMemory(projection, notice);
  return { projection, events: [] };
}

function projectMemory(projection: Projection, { run: id, stage, parts, tokens }: MemoryNotice): Projected {
  const run = projection.runs.get(id);
  if (run === undefined || parts === 0) return { projection, events: [] };
  return published(projection, { run, bodies: [{ type: 'memory_retrieved', parts, tokens }] }, stage);
}

function projectEvent(projection: Projection, event: JournalEvent, sources: ProjectionSources): Projected {
  const stage = stageOf(projection, event);
  const step = stepOf(projection, { event, stage }, sources);
  if (step === null) return { projection, events: [] };
  const runs = new Map(projection.runs).set(event.run, step.run);
  if (step.used !== undefined) chargeAll(runs, { ...step, used: step.used, stage });
  const projected = published({ ...projection, runs }, step, stage);
  return event.type === 'run_closed' ? { ...projected, projection: closed(projected.projection, step.run) } : projected;
}

/** Forgets the run of an agent. That of a task stays known until many others have ended. */
function closed(projection: Projection, run: TrackedRun): Projection {
  const runs = new Map(projection.runs);
  runs.delete(run.id);
  if (run.parent !== null) return { ...projection, runs };
  runs.set(run.id, { ...run, isEnded: true });
  const ended = [...runs.values()].filter(({ isEnded }) => isEnded);
  const [oldest] = ended;
  if (ended.length <= MAX_ENDED || oldest === undefined) return { ...projection, runs };
  runs.delete(oldest.id);
  const counts = new Map(projection.counts);
  counts.delete(oldest.task);
  return { runs, counts };
}

function stageOf({ runs }: Projection, event: JournalEvent): string {
  const run = runs.get(event.run);
  const call = 'call' in event ? run?.calls.get(event.call) : undefined;
  return run?.stage ?? call?.stage ?? event.stage;
}

type Placed = Readonly<{ event: JournalEvent; stage: string }>;

function stepOf({ runs }: Projection, { event, stage }: Placed, sources: ProjectionSources): Step | null {
  if (event.type === 'run_opened') {
    const parent = event.parent === null ? null : runs.get(event.parent.run);
    return parent === undefined ? null : runOpened(event, parent, sources.textOf);
  }
  const known = runs.get(event.run);
  if (known === undefined) return null;
  const now = { at: event.at, monotonicMs: known.now.monotonicMs + event.elapsedMs };
  return stepOfRun({ ...known, now }, { event, stage }, sources);
}

function stepOfRun(
  run: TrackedRun,
  { event, stage }: Placed,
  { textOf, costOf, isSensitive }: ProjectionSources,
): Step {
  switch (event.type) {
    case 'run_closed':
      return runClosed(run, event);
    case 'stage_opened':
      return stageOpened(run, event, textOf);
    case 'stage_closed':
      return stageClosed(run, event, textOf);
    case 'calls_planned':
      return { run: callsKnown(run, event), bodies: [] };
    case 'context_built':
      return memoryRetrieved(run, event);
    case 'model_asked':
      return { run: { ...run, asked: run.now }, bodies: [] };
    case 'model_answered':
      return modelAnswered(run, event, costOf);
    case 'model_failed':
      return modelFailed(run, stage, { event, costOf });
    default:
      return stepOfCall(run, event, { textOf, isSensitive, stage });
  }
}

type CallSources = Pick<ProjectionSources, 'textOf' | 'isSensitive'> & Readonly<{ stage: string }>;

function stepOfCall(run: TrackedRun, event: JournalEvent, { textOf, isSensitive, stage }: CallSources): Step {
  switch (event.type) {
    case 'tool_intent':
      return toolIntent(run, event, isSensitive);
    case 'tool_settled':
      return toolSettled(run, stage, { event, textOf });
    case 'permission_asked':
      return permissionAsked(run, event);
    default:
      return { run, bodies: [] };
  }
}

/** Adds the usage of a run to it and to the runs that it works for. */
function chargeAll(runs: Map<string, TrackedRun>, { run, used, stage }: Required<Step> & { stage: string }): void {
  const place = run.stage ?? stage;
  for (let each: TrackedRun | undefined = run; each !== undefined; each = runs.get(each.parent ?? ''))
    runs.set(each.id, charge(each, place, used));
}

/** Gives the events their envelope. */
function published(projection: Projection, { run, bodies }: Step, stage: string): Projected {
  if (bodies.length === 0) return { projection, events: [] };
  // A caller may learn the journal of a task a second time.
  const before = bodies[0]?.type === 'task_created' ? 0 : (projection.counts.get(run.task) ?? 0);
  const events = bodies.map((body, index): TelemetryEvent => {
    const envelope = {
      v: TELEMETRY_VERSION,
      seq: before + index + 1,
      task: run.task,
      run: run.id,
      stage: run.stage ?? stage,
      agent: run.agent,
      at: run.now.at,
      monotonic_ms: run.now.monotonicMs,
    } as const;
    return { ...envelope, ...body };
  });
  const counts = new Map(projection.counts).set(run.task, before + events.length);
  return { projection: { ...projection, counts }, events };
}

/** A fault that ended no run: of a tool, a plugin, the approvals or the memory. */
function projectProblem(projection: Projection, notice: Problem): Projected {
  const { runs } = projection;
  const ofTask = (each: TrackedRun): boolean => each.parent === null && each.task === notice.task;
  const run = runs.get(notice.run) ?? [...runs.values()].find(ofTask);
  if (run === undefined) return { projection, events: [] };
  const { code, message } = faultOf(notice.error);
  const failure = signatureOf(run, run.stage, { category: 'engine', code });
  const text = messageOf(`${notice.where}: ${message}`);
  const body: TelemetryBody = { type: 'error', where: 'engine', failure, message: text, stage: run.stage };
  return published(projection, { run, bodies: [body] }, '');
}

function faultOf(error: unknown): Readonly<{ code: string; message: string }> {
  if (!(error instanceof Error)) return { code: 'engine_problem', message: String(error) };
  return { code: codeOf('code' in error ? error.code : null, 'engine_problem'), message: error.message };
}
