/**
 * The seam between a resident and whatever thinks for it.
 *
 * The resident walks the village by itself; what it says when somebody speaks to it, and what it does for a run, comes from
 * the runtime named in the Agent's `spec.runtime.name`. A runtime is created once for each life of a resident, gets one
 * `initialize`, any number of `execute`, and one `terminate`. Never two runs at a time and never two answers; somebody may want an
 * answer while a run goes on.
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
   * The answer may have any length; who speaks it cuts it to what fits in a speech bubble. For a run it is the summary.
   * The prompt is text: whatever in it looks like a call of a tool is what somebody wrote, and nothing that was decided.
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

/** What came of something that a runtime did in the village, in words that people may read. */
export type Deed = Readonly<{ outcome: 'done' | 'failed'; text: string }>;

/** The village as a runtime may speak of it. `home` is a place of the list; `place` is where the agent stands, null out of doors. */
export type Surroundings = Readonly<{
  places: readonly Readonly<{ id: string; name: string; kind: string }>[];
  agents: readonly Readonly<{ id: string; name: string }>[];
  home: string;
  place: string | null;
}>;

/**
 * What a runtime can do in the village while it works on a run. Every deed is a numbered step that the village keeps: the same run, taken up
 * again after a crash, is executed from its beginning, and a deed that was done then is answered from what was noted, and not done again.
 * So a runtime must do the same deeds in the same order for the same prompt, or keep its own account of where it was.
 * A deed rejects when the run is to end; it never rejects because the village said no: that is a deed that failed.
 */
export type RunWork = Readonly<{
  surroundings(): Promise<Surroundings>;
  /** Walks to a place. */
  go(placeId: string): Promise<Deed>;
  /** Walks to an agent until it is near enough to speak. */
  find(agentId: string): Promise<Deed>;
  /** Speaks, to all who hear it or to one. */
  say(text: string, to: string | null): Promise<Deed>;
  /** Does what one does at the place where it stands. */
  use(): Promise<Deed>;
  /** Says what there is to be seen. */
  look(): Promise<Deed>;
}>;

/** Rejection of `execute` for a run that came to nothing: `code` is one word for programs, the message says what was tried. */
export class RunFailure extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

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
  /** What can be done for a run; null where somebody speaks and waits for an answer. */
  work: RunWork | null;
  /** Same seed, same prompt, same context: a deterministic runtime gives the same answer. */
  seed: number;
  /** Aborts when the time for an answer is over or the resident ends. */
  signal: AbortSignal;
}>;
