/**
 * The seam between a resident and whatever thinks for it.
 *
 * The resident walks the village by itself; what it says when somebody speaks to it comes from the runtime
 * named in the Agent's `spec.runtime.name`. A runtime is created once for each life of a resident, gets one
 * `initialize`, any number of `execute`, never two at a time, and one `terminate`.
 *
 * To plug in another runtime:
 *
 * 1. write a factory `() => AgentRuntime` (`examples/echo-runtime.ts` is a complete one);
 * 2. add it under its name to the registry in `resident/src/runtimes.ts`;
 * 3. name it in the Agent: `spec: { runtime: { name: echo, config: { prefix: "…" } } }`.
 *
 * Nothing else changes: the pod, the volume, the token, the turn log and the limits are the same for all runtimes.
 */
export type AgentRuntime = {
  /**
   * Prepares the runtime: reads its settings, opens what it needs.
   * Rejects if the settings are wrong; the resident then warns, walks on, and answers nobody.
   */
  initialize(config: RuntimeConfig): Promise<void>;

  /**
   * Does what the prompt asks and answers in words.
   * The answer may have any length; who speaks it cuts it to what fits in a speech bubble.
   * Stops as soon as `context.signal` aborts; a rejection is written to the turn's record and nothing is said.
   */
  execute(prompt: string, context: RuntimeContext): Promise<string>;

  /** Lets go of everything `initialize` opened. Called once, also after a failed `initialize`. */
  terminate(): Promise<void>;
};

/** What is known when the resident starts. */
export type RuntimeConfig = Readonly<{
  agentId: string;
  displayName: string;
  /** Identity, personality and instructions, joined; empty when the Agent has none. */
  persona: string;
  /** Folder that the runtime may work in. */
  workspacePath: string;
  /** The agent's memory: one JSON object a line, in the form of the MCP memory server. */
  memoryPath: string;
  /** `spec.runtime.config` of the Agent, as written there: each runtime checks its own. */
  settings: Readonly<Record<string, unknown>>;
}>;

/** What is known at one prompt. */
export type RuntimeContext = Readonly<{
  /** The Agent's repository, or null when it has none. */
  repository: string | null;
  branch: string | null;
  /** Who asks: an agent's id or a person's name. */
  speaker: string;
  /** Where the agent is, in words; null out of doors. */
  place: string | null;
  /** What the agent is about to do, in words, so that an answer may speak of it. */
  plan: string;
  /** Same seed, same prompt, same context: a deterministic runtime gives the same answer. */
  seed: number;
  /** Aborts when the time for an answer is over or the resident ends. */
  signal: AbortSignal;
}>;
