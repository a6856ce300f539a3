import type { Tool } from '../effects/tool.ts';
import type { Command } from '../state/decide.ts';
import type { EventOf, JournalEvent } from '../journal/event.ts';
import type { Journal } from '../journal/journal.ts';
import type { RunOutcome } from './advance.ts';
import type { Engine, GivenAnswer } from './engine.ts';
import type {
  ApprovalPort,
  ClockPort,
  CompactionPort,
  IdPort,
  MemoryPort,
  ModelCall,
  ModelPort,
  PolicyPort,
} from './ports.ts';
import type { Session } from './session.ts';

/** A report of the engine: a journaled event, streamed words, or a fault that did not end the run. */
export type Notice =
  | Readonly<{ type: 'event'; event: JournalEvent }>
  /** Never journaled. A new attempt withdraws the words of the previous one. */
  | Readonly<{ type: 'delta'; run: string; ask: number; attempt: number; text: string }>
  | Readonly<{ type: 'output'; run: string; call: string; text: string }>
  | Readonly<{ type: 'problem'; run: string; where: string; error: unknown }>;

/** Chooses the tools that the next request of a run shows, from the calls that the run has made so far. Pure. */
export type OfferPort = (run: string, tools: readonly Tool[], calls: readonly ModelCall[]) => readonly Tool[];

/**
 * A step of a run with a plan. `key`: steps with the key of one under way do not begin. Null for a step that has ended.
 */
export type FlowStep = Readonly<{ type: 'flow'; key: string; act: () => Promise<void> | null }>;

/** Carries out runs with a plan. Without it, the engine refuses them. */
export type FlowPort = Readonly<{
  /** The next steps of a run; none while it waits. */
  stepsOf: (kit: Kit, session: Session) => readonly (Command | FlowStep)[];
  /** The wait of the stages of a run; null if none of them waits. */
  waitOf: (session: Session) => Extract<RunOutcome, { kind: 'waiting' }> | null;
  /** Milliseconds that the stage of a call has left; infinite without a limit. */
  timeLeftOf: (kit: Kit, session: Session, call: string) => number;
  /** Gives stages that wait another try, with the answers that people gave. */
  wake: (session: Session, answers: readonly GivenAnswer[]) => void;
}>;

export type EnginePorts = Readonly<{
  journal: Journal;
  model: ModelPort;
  /** Read for each use: when tools come or go, the property has another list. */
  tools: readonly Tool[];
  /** The tools of one run, if runs differ; the same list as long as it has the same tools. */
  toolsOf?: (run: string) => readonly Tool[];
  /** Without it, each request shows all tools. */
  offer?: OfferPort;
  policy: PolicyPort;
  approvals: ApprovalPort;
  memory: MemoryPort;
  clock: ClockPort;
  ids: IdPort;
  compaction: CompactionPort | null;
  flow?: FlowPort;
  notify: (notice: Notice) => void;
}>;

export type EngineLimits = Readonly<{
  cancelGraceMs: number;
  interruptGraceMs: number;
  /** Longer than an answer may take at the gateway, which also ends one that falls silent. */
  modelTimeoutMs: number;
  depth: number;
}>;

export const DEFAULT_LIMITS: EngineLimits = {
  cancelGraceMs: 1_500,
  interruptGraceMs: 8_000,
  modelTimeoutMs: 3_660_000,
  depth: 4,
};

export type Kit = Readonly<{
  ports: EnginePorts;
  /** The tools of a run by name. */
  toolsOf: (run: string) => ReadonlyMap<string, Tool>;
  limits: EngineLimits;
  /** The engine itself, for runs whose stages are runs. */
  engine: Engine;
}>;

/**
 * After these events the process sends nothing before the next event, except a `read` or a request to the model. A kill in between loses
 * the event, and the next engine reads or asks again. The first request of an engine also records its context (`context_built`), so it is
 * written before it is sent: a request that kills every process uses up its attempts.
 */
const SOON: ReadonlySet<string> = new Set([
  'stage_opened',
  'stage_closed',
  'calls_planned',
  'model_asked',
  'model_answered',
  'budget_warned',
  'tool_intent',
  'tool_settled',
]);

/** True if the write of the events may share the transaction of the next one. A synced write may not. */
export const isSoon = (events: readonly JournalEvent[]): boolean => events.every(({ type }) => SOON.has(type));

/** Null if the engine does not know the call's effect. */
const SYNCED_SETTLEMENTS: ReadonlySet<string | null> = new Set(['once', null]);

/**
 * True if the write must survive a power loss before the engine continues, because the event records something that happened in
 * the world or may happen next. A `read` need not: if its event is lost, so is everything after it in the journal, and the engine
 * reads again. The settlement of a repeatable call need not either: the intent survives, so the call runs again with its key or
 * is verified. Only a `once` call would have to ask a person.
 */
export function isSynced(event: JournalEvent, effectOf: (event: EventOf<'tool_settled'>) => string | null): boolean {
  switch (event.type) {
    case 'tool_intent':
      return event.effect !== 'read';
    case 'tool_settled':
      return SYNCED_SETTLEMENTS.has(effectOf(event));
    case 'run_opened':
    case 'run_closed':
    case 'permission_answered':
    case 'permission_expired':
    case 'cancel_asked':
    case 'interrupted':
      return true;
    default:
      return false;
  }
}

const named = new WeakMap<readonly Tool[], ReadonlyMap<string, Tool>>();

/** The tools of a list by name, made once for each list. */
export function toolsByName(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const known = named.get(tools) ?? new Map(tools.map((tool) => [tool.name, tool]));
  named.set(tools, known);
  return known;
}
