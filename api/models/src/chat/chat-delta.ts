import type { ReasoningItem, ToolCall } from './chat-request.ts';
import type { CostEstimate } from './cost-estimate.ts';
import type { ModelError } from './model-error.ts';
import type { ReportedUsage, TokenUsage } from './token-usage.ts';

/** `length`: the answer reached its limit of tokens. */
export type Finish = 'stop' | 'length' | 'tool_calls';

/** A piece of a tool call. Pieces with the same `slot` belong to one call; their `arguments` are joined in order. */
export interface ToolPiece {
  readonly kind: 'tool';
  readonly slot: number;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly arguments?: string | undefined;
}

/** A piece of a thought. A piece with `sealed` ends its item; the next piece begins another one. */
export interface ReasoningPiece {
  readonly kind: 'reasoning';
  readonly text: string;
  readonly sealed?: string | null | undefined;
}

/** Pieces of an answer from an adapter. `end` comes last; an answer without it is incomplete. */
export type AdapterDelta =
  | { readonly kind: 'text'; readonly text: string }
  | ReasoningPiece
  | ToolPiece
  /** The probabilities of the next tokens, in the form of Chat Completions. */
  | { readonly kind: 'logprobs'; readonly tokens: readonly unknown[] }
  /** A later report overrides the fields that it contains. */
  | { readonly kind: 'usage'; readonly usage: ReportedUsage }
  | { readonly kind: 'end'; readonly finish: Finish; readonly raw: unknown };

export interface Target {
  readonly provider: string;
  readonly model: string;
}

export interface Spent {
  readonly usage: TokenUsage;
  readonly costEstimate: CostEstimate | null;
}

/**
 * Pieces of a streamed answer. Each attempt starts with `begin`, which withdraws all earlier pieces. These are only
 * reasoning, because no attempt follows after text or a tool call. Exactly one `end` or `failed` comes last.
 */
export type ChatDelta =
  | { readonly kind: 'begin'; readonly attempt: number; readonly target: Target }
  | ({ readonly kind: 'retry'; readonly error: ModelError; readonly delayMs: number } & Spent)
  | Exclude<AdapterDelta, { readonly kind: 'end' | 'usage' }>
  /** The provider has sent a piece of an answer that is held back until its end. */
  | { readonly kind: 'held' }
  | ({ readonly kind: 'end'; readonly finish: Finish; readonly raw: unknown } & Spent)
  | ({ readonly kind: 'failed'; readonly error: ModelError } & Spent);

export interface FailedAttempt extends Spent {
  readonly target: Target;
  readonly error: ModelError;
}

/** An answer, or the part of it that arrived before a failure. */
export interface PartialAnswer extends Spent {
  readonly target: Target | null;
  readonly content: string;
  /** The words of all thoughts. */
  readonly reasoning: string;
  /** The thoughts as the next request must repeat them. */
  readonly reasoningItems: readonly ReasoningItem[];
  readonly toolCalls: readonly ToolCall[];
  /** The probabilities of the tokens, if the request asks for them. */
  readonly logprobs: readonly unknown[];
  /** Earlier attempts, which may also have cost tokens. */
  readonly failedAttempts: readonly FailedAttempt[];
}

/**
 * A complete answer. The wire names of the same parts: `content`, `tool_calls` = toolCalls, `usage {prompt, completion,
 * total}` = usage, `raw`, `cost_estimate` = costEstimate. `raw` is the provider's answer without credentials; for a
 * stream, that is its last message.
 */
export interface ChatAnswer extends PartialAnswer {
  readonly target: Target;
  readonly finish: Finish;
  readonly raw: unknown;
}

export type ChatOutcome =
  | { readonly ok: true; readonly answer: ChatAnswer }
  | { readonly ok: false; readonly error: ModelError; readonly partial: PartialAnswer };
