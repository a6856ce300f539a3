import type { ClosedOutcome, EventBody } from '../journal/event.ts';
import type { Journal } from '../journal/journal.ts';
import { askModel } from './ask-model.ts';
import { historyOf } from './compaction.ts';
import { decide, type Command } from '../state/decide.ts';
import type { FlowStep, Kit } from './kit.ts';
import { askPerson, recoverCall, settleCall, startCall } from './perform-call.ts';
import type { History } from './history.ts';
import { openStages } from '../state/flow-state.ts';
import { currentCalls, currentTurn, unsettledCalls, type RunState } from '../state/run-state.ts';
import type { Session } from './session.ts';
import { answerText } from './transcript.ts';

/** The result of the engine's work on a run. A waiting run is not in memory; an event or another engine continues it. */
export type RunOutcome =
  /** `output`: the value of the answer as JSON; absent without an output schema, and if it was deleted. */
  | Readonly<{ kind: 'done'; text: string; output?: string }>
  /** `text`: the last words of the model; empty if it gave none. */
  | Readonly<{ kind: 'failed'; code: string; text: string; unsettled: readonly string[] }>
  | Readonly<{ kind: 'cancelled'; unsettled: readonly string[] }>
  | Readonly<{ kind: 'waiting'; for: 'permission'; requests: readonly string[] }>
  | Readonly<{ kind: 'waiting'; for: 'engine' }>
  /** The model cannot be reached now. Resume the run after `waitMs`. */
  | Readonly<{ kind: 'waiting'; for: 'model'; code: string; waitMs: number }>;

/** The work under way, by the id of its call; a request to the model by the type of its command. */
type Tasks = Map<string, Promise<void>>;

/** Works on a run until it is closed or waits. Rejects if the journal cannot be written, or because of a bug. */
export async function advance(kit: Kit, session: Session): Promise<RunOutcome> {
  const tasks: Tasks = new Map();
  const work = { tasks, history: historyOf(kit, session) };
  for (;;) {
    const woken = session.nextWake();
    const commands = nextCommands(kit, session).filter(
      (command) => command.type !== 'ask_person' || !session.shown.has(command.call.question?.request ?? ''),
    );
    const closing = commands.find((command) => command.type === 'close');
    if (closing !== undefined) return close(kit, session, { tasks, outcome: closing.outcome });
    if (session.state.outcome !== null) return recordedOutcome(kit.ports.journal, session.state);
    if (session.state.interrupted) return interrupted(kit, session, tasks);
    const hasMoved = commands.map((command) => begin(kit, session, { ...work, command })).includes('ended');
    if (hasMoved) continue;
    if (tasks.size > 0) await Promise.race([woken, ...tasks.values()]);
    else if (commands.length === 0) return waiting(kit, session);
  }
}

function nextCommands(kit: Kit, session: Session): readonly (Command | FlowStep)[] {
  const { state } = session;
  // An engine without plans may still close a run that another one has left.
  if (state.flow !== null && !(state.cancelled && kit.ports.flow === undefined))
    return kit.ports.flow?.stepsOf(kit, session) ?? [];
  return decide(
    state,
    session.ancestors.map((each) => each.state),
  );
}

type Begin = Readonly<{ tasks: Tasks; history: History; command: Command | FlowStep }>;

function keyOf(command: Command | FlowStep): string {
  if (command.type === 'flow') return command.key;
  return 'call' in command ? command.call.id : command.type;
}

/** `ended`: a step of a plan that has ended at once, after which others may begin. */
function begin(kit: Kit, session: Session, { tasks, history, command }: Begin): 'ended' | 'begun' {
  const key = keyOf(command);
  if (tasks.has(key)) return 'begun';
  const task = perform(kit, session, { history, command });
  if (task === null) return command.type === 'flow' ? 'ended' : 'begun';
  const ended = task.finally(() => tasks.delete(key));
  // `advance` handles a rejection while it waits for the task. Later rejections are ignored here.
  ended.catch(() => {});
  tasks.set(key, ended);
  return 'begun';
}

function perform(kit: Kit, session: Session, { history, command }: Omit<Begin, 'tasks'>): Promise<void> | null {
  switch (command.type) {
    case 'ask_model':
      return askModel(kit, session, { ask: command, history });
    case 'start_call':
      return startCall(kit, session, command.call);
    case 'recover_call':
      return recoverCall(kit, session, command);
    case 'flow':
      return command.act();
    case 'ask_person':
      session.shown.add(command.call.question?.request ?? '');
      return askPerson(kit, session, command.call);
    default:
      record(kit, session, command);
      return null;
  }
}

