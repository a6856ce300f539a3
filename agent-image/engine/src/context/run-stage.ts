import { buildAgentPrompt, type AgentPrompt, type PromptParts, type PromptPiece } from './agent-prompt.ts';
import type { ContextProfile } from './profile.ts';
import type { TokenCounter } from './text-piece.ts';

export type StageUse = Readonly<{ promptTokens: number; completionTokens: number; moneyMicros: number }>;

export type StageAnswer =
  | (StageUse & Readonly<{ ok: true; text: string }>)
  /** `code`: the model's failure. */
  | (StageUse & Readonly<{ ok: false; code: string }>);

/** One request to the model. `error`: what was wrong with the answer before; null at first. Rejects if the model fails. */
export type StageCall = (ask: Readonly<{ error: string | null }>) => Promise<string>;

export type ReadAnswer<T, R> =
  | Readonly<{ ok: true; value: T; repair: R }>
  | Readonly<{ ok: false; code: string; error: string }>;

export type StagePorts<T, R> = Readonly<{
  model: (prompt: Pick<AgentPrompt, 'system' | 'user'>, signal: AbortSignal) => Promise<StageAnswer>;
  /** Calls the model until an answer fits, as often as its policy allows. */
  read: (call: StageCall) => Promise<ReadAnswer<T, R>>;
  countTokens: TokenCounter;
  /** Milliseconds. */
  monotonic: () => number;
}>;

export type Stage = Readonly<{ parts: PromptParts; profile: ContextProfile; signal: AbortSignal }>;

export type StageResult<T, R> = Readonly<{
  result: ReadAnswer<T, R>;
  attempts: number;
  use: StageUse;
  latencyMs: number;
  /** The parts that the model read in the last attempt; empty if it was not asked. */
  context: readonly PromptPiece[];
}>;

/** Ends a stage whose prompt does not fit or whose model failed. */
class NoAnswer extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = 'NoAnswer';
    this.code = code;
  }
}

const TOO_SMALL =
  'The instructions, the task and the schema do not fit into max_tokens. Raise max_tokens, or shorten them.';

/** A report about a wrong answer is at most this long. */
const MAX_PROBLEM_CHARS = 2_000;

/**
 * Carries out one stage: builds its prompt, asks the model, and reads the answer. A model that fails and an answer that does not fit
 * are results with a code; what a port throws passes through.
 */
export async function runStage<T, R>(stage: Stage, ports: StagePorts<T, R>): Promise<StageResult<T, R>> {
  const begun = ports.monotonic();
  const done = { attempts: 0, use: NO_USE, context: [] as readonly PromptPiece[] };
  const ask: StageCall = async ({ error }) => {
    const prompt = promptOf(stage, ports.countTokens, error);
    done.attempts += 1;
    done.context = prompt.pieces;
    const answer = await ports.model(prompt, stage.signal);
    done.use = sumOf(done.use, answer);
    if (!answer.ok) throw new NoAnswer(answer.code, `The model failed: ${answer.code}.`);
    return answer.text;
  };
  const result = await ports.read(ask).catch((error: unknown): ReadAnswer<T, R> => {
    if (error instanceof NoAnswer) return { ok: false, code: error.code, error: error.message };
    throw error;
  });
  return { result, ...done, latencyMs: ports.monotonic() - begun };
}

const NO_USE: StageUse = { promptTokens: 0, completionTokens: 0, moneyMicros: 0 };

const sumOf = (one: StageUse, other: StageUse): StageUse => ({
  promptTokens: one.promptTokens + other.promptTokens,
  completionTokens: one.completionTokens + other.completionTokens,
  moneyMicros: one.moneyMicros + other.moneyMicros,
});

function promptOf({ parts, profile }: Stage, countTokens: TokenCounter, error: string | null): AgentPrompt {
  const again = error === null ? {} : { problem: error.slice(0, MAX_PROBLEM_CHARS) };
  const prompt = buildAgentPrompt({ ...parts, ...again }, { profile, countTokens });
  if (!prompt.isComplete) throw new NoAnswer('context_too_small', TOO_SMALL);
  return prompt;
}
