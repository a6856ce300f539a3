import { budgetPressures } from '../../budget/budget.ts';
import type { ClosedOutcome } from '../../journal/event.ts';
import { commandsOfCalls, type Command } from '../../state/decide.ts';
import { openStages, type FlowStage, type FlowState } from '../../state/flow-state.ts';
import { waitOfCalls, type RunState } from '../../state/run-state.ts';
import type { PlanIndex } from './plan-index.ts';
import { attemptKey, isFinal, isUnhandled, stagesToBegin, type Ready } from './ready-stages.ts';

export type FlowCommand =
  | (Ready & Readonly<{ type: 'begin_stage' }>)
  /** Waits until another attempt is due, which then begins. */
  | (Ready & Readonly<{ type: 'rest_stage' }>)
  /** Asks the agent of an open stage, or continues to wait for its answer. */
  | Readonly<{ type: 'ask_agent'; stage: FlowStage }>
  /** The call that asked the agent of an open stage is settled: the stage ends. */
  | Readonly<{ type: 'take_answer'; stage: FlowStage }>
  /** All calls so far of an open tool stage are settled: it has more of them or ends. */
  | Readonly<{ type: 'continue_tool'; stage: FlowStage }>
  | Readonly<{ type: 'skip_stages'; stages: readonly string[] }>
  /** Stops what is under way, because the task ends without it. */
  | Readonly<{ type: 'stop_stages'; stages: readonly FlowStage[] }>
  /** Closes the run as done, with the output of its exits. */
  | Readonly<{ type: 'finish_flow'; exits: readonly FlowStage[] }>;

type Commands = readonly (Command | FlowCommand)[];
/** `rested`: attempts whose wait is over, by `attemptKey`. */
type Around = Readonly<{ ancestors: readonly RunState[]; rested: ReadonlySet<string> }>;
type Flowing = Readonly<{ index: PlanIndex; state: RunState; flow: FlowState; rested: Around['rested'] }>;

/**
 * The next commands for a run with a plan; `ancestors` are the runs that it works for. Pure: the same arguments give the same commands.
 */
export function decideFlow(index: PlanIndex, state: RunState, { ancestors, rested }: Around): Commands {
  const { flow } = state;
  if (flow === null || isAtRest(state)) return [];
  if (state.cancelled) return ending(flow, { kind: 'cancelled' });
  const flowing = { index, state, flow, rested };
  const failed = failureOfTask(flowing) ?? overBudget(state, ancestors);
  return failed === null ? workOf(flowing) : ending(flow, failed);
}

const isAtRest = ({ outcome, interrupted, parked }: RunState): boolean =>
  outcome !== null || interrupted || parked !== null;

function workOf(flowing: Flowing): Commands {
  const { index, state, flow } = flowing;
  const { ready, skipped } = stagesToBegin(flowing);
  if (skipped.length > 0) return [{ type: 'skip_stages', stages: skipped }];
  const open = openStages(flow);
  if (isFinished(flowing)) return finishing(flowing, open);
  const begins = beginnings(flowing, ready, index.plan.maxParallel - open.length);
  const commands = [...open.flatMap((stage) => openCommands(state, stage)), ...begins];
  if (commands.length > 0 || open.length > 0) return parkedOr(state, commands);
  // Only targets of fallback rules are left, and nothing failed into them.
  const [left] = index.plan.stages.filter(({ id }) => !flow.stages.has(id));
  return left === undefined ? finishing(flowing, open) : [{ type: 'skip_stages', stages: [left.id] }];
}

/** A stage that waits for another attempt does not count as under way. */
function beginnings({ rested }: Flowing, ready: readonly Ready[], places: number): Commands {
  const isDue = (each: Ready): boolean => each.delayMs === 0 || rested.has(attemptKey(each));
  const due = ready.filter(isDue).slice(0, Math.max(0, places));
  return [
    ...due.map((each) => ({ type: 'begin_stage', ...each }) as const),
    ...ready.filter((each) => !isDue(each)).map((each) => ({ type: 'rest_stage', ...each }) as const),
  ];
}

function parkedOr(state: RunState, commands: Commands): Commands {
  const wait = commands.length === 0 ? waitOfCalls(state) : null;
  return wait === null ? commands : [{ type: 'park', ...wait }];
}

function overBudget(state: RunState, ancestors: readonly RunState[]): ClosedOutcome | null {
  const accounts = [state, ...ancestors].map(({ spent, budgets }) => ({ spent, budgets, next: {} }));
  const over = budgetPressures(accounts).find(({ level }) => level === 'over');
  return over === undefined ? null : { kind: 'failed', code: over.code, answer: null };
}

/** The failure that still needs an edge to handle it; null without one. */
function failureOfTask({ index, flow }: Flowing): ClosedOutcome | null {
  const failed = [...flow.stages.values()].find((stage) => isUnhandled(stage) && isFinal(index, flow, stage.id));
  return failed === undefined ? null : { kind: 'failed', code: failed.closed?.failure?.code ?? 'failed', answer: null };
}

/** Stops the agents first. Calls have a moment to settle while the run closes. */
function ending(flow: FlowState, outcome: ClosedOutcome): Commands {
  const stages = openStages(flow).filter(asksAgent);
  return stages.length > 0 ? [{ type: 'stop_stages', stages }] : [{ type: 'close', outcome }];
}

function finishing({ index, flow }: Flowing, open: readonly FlowStage[]): Commands {
  if (open.length > 0) return [{ type: 'stop_stages', stages: open }];
  const exits = [...flow.stages.values()].filter(({ id, closed }) => index.exits.has(id) && closed?.end === 'done');
  if (exits.length > 0) return [{ type: 'finish_flow', exits }];
  return [{ type: 'close', outcome: { kind: 'failed', code: 'no_exit_reached', answer: null } }];
}

/** The task is done once each exit is closed, although a merge that takes the first branch may leave others under way. */
const isFinished = ({ index, flow }: Flowing): boolean => [...index.exits].every((id) => isFinal(index, flow, id));

const asksAgent = ({ role }: FlowStage): boolean => role === 'agent' || role === 'feedback';

function openCommands(state: RunState, stage: FlowStage): Commands {
  const open = stage.calls.filter(({ phase }) => phase !== 'settled');
  if (open.length > 0) return commandsOfCalls(state, open, null);
  if (!asksAgent(stage)) return [{ type: 'continue_tool', stage }];
  return [{ type: stage.calls.length === 0 ? 'ask_agent' : 'take_answer', stage }];
}
