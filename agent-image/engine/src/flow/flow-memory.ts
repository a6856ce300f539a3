import type { RunOutcome } from '../loop/advance.ts';
import type { GivenAnswer } from '../loop/engine.ts';
import type { Session } from '../loop/session.ts';
import type { Plan } from '../workflow/plan/plan.ts';
import { indexOf, type PlanIndex } from './decision/plan-index.ts';
import type { Rerun } from './rerun.ts';

/** The task of a run with a plan, as the scope of expressions shows it. */
export type TaskScope = Readonly<{ id: string; input: unknown; mode: string | null; tags: readonly string[] }>;

type Waiting = Extract<RunOutcome, { kind: 'waiting' }>;

/** An engine's state of a run with a plan. The journal has all of it. */
export type FlowMemory = Readonly<{
  index: PlanIndex;
  task: TaskScope;
  /** The earlier task that this one repeats from a stage on; null if it begins at its entries. */
  rerun: Rerun | null;
  /** The values of texts by their references. */
  values: Map<string, unknown>;
  /** Agent stages whose runs wait for people or for the model. */
  waits: Map<string, Waiting>;
  /** Attempts whose wait after a failure is over, by `attemptKey`. */
  rested: Set<string>;
  /** When this engine began to work on the calls of stages with a time limit, by its monotonic clock. */
  begun: Map<string, number>;
  /** Answers that people gave to the questions of agent stages. */
  answers: GivenAnswer[];
}>;

const memories = new WeakMap<Session, FlowMemory>();

/** The memory about the run of a session. Throws if the journal has lost the plan. */
export function memoryOf(session: Session): FlowMemory {
  const known = memories.get(session);
  if (known !== undefined) return known;
  const { opened } = session.state;
  const plan = session.textOf(opened.plan);
  const task = session.textOf(opened.flow?.task ?? '');
  if (plan === null || task === null) throw new Error(`The plan of the run ${session.run} was deleted.`);
  // Both texts were written by this engine, which checks a plan before it opens a run.
  const { id, input, mode, tags, rerun = null } = JSON.parse(task) as TaskScope & Readonly<{ rerun?: Rerun }>;
  const memory: FlowMemory = {
    index: indexOf(JSON.parse(plan) as Plan),
    task: { id, input, mode, tags },
    rerun,
    values: new Map(),
    waits: new Map(),
    rested: new Set(),
    begun: new Map(),
    answers: [],
  };
  memories.set(session, memory);
  return memory;
}

/** The value of a text of the journal; undefined if it was deleted. */
export function valueOf(session: Session, ref: string): unknown {
  const { values } = memoryOf(session);
  if (values.has(ref)) return values.get(ref);
  const text = session.textOf(ref);
  if (text === null) return undefined;
  const value: unknown = JSON.parse(text);
  values.set(ref, value);
  return value;
}
