import type { OutputForm } from '../effects/read-output.ts';
import { Budgets as BudgetsSchema, type Answer, type Budgets, type EventBody } from '../journal/event.ts';
import type { Journal, Payload } from '../journal/journal.ts';
import { advance, recordedOutcome, type RunOutcome } from './advance.ts';
import { DEFAULT_LIMITS, toolsByName, type EngineLimits, type EnginePorts, type Kit } from './kit.ts';
import type { IllegalMove } from '../state/move.ts';
import { keptWords, type PersonsWords } from './persons-words.ts';
import { Session } from './session.ts';
import { recalledText } from '../context/recalled-text.ts';
import type { SystemPrompt } from '../context/system-prompt.ts';
import { isBegun } from '../state/call-state.ts';
import { currentCalls, type RunState } from '../state/run-state.ts';
import { loadRun } from './transcript.ts';

export type RunRequest = Readonly<{
  conversation: string;
  input: string;
  prompt: SystemPrompt;
  model: string;
  budgets: Budgets;
  stage: Readonly<{ id: string; plan: string }>;
  run?: string;
  /** Present if the run carries out the plan of its stage: `task` is the JSON text of the task. */
  flow?: Readonly<{ workflow: string; pipeline: string; task: string }>;
  /** The form in which the run must answer: it is done only with an answer that fits. */
  output?: OutputForm;
  /** The run and call that started this run. That run's budgets apply to this run too, and cancelling it cancels this run. */
  parent?: Readonly<{ run: string; call: string }>;
}>;

export type EngineRefusal =
  | 'engine_stopped'
  | 'conversation_busy'
  | 'run_exists'
  | 'parent_not_active'
  | 'too_deep'
  | 'no_such_run'
  | 'journal_newer'
  | 'journal_damaged'
  | 'plans_unsupported'
  | IllegalMove;

export type Begun =
  | Readonly<{ ok: true; run: string; outcome: Promise<RunOutcome> }>
  | Readonly<{ ok: false; code: EngineRefusal }>;

export type Engine = Readonly<{
  start: (request: RunRequest) => Promise<Begun>;
  /** Writes a run to the journal without working on it; `resume` begins it. */
  open: (
    request: RunRequest,
  ) => Promise<Readonly<{ ok: true; run: string }> | Readonly<{ ok: false; code: EngineRefusal }>>;
  resume: (run: string, options?: ResumeOptions) => Begun;
  answer: (run: string, given: GivenAnswer) => Begun;
  cancel: (run: string) => Begun;
  /** Raises the limits of a run that this engine works on. Limits that do not grow, and another run, stay as they are. */
  raise: (run: string, budgets: Budgets) => void;
  /** Closes an open run that its owner has ended without the engine. A run that is closed or unknown stays as it is. */
  abandon: (run: string) => Promise<void>;
  /** The open runs of the journal, oldest first, at most 1,000. */
  openRuns: () => readonly string[];
  /** At SIGTERM: starts nothing more, waits for work in progress, and leaves the runs to the next engine. */
  interrupt: () => Promise<void>;
  /**
   * Ends the work on one run, for example when its lease is lost, and on the runs that work for it. This engine may resume it.
   * `now` aborts requests and calls in progress; `gently` waits for them like `interrupt`.
   */
  release: (run: string, how: 'now' | 'gently') => Promise<void>;
  /** The result of a run; null while it is open, and if the journal lacks it or cannot read it. */
  outcomeOf: (run: string) => RunOutcome | null;
  spentOf: (run: string) => Budgets | null;
  active: () => number;
}>;

export type ResumeOptions = Readonly<{
  /** True if the journal was restored from a mirror, which may lack its last events. */
  volumeLost?: boolean;
  /** Answers that people gave while no engine had the run. An answer that is already recorded has no effect. */
  answers?: readonly GivenAnswer[];
  /** The limits of the run now; those that did not grow have no effect. */
  budgets?: Budgets;
}>;

export type GivenAnswer = Readonly<{ request: string; answer: Answer | 'expired'; words?: PersonsWords }>;

