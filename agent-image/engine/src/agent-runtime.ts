import type { Budgets } from './journal/event.ts';
import type { OutputForm } from './effects/read-output.ts';
import type { Tool } from './effects/tool.ts';
import type { Engine, GivenAnswer } from './loop/engine.ts';
import type { ModelPort } from './loop/ports.ts';
import type { SystemPrompt } from './context/system-prompt.ts';
import type { ProgramPort } from './runtimes/program-port.ts';

/**
 * The interface between a resident and the program that thinks for an agent: it carries out runs and answers speech.
 *
 * A resident creates one runtime for each conversation (a session, or a run without a session). It calls `initialize` once,
 * `execute` any number of times and `terminate` once. A conversation may outlive its runtime: the next runtime has the same
 * `sessionId`. A conversation has at most one run in progress.
 *
 * To plug in another runtime:
 *
 * 1. write a factory `() => AgentRuntime` (`examples/echo-runtime.ts` is a complete one);
 * 2. add it under its name to the registry in `resident/src/runtimes.ts`;
 * 3. name it in the Agent: `spec: { runtime: { name: echo, config: { prefix: "…" } } }`.
 */
export type AgentRuntime = {
  /**
   * Prepares the runtime: reads its settings, opens what it needs. Rejects if the settings are wrong: the resident then logs a
   * warning, still moves its agent, and gives no answers.
   */
  initialize(config: RuntimeConfig, host: RuntimeHost): Promise<void>;

  /**
   * Processes an input and returns its outcome. Text in the input that looks like a tool call is text, not an instruction to run
   * the tool. `context.signal` aborts with `RunCancelled` when a person cancels, and with any other reason when the resident
   * releases the run. After a release the outcome is `interrupted`, and a later `execute` of the same run continues it. A
   * rejection fails the run.
   */
  execute(input: RuntimeInput, context: RuntimeContext): Promise<RuntimeOutcome>;

  terminate(): Promise<void>;

  /** The program that thinks for a runtime that only starts one; null until the runtime knows it. */
  program?(): RuntimeProgram | null;
};

/** A program that thinks. Name and version may be its own words. */
export type RuntimeProgram = Readonly<{
  name: string;
  version: string | null;
  /** False if the next run installs it first; null if the runtime does not install it. */
  installed: boolean | null;
}>;

export type RuntimeConfig = Readonly<{
  /** Id of the session, or of the run if the run has no session. */
  sessionId: string;
  /** Folder that the runtime may write to: the work tree of the repository, if there is one. */
  repoPath: string;
  /** The agent's memory file: one JSON object a line, in the form of the MCP memory server. */
  memoryPath: string;
  agentId: string;
  displayName: string;
  persona: string;
  /** `spec.runtime.config` of the Agent, as written there: each runtime checks its own. */
  settings: Readonly<Record<string, unknown>>;
}>;

export type RuntimeHost = Readonly<{
  /** The engine on the agent's journal. Rejects with `RunFailure` if the journal cannot be used. */
  engine: () => Promise<Engine>;
  /**
   * Another engine on the same journal, for a runtime that makes a single call of its own. No policy judges its tools, because
   * the Agent itself names the runtime. Rejects like `engine`.
   */
  engineWith: (parts: EngineParts) => Promise<Engine>;
  model: ModelPort;
  /** Programs in the hands of the pod; null if the pod has none. */
  programs: ProgramPort | null;
  /** Resolves when the API has the run's journal, which it needs before anything outside happens. */
  mirrored: (run: string, signal: AbortSignal) => Promise<void>;
}>;

export type EngineParts = Readonly<{ model: ModelPort; tools: readonly Tool[] }>;

export type RunInput = Readonly<{
  kind: 'run';
  run: string;
  text: string;
  prompt: SystemPrompt;
  model: string;
  budgets: Budgets;
  /** The run and call that started this run. The same engine must be running that run. */
  parent?: Readonly<{ run: string; call: string }>;
  answers: readonly GivenAnswer[];
  /** The form in which the run must answer. A runtime that does not know it gives an answer that the API refuses. */
  output?: OutputForm;
  work: RunWork;
}>;

/** Speech to the agent. The resident shortens the answer to the length of a speech bubble. */
export type SpeechInput = Readonly<{ kind: 'speech'; text: string; prompt: SystemPrompt; model: string }>;

export type RuntimeInput = RunInput | SpeechInput;

export type RuntimeOutcome =
  /** `output`: the value of an answer in the form of the run, as JSON. */
  | Readonly<{ kind: 'done'; text: string; output?: string }>
  /** `code` is machine-readable. `text`: its last words, if it has any. `unsettled` lists the calls that may have had an effect. */
  | Readonly<{ kind: 'failed'; code: string; message: string; text?: string; unsettled: readonly string[] }>
  | Readonly<{ kind: 'cancelled'; unsettled: readonly string[] }>
  /** The run waits for people, who must answer these requests. */
  | Readonly<{ kind: 'waiting'; requests: readonly string[] }>
  /** The model cannot be reached now. A later `execute` continues the run. */
  | Readonly<{ kind: 'parked'; code: string; waitMs: number }>
  | Readonly<{ kind: 'interrupted' }>;

export type ToolResult = Readonly<{ outcome: 'done' | 'failed'; text: string }>;

/** Names of places and agents. `home` is the id of a place; `place` is where the agent stands, null out of doors. */
export type Surroundings = Readonly<{
  places: readonly Readonly<{ id: string; name: string; kind: string }>[];
  agents: readonly Readonly<{ id: string; name: string }>[];
  home: string;
  place: string | null;
}>;

/**
 * The tools of a runtime without a journal. The API stores each call as a numbered step. After a crash the run starts again, and
 * the resident answers every stored step from the record instead of repeating it. Such a runtime must therefore make the same
 * calls in the same order for the same prompt. A model cannot do that, so it uses the engine's tools.
 * A call rejects only when the run must end. If the village refuses a call, the result has the outcome `failed`.
 */
export type RunWork = Readonly<{
  surroundings(): Promise<Surroundings>;
  go(placeId: string): Promise<ToolResult>;
  /** Follows an agent until it is near enough to speak to. */
  find(agentId: string): Promise<ToolResult>;
  say(text: string, to: string | null): Promise<ToolResult>;
  use(): Promise<ToolResult>;
  look(): Promise<ToolResult>;
  /** Lists the memories that the people of the run gave the agent. */
  recall(): Promise<ToolResult>;
  /** Forgets the newest message of the conversation before this one. */
  forget(): Promise<ToolResult>;
}>;

/** The error with which `execute` fails a run: `code` is machine-readable, the message is for people. */
export class RunFailure extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The reason of the signal when a person has cancelled the run. */
export class RunCancelled extends Error {}

/** The reason of the signal when the process ends: requests and calls in progress may finish within 8 s. */
export class ProcessEnding extends Error {}

export type RuntimeContext = Readonly<{
  sessionId: string;
  /** The memory file of the repository, which its next session reads; without a repository, the agent's own memory file. */
  memoryPath: string;
  /** The current repository and branch of the work tree. Without a work tree: those in the Agent, or null. */
  repo: string | null;
  branch: string | null;
  speaker: string;
  place: string | null;
  /** The agent's current goal, in words that follow "I am". */
  plan: string;
  /** A deterministic runtime gives the same answer for the same seed, input and context. */
  seed: number;
  signal: AbortSignal;
}>;

export const doneWith = (text: string): RuntimeOutcome => ({ kind: 'done', text });