type Recorded = Extract<Command, { type: 'open_stage' | 'warn' | 'finish' | 'park' | 'settle_call' | 'close' }>;

function record(kit: Kit, session: Session, command: Recorded): void {
  if (command.type === 'open_stage') session.append([{ type: 'stage_opened' }]);
  if (command.type === 'warn') session.append([{ type: 'budget_warned', code: command.code }]);
  if (command.type === 'finish') session.append([{ type: 'finish_asked', code: command.code, words: null }]);
  if (command.type === 'park') session.append([{ type: 'parked', code: command.code, waitMs: command.waitMs }]);
  if (command.type === 'settle_call') settleCall(kit, session, command);
}

type Close = Readonly<{ tasks: Tasks; outcome: ClosedOutcome }>;

async function close(kit: Kit, session: Session, { tasks, outcome }: Close): Promise<RunOutcome> {
  await settled(kit, tasks, kit.limits.cancelGraceMs);
  const { state } = session;
  session.append([...closedStages(state), { type: 'run_closed', outcome, unsettled: [...unsettledCalls(state)] }]);
  return recordedOutcome(kit.ports.journal, session.state);
}

/** The end of a stage that leaves nothing behind. */
export const endedWithout = (stage: string, end: 'stopped' | 'skipped'): EventBody => ({
  type: 'stage_closed',
  stage,
  flow: { end, output: null, failure: null, edges: [] },
});

/** The ends of stages that the run leaves open. */
function closedStages({ stage, flow }: RunState): readonly EventBody[] {
  if (flow === null) return stage === 'open' ? [{ type: 'stage_closed' }] : [];
  return openStages(flow).map(({ id }) => endedWithout(id, 'stopped'));
}

/** Waits at most `graceMs` for all tasks to end. A task that ends later finds its run closed. */
async function settled(kit: Kit, tasks: Tasks, graceMs: number): Promise<void> {
  if (tasks.size === 0) return;
  const over = new AbortController();
  await Promise.race([Promise.allSettled(tasks.values()), kit.ports.clock.sleep(graceMs, over.signal)]);
  over.abort();
}

async function interrupted(kit: Kit, session: Session, tasks: Tasks): Promise<RunOutcome> {
  await settled(kit, tasks, kit.limits.interruptGraceMs);
  session.killed.abort();
  session.seal();
  return { kind: 'waiting', for: 'engine' };
}

function waiting(kit: Kit, session: Session): RunOutcome {
  const { parked } = session.state;
  if (parked !== null) return { kind: 'waiting', for: 'model', ...parked };
  const ofStages = kit.ports.flow?.waitOf(session) ?? null;
  const requests = currentCalls(session.state).flatMap(({ phase, question }) =>
    phase === 'asking' && question !== null ? [question.request] : [],
  );
  if (ofStages?.for === 'permission') requests.push(...ofStages.requests);
  return requests.length === 0 && ofStages !== null ? ofStages : { kind: 'waiting', for: 'permission', requests };
}

function outputOf(journal: Journal, state: RunState): Readonly<{ output?: string }> {
  const { text } = currentTurn(state)?.output ?? {};
  const output = text === undefined ? null : journal.textOf(text);
  return output === null ? {} : { output };
}

/** The output of a plan as JSON, and also as text if it is a text. */
function flowOutcome(journal: Journal, answer: string): RunOutcome {
  const output = journal.textOf(answer);
  if (output === null) return { kind: 'done', text: '' };
  const value: unknown = JSON.parse(output);
  return { kind: 'done', text: typeof value === 'string' ? value : output, output };
}

export function recordedOutcome(journal: Journal, state: RunState): RunOutcome {
  const unsettled = unsettledCalls(state);
  switch (state.outcome?.kind) {
    case 'done':
      if (state.flow !== null) return flowOutcome(journal, state.outcome.answer);
      return { kind: 'done', text: answerText(journal, state), ...outputOf(journal, state) };
    case 'failed': {
      const { code, answer } = state.outcome;
      return { kind: 'failed', code, text: answer === null ? '' : answerText(journal, state), unsettled };
    }
    case 'cancelled':
      return { kind: 'cancelled', unsettled };
    default:
      return { kind: 'waiting', for: 'engine' };
  }
}