type Identified = RunRequest & Readonly<{ run: string }>;
type Work = Readonly<{ session: Session; outcome: Promise<RunOutcome> }>;
type Loaded = Readonly<{ ok: true; session: Session }> | Readonly<{ ok: false; code: EngineRefusal }>;

const refused = (code: EngineRefusal): Readonly<{ ok: false; code: EngineRefusal }> => ({ ok: false, code });

type Running = { readonly kit: Kit; readonly works: Map<string, Work>; isStopped: boolean };

export function createEngine(ports: EnginePorts, limits: Partial<EngineLimits> = {}): Engine {
  const kit: Kit = {
    ports,
    toolsOf: (run) => toolsByName(ports.toolsOf?.(run) ?? ports.tools),
    limits: { ...DEFAULT_LIMITS, ...limits },
    get engine() {
      return engine;
    },
  };
  const running: Running = { kit, works: new Map(), isStopped: false };
  const engine: Engine = {
    start: async (given) => {
      const opened = await open(running, given);
      return opened.ok ? begin(running, opened.session) : opened;
    },
    open: async (given) => {
      const opened = await open(running, given);
      return opened.ok ? { ok: true, run: opened.session.run } : opened;
    },
    resume: (run, options) => resume(running, run, options ?? {}),
    answer: (run, given) => change(running, run, answered(ports.journal, given)),
    cancel: (run) => cancel(running, run),
    raise: (run, budgets) => {
      running.works.get(run)?.session.tryAppend([{ type: 'budgets_raised', budgets }]);
    },
    abandon: (run) => abandon(running, run),
    openRuns: ports.journal.openRuns,
    interrupt: () => interrupt(running),
    release: (run, how) => release(running, run, how),
    outcomeOf: (run) => {
      const loaded = loadRun(ports.journal, run);
      return loaded.ok && loaded.state.outcome !== null ? recordedOutcome(ports.journal, loaded.state) : null;
    },
    spentOf: (run) => {
      const loaded = loadRun(ports.journal, run);
      return loaded.ok ? loaded.state.spent : null;
    },
    active: () => running.works.size,
  };
  return engine;
}

async function open(running: Running, given: RunRequest): Promise<Loaded> {
  const { kit, works } = running;
  const request = { ...given, run: given.run ?? kit.ports.ids.next() };
  const recalled = await recall(kit, request);
  if (running.isStopped) return refused('engine_stopped');
  await closeStale(running, request.conversation);
  return openRun(kit, works, { request, recalled });
}

type Change = Readonly<{ body: EventBody; payloads: readonly Payload[] }>;

function answered(journal: Pick<Journal, 'refer'>, { request, answer, words }: GivenAnswer): Change {
  if (answer === 'expired') return { body: { type: 'permission_expired', request }, payloads: [] };
  const kept = words === undefined ? null : journal.refer(keptWords(words));
  const body = { type: 'permission_answered', request, answer, words: kept?.ref ?? null } as const;
  return { body, payloads: kept === null ? [] : [kept] };
}

function resume(running: Running, run: string, { volumeLost = false, answers = [], budgets }: ResumeOptions): Begun {
  const work = running.works.get(run);
  const loaded: Loaded = work === undefined ? load(running, run, volumeLost) : { ok: true, session: work.session };
  if (!loaded.ok) return loaded;
  if (budgets !== undefined) loaded.session.tryAppend([{ type: 'budgets_raised', budgets }]);
  for (const answer of answers) {
    const { body, payloads } = answered(running.kit.ports.journal, answer);
    loaded.session.tryAppend([body], payloads);
  }
  running.kit.ports.flow?.wake(loaded.session, answers);
  if (work === undefined) return begin(running, loaded.session);
  work.session.wake();
  return { ok: true, run, outcome: work.outcome };
}

