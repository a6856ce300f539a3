import type { FailureCategory } from './failure.ts';

/**
 * The role of a node: how its stage runs.
 *
 * `agent` asks an agent, `tool` calls a tool, `merge` joins the branches that reach it, `feedback` judges one stage and has it run again,
 * `decision` and `linear` compute their output from their input. Edges say where a node goes: any node with `decides` is a decision too.
 */
export const NODE_ROLES = ['agent', 'tool', 'decision', 'merge', 'feedback', 'linear'] as const;
export type NodeRole = (typeof NODE_ROLES)[number];

/**
 * `normal`: taken when its source is done. `conditional`: from a decision, in the order of the manifest the first one whose condition is
 * true. `error`: taken when its source has failed in its last attempt; its target gets the failure and the input of the source. `fallback`: taken
 * when its source has failed and no error edge leads away; its target gets the input of the source.
 */
export const EDGE_TYPES = ['normal', 'conditional', 'error', 'fallback'] as const;
export type EdgeType = (typeof EDGE_TYPES)[number];

export const MERGE_POLICIES = ['list', 'by_source', 'first', 'vote', 'reduce'] as const;
export type MergePolicy = (typeof MERGE_POLICIES)[number];

/** Maximum number of stages of a plan. */
export const MAX_STAGES = 1_000;
/** Maximum number of edges of a plan. */
export const MAX_EDGES = 5_000;
/** Maximum number of edges that lead away from one stage. */
export const MAX_EDGES_FROM = 256;

/** A JSON value whose strings that begin with `=` are expressions; `==` at the start stands for a literal `=`. */
export type Template = unknown;

export type PlanStage = Readonly<{
  id: string;
  role: NodeRole;
  /** True if the conditional edges of the stage decide which stage comes next. */
  decides: boolean;
  /** The agent that the stage asks; null for roles that ask no agent. */
  agent: string | null;
  /** The tool that the stage calls; null for roles that call no tool. */
  tool: string | null;
  /** The tools that a ToolPlan may name, if the input of a tool stage is one, whose steps are its calls; `tool` is then null. */
  toolPlan: readonly string[] | null;
  /** The input of the stage; null for the output of the stage before it, or for an entry the input of the task. */
  input: Template | null;
  /** An expression for the output of a `linear`, `decision` or `merge` (`reduce`) stage; null to pass the input on. */
  output: string | null;
  merge: MergePolicy | null;
  /**
   * Only of a feedback stage: the stage that it judges, the condition that ends the rounds, and the maximum number of
   * rounds.
   */
  feedback: Readonly<{ reviews: string; until: string; maxRounds: number }> | null;
  /** `attempts`: in all, at least 1. `on`: the categories that are tried again; null for all but permission and config. */
  retry: Readonly<{ attempts: number; backoffMs: number; on: readonly FailureCategory[] | null }>;
  timeoutMs: number | null;
}>;

/** `id` is unique in the plan: `from->to`, with `#2` and so on for further edges of the pair. */
export type PlanEdge = Readonly<{
  id: string;
  from: string;
  to: string;
  type: EdgeType;
  /** The condition of a conditional edge; null for its `otherwise` edge and for other types. */
  when: string | null;
}>;

/** The target of a failure without an edge: the first rule that fits. A null `role` fits every role. */
export type FallbackRule = Readonly<{ category: FailureCategory; role: NodeRole | null; to: string }>;

/** A compiled and validated workflow: what the engine carries out. Pure data, and the same JSON text for the same manifests. */
export type Plan = Readonly<{
  version: 1;
  workflow: string;
  pipeline: string;
  /** In topological order. */
  stages: readonly PlanStage[];
  /** In the order of the manifest. */
  edges: readonly PlanEdge[];
  fallbacks: readonly FallbackRule[];
  /** Maximum number of stages that run at once. */
  maxParallel: number;
}>;
