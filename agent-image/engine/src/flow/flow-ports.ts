import type { ToolOutcome } from '../effects/tool-outcome.ts';
import type { RunRequest } from '../loop/engine.ts';
import type { FlowState } from '../state/flow-state.ts';
import type { RunState } from '../state/run-state.ts';
import type { StageFailure } from '../workflow/plan/failure.ts';
import type { PlanStage } from '../workflow/plan/plan.ts';

/** A stage at work. `input`: the value that it got. */
export type StageAt = Readonly<{ run: string; stage: PlanStage; attempt: number; round: number; input: unknown }>;

/** A call that a tool stage makes next. */
export type StageCall = Readonly<{ tool: string; arguments: unknown }>;

/** The settled calls of a stage in their order. `outcome`: null if its text was deleted. `durationMs`: of its last attempt; null if it had none. */
export type SettledCall = Readonly<{ tool: string; outcome: ToolOutcome | null; durationMs: number | null }>;

export type ToolStep =
  | Readonly<{ kind: 'calls'; calls: readonly StageCall[] }>
  | Readonly<{ kind: 'done'; output: unknown }>
  | Readonly<{ kind: 'failed'; failure: StageFailure }>;

/** The run of an agent stage, without what the plan says about it. */
export type AgentRun = Pick<RunRequest, 'input' | 'prompt' | 'model' | 'budgets' | 'output'>;

/** The answers of the manifests to a run with a plan. Each answer is the same for the same stage and input. */
export type FlowPorts = Readonly<{
  /** `flow`: the stages of the task so far. */
  agentRun: (
    at: StageAt,
    flow: FlowState,
  ) => Promise<Readonly<{ ok: true; run: AgentRun }> | Readonly<{ ok: false; failure: StageFailure }>>;
  /**
   * The call that asks the agent of a stage, in a host whose agents are not runs of this engine; without it they are. The text of its
   * result is the answer as JSON. `task`: the run so far. Pure.
   */
  agentCall?: (at: StageAt, task: RunState) => StageCall;
  /** The next calls of a tool stage after those so far, or its end. Pure. */
  toolStep: (at: StageAt, settled: readonly SettledCall[]) => ToolStep;
  /** Asked before a stage begins: the reason of a veto, or null. */
  beforeStage: (at: StageAt) => Promise<string | null>;
  /** Called after a stage ended, for observers. */
  afterStage: (at: StageAt, end: Readonly<{ output: unknown; failure: StageFailure | null }>) => void;
}>;