function begin({ kit, works }: Running, session: Session): Begun {
  const { promise: outcome, resolve } = Promise.withResolvers<RunOutcome>();
  // Before it begins: a stage of a plan may begin a run for it at once.
  works.set(session.run, { session, outcome });
  resolve(advance(kit, session).finally(() => works.delete(session.run)));
  outcome.catch((error: unknown) => kit.ports.notify({ type: 'problem', run: session.run, where: 'engine', error }));
  return { ok: true, run: session.run, outcome };
}

/** Takes over a run of the journal for this engine. The caller may append to the run, and must begin it. */
function load({ kit, works, isStopped }: Running, run: string, volumeLost: boolean): Loaded {
  if (isStopped) return refused('engine_stopped');
  const loaded = loadRun(kit.ports.journal, run);
  if (!loaded.ok) return refused(loaded.code);
  if (loaded.state.outcome !== null) return refused('closed');
  const parent = parentOf(works, loaded.state.opened.parent);
  if (parent === undefined) return refused('parent_not_active');
  const session = new Session(kit, { run, stage: loaded.state.opened.stage, state: loaded.state, parent });
  session.append(takeover(loaded.state, kit.ports.journal.fence, volumeLost));
  return { ok: true, session };
}

/** The events with which an engine takes a run over. Its own work on the run may have ended by an error. */
function takeover(state: RunState, fence: number, volumeLost: boolean): readonly EventBody[] {
  const resumed: EventBody = { type: 'run_resumed', volumeLost };
  if (state.fence < fence || state.interrupted || state.parked !== null) return [resumed];
  const isLeft = state.asking.phase === 'asking' || currentCalls(state).some(isBegun);
  return isLeft ? [{ type: 'interrupted' }, resumed] : [];
}

/** A conversation has one open run. An older one was ended without this engine: by people, by the API, or by an error. */
async function closeStale(running: Running, conversation: string): Promise<void> {
  const last = running.kit.ports.journal.lastRunOf(conversation);
  if (last?.isOpen === true) await abandon(running, last.run);
}

/** Cancels the run. Its parent need not be in memory, because nothing of it runs any more. */
async function abandon(running: Running, run: string): Promise<void> {
  const { kit, works } = running;
  if (works.has(run)) {
    const cancelled = cancel(running, run);
    if (cancelled.ok) await cancelled.outcome;
    return;
  }
  const loaded = loadRun(kit.ports.journal, run);
  if (!loaded.ok || loaded.state.outcome !== null) return;
  const { state } = loaded;
  const session = new Session(kit, { run, stage: state.opened.stage, state, parent: null });
  session.append(takeover(state, kit.ports.journal.fence, false));
  if (!session.state.cancelled) session.append([{ type: 'cancel_asked' }]);
  await advance(kit, session);
}

function change(running: Running, run: string, { body, payloads }: Change): Begun {
  const work = running.works.get(run);
  const loaded: Loaded = work === undefined ? load(running, run, false) : { ok: true, session: work.session };
  if (!loaded.ok) return loaded;
  const appended = loaded.session.tryAppend([body], payloads);
  const begun = work === undefined ? begin(running, loaded.session) : { ok: true as const, run, outcome: work.outcome };
  work?.session.wake();
  return appended.ok ? begun : refused(appended.code);
}

/** Cancels a run and the runs that work for it. Afterwards the engine starts nothing and streams no text. */
function cancel(running: Running, run: string): Begun {
  const before = running.works.get(run)?.session;
  try {
    const changed = change(running, run, { body: { type: 'cancel_asked' }, payloads: [] });
    if (changed.ok) stop(running, running.works.get(run)?.session);
    return changed;
  } catch (error) {
    // The journal cannot be written; the work must stop all the same.
    stop(running, before);
    throw error;
  }
}

function stop(running: Running, session: Session | undefined): void {
  if (session === undefined) return;
  session.stopped.abort();
  session.killed.abort();
  for (const { session: other } of running.works.values()) if (other.parent === session) cancel(running, other.run);
}

async function interrupt(running: Running): Promise<void> {
  running.isStopped = true;
  const works = [...running.works.values()];
  for (const { session } of works) {
    session.tryAppend([{ type: 'interrupted' }]);
    session.stopped.abort();
    session.wake();
  }
  await Promise.allSettled(works.map(({ outcome }) => outcome));
}

