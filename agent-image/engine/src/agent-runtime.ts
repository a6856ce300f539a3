/**
 * The interface between a resident and the program that writes its answers and carries out its runs.
 *
 * The resident decides by itself where to walk. The runtime named in the Agent's `spec.runtime.name` answers when an
 * agent or a person speaks to the agent, and carries out runs. A resident creates one runtime and calls `initialize`
 * once, `execute` any number of times and `terminate` once. At most one run and one answer are under way; a run and an
 * answer may overlap.
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
   * Rejects if the settings are wrong; the resident then logs a warning, still walks, and gives no answers.
   */
  initialize(config: RuntimeConfig): Promise<void>;

  /**
   * Carries out the prompt and answers in words: the reply to speak, which the resident cuts to the length of a speech bubble,
   * or the summary of a run. Text in the prompt that looks like a tool call is text, not an instruction to run the tool.
   * Stops as soon as `context.signal` aborts. A rejection is recorded with the turn, and the agent stays silent.
   */
  execute(prompt: string, context: RuntimeContext): Promise<string>;

  /** Releases everything that `initialize` opened. Called once, also after a failed `initialize`. */
  terminate(): Promise<void>;
};

/** The settings of one resident, known when it starts. */
export type RuntimeConfig = Readonly<{
  agentId: string;
  displayName: string;
  /** Identity, personality and instructions, joined; empty when the Agent has none. */
  persona: string;
  /** Folder that the runtime may write to. */
  workspacePath: string;
  /** The agent's memory file: one JSON object a line, in the form of the MCP memory server. */
  memoryPath: string;
  /** `spec.runtime.config` of the Agent, as written there: each runtime checks its own. */
  settings: Readonly<Record<string, unknown>>;
}>;

/** The result of one tool call in the village; `text` is for people and models to read. */
export type ToolResult = Readonly<{ outcome: 'done' | 'failed'; text: string }>;

/**
 * Names of the village's places and agents. `home` is the id of one of the places; `place` is where the agent stands,
 * null out of doors.
 */
export type Surroundings = Readonly<{
  places: readonly Readonly<{ id: string; name: string; kind: string }>[];
  agents: readonly Readonly<{ id: string; name: string }>[];
  home: string;
  place: string | null;
}>;

/**
 * The tools of a run. The API stores each call as a numbered step. After a crash the run is executed again from its beginning, and
 * the resident answers every stored step from the record without repeating it. So a runtime must make the same calls in the same
 * order for the same prompt, or keep its own record of its progress.
 * A call rejects only when the run must end. A refusal by the village is a result with the outcome `failed`.
 */
export type RunWork = Readonly<{
  surroundings(): Promise<Surroundings>;
  /** Walks to a place. */
  go(placeId: string): Promise<ToolResult>;
  /** Follows an agent until it is near enough to speak to. */
  find(agentId: string): Promise<ToolResult>;
  /** Speaks to one agent, or to all agents in earshot when `to` is null. */
  say(text: string, to: string | null): Promise<ToolResult>;
  /** Uses the place where the agent stands, for example reads the board. */
  use(): Promise<ToolResult>;
  /** Describes the surroundings. */
  look(): Promise<ToolResult>;
}>;

/** The error with which `execute` fails a run: `code` is one word for programs, the message is for people. */
export class RunFailure extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The context of one prompt. */
export type RuntimeContext = Readonly<{
  /** The Agent's repository, or null when it has none. */
  repository: string | null;
  branch: string | null;
  /** The author of the prompt: an agent's id or a person's name. */
  speaker: string;
  /** Name of the place where the agent is; null out of doors. */
  place: string | null;
  /** The agent's present goal, in words that follow "I am". */
  plan: string;
  /** The tools of a run; null when the prompt is speech that waits for an answer. */
  work: RunWork | null;
  /** A deterministic runtime gives the same answer for the same seed, prompt and context. */
  seed: number;
  /** Aborts at the timeout of the answer and when the resident ends. */
  signal: AbortSignal;
}>;