async function release(running: Running, run: string, how: 'now' | 'gently'): Promise<void> {
  const work = running.works.get(run);
  if (work === undefined) return;
  const { session } = work;
  const workers = [...running.works.values()].filter(({ session: other }) => other.parent === session);
  const released = workers.map(({ session: other }) => release(running, other.run, how));
  try {
    session.tryAppend([{ type: 'interrupted' }]);
  } finally {
    session.stopped.abort();
    if (how === 'now') session.killed.abort();
    session.wake();
  }
  await Promise.allSettled([work.outcome, ...released]);
}

/** The session of the parent; null without a parent. Undefined if the parent is not in memory and must be resumed first. */
const parentOf = (works: ReadonlyMap<string, Work>, parent: RunRequest['parent'] | null): Session | null | undefined =>
  parent ? works.get(parent.run)?.session : null;

/** Text from the memory. If the memory cannot be read, the agent still answers without it. */
async function recall(kit: Kit, { input, conversation, run }: Identified): Promise<string> {
  try {
    return recalledText(await kit.ports.memory.recall({ text: input, conversation, run }));
  } catch (error) {
    kit.ports.notify({ type: 'problem', run, where: 'memory', error });
    return '';
  }
}

type Opening = Readonly<{ request: Identified; recalled: string }>;

function openRun(kit: Kit, works: ReadonlyMap<string, Work>, { request, recalled }: Opening): Loaded {
  const { journal } = kit.ports;
  const { run } = request;
  const parent = parentOf(works, request.parent ?? null);
  // The parent may have ended, or been cancelled, while the memory was read.
  if (parent === undefined || parent?.stopped.signal.aborted) return refused('parent_not_active');
  const last = journal.lastRunOf(request.conversation);
  const refusal = refusalToOpen(kit, request, parent);
  if (refusal !== null) return refused(refusal);
  // Another start of the same conversation came in between.
  if (last?.isOpen === true) return refused('conversation_busy');
  const session = new Session(kit, { run, stage: request.stage.id, state: null, parent });
  session.append(
    [opening(kit, request, { recalled, after: last?.run ?? null })],
    textsOf(request, recalled).map(journal.refer),
  );
  return { ok: true, session };
}

function refusalToOpen(kit: Kit, { run, flow }: Identified, parent: Session | null): EngineRefusal | null {
  if (flow !== undefined && kit.ports.flow === undefined) return 'plans_unsupported';
  if (depthBelow(parent) >= kit.limits.depth) return 'too_deep';
  return kit.ports.journal.rowOf(run) === null ? null : 'run_exists';
}

function textsOf({ prompt, input, stage, output, flow }: Identified, recalled: string): readonly string[] {
  const schema = output === undefined ? [] : [JSON.stringify(output.schema)];
  const task = flow === undefined ? [] : [flow.task];
  return [prompt.stable, prompt.situation, recalled, input, stage.plan, ...schema, ...task];
}

const depthBelow = (parent: Session | null): number => (parent === null ? 0 : parent.ancestors.length + 1);

type Found = Readonly<{ recalled: string; after: string | null }>;

function opening(kit: Kit, request: RunRequest, { recalled, after }: Found): EventBody {
  const { output, flow } = request;
  const refOf = (text: string): string => kit.ports.journal.refer(text).ref;
  return {
    type: 'run_opened',
    conversation: request.conversation,
    after,
    parent: request.parent ?? null,
    plan: refOf(request.stage.plan),
    model: request.model,
    budgets: BudgetsSchema.parse(request.budgets),
    prompt: refOf(request.prompt.stable),
    situation: refOf(request.prompt.situation),
    recalled: refOf(recalled),
    input: refOf(request.input),
    ...(output && { output: { schema: refOf(JSON.stringify(output.schema)), answers: output.answers } }),
    ...(flow && { flow: { workflow: flow.workflow, pipeline: flow.pipeline, task: refOf(flow.task) } }),
  };
}
