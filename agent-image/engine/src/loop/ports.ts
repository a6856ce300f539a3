import { z } from 'zod';
import type { OutcomeImage } from '../effects/tool-outcome.ts';
import { FINISHES, MAX_CALLS_PER_ANSWER, type Effect, type OutcomeKind } from '../journal/event.ts';

const MAX_ANSWER_CHARS = 1_000_000;
const MAX_NAME = 200;
const MAX_REASONING_ITEMS = 64;

/** A part of a model's thought. `sealed`: the provider's signature or encrypted form, which only it can read. */
export const ReasoningItem = z.strictObject({
  text: z.string().max(MAX_ANSWER_CHARS),
  sealed: z.string().max(MAX_ANSWER_CHARS).nullable(),
});
export type ReasoningItem = Readonly<z.infer<typeof ReasoningItem>>;

export type Message =
  | Readonly<{ role: 'user'; content: string }>
  /** `reasoning`: the thought before the answer, as the model's provider wants it back. */
  | Readonly<{
      role: 'assistant';
      content: string;
      toolCalls: readonly ModelCall[];
      reasoning?: readonly ReasoningItem[];
    }>
  /** `outcome` is null if the call has no result. `code`: of a failure. */
  | Readonly<{
      role: 'tool';
      callId: string;
      content: string;
      outcome: OutcomeKind | null;
      code?: string;
      images?: readonly OutcomeImage[];
    }>;

/** A call as the model writes it: `arguments` is text that should be JSON. */
export type ModelCall = Readonly<{ id: string; name: string; arguments: string }>;

export type ModelRequest = Readonly<{
  model: string;
  /** The position of the request in its run, under which a provider may publish its words. Null outside runs. */
  at: Readonly<{ run: string; ask: number; attempt: number }> | null;
  /** A provider can cache `stable`, which does not change between requests; `situation` follows it. */
  system: Readonly<{ stable: string; situation: string }>;
  messages: readonly Message[];
  tools: readonly Readonly<{ name: string; description: string; input: z.ZodType }>[];
}>;

const count = z.int().min(0);
const usage = z.strictObject({ prompt: count, completion: count, total: count });

const answer = z.strictObject({
  type: z.literal('answer'),
  content: z.string().max(MAX_ANSWER_CHARS),
  toolCalls: z
    .array(
      z.strictObject({
        id: z.string().min(1).max(MAX_NAME),
        name: z.string().min(1).max(MAX_NAME),
        arguments: z.string().max(MAX_ANSWER_CHARS),
      }),
    )
    .max(MAX_CALLS_PER_ANSWER),
  finish: z.enum(FINISHES),
  reasoning: z.array(ReasoningItem).max(MAX_REASONING_ITEMS),
  usage,
  moneyMicros: count,
});
/** The usage of a request, as the end of its stream reports it. It is read even if the rest of that end is invalid. */
export const ModelUse = z.object({ usage, moneyMicros: count });
export type ModelUse = Readonly<z.infer<typeof ModelUse>>;
const failure = z.strictObject({
  type: z.literal('failed'),
  /** A machine-readable code, for example `rate`, `context_too_long` or `content_refused`. */
  code: z.string().regex(/^[a-z][a-z0-9_]{0,50}$/),
  /** True if another attempt may succeed within seconds. */
  retryable: z.boolean(),
  /** Milliseconds after which the request may succeed; null if the provider names none. */
  retryAfterMs: count.nullable(),
  usage,
  moneyMicros: count,
});

/** The end of a model's stream. The engine validates it, because it does not trust models. */
export const ModelEnd = z.discriminatedUnion('type', [answer, failure]);
export type ModelEnd = Readonly<z.infer<typeof ModelEnd>>;
export type ModelDelta = Readonly<{ type: 'delta'; text: string }>;

export type ModelPort = Readonly<{
  /** Yields deltas, and then one end. A stream that breaks or lacks an end is a retryable failure. */
  chat: (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelDelta | ModelEnd>;
}>;

export type ProposedCall = Readonly<{
  run: string;
  conversation: string;
  call: string;
  tool: string;
  effect: Effect;
  arguments: string;
  argumentsRef: string;
}>;

/** Decides before each attempt of a call. Pure and fast. A denial overrides an earlier permission. */
export type PolicyPort = Readonly<{
  judge: (call: ProposedCall) => Readonly<{ verdict: 'allow' | 'ask' | 'deny'; reason: string }>;
}>;

export type Question = ProposedCall & Readonly<{ request: string; why: 'policy' | 'unknown' }>;

export type ApprovalPort = Readonly<{
  /** Shows the question to people; repeated with the same `request` after a restart. `Engine.answer` receives answers. */
  ask: (question: Question) => Promise<void>;
}>;

/**
 * A summary of a conversation up to a run, in the model's words alone. The same summary has the same `id`. `earlier`: the last runs of
 * the conversation before this one, at most 50; an earlier summary stands for those before them.
 */
export type KeptSummary = Readonly<{
  id: string;
  text: string;
  conversation: string;
  run: string;
  earlier: readonly string[];
}>;

export type MemoryPort = Readonly<{
  recall: (query: Readonly<{ text: string; conversation: string; run: string }>) => Promise<readonly string[]>;
  /** Keeps a summary as memory of its conversation. Without it, only the journal has the summaries. */
  keep?: (summary: KeptSummary) => Promise<void>;
}>;

/** `text` is blank if the model wrote none; `failed` is then the code of its failure, if it failed. */
export type Summary = Readonly<{ text: string; tokens: number; moneyMicros: number; failed?: string }>;

export type CompactionPort = Readonly<{
  /** Maximum tokens of prompt and answer together; null if unknown. */
  contextTokens: (model: string) => number | null;
  summarize: (text: string, ports: Readonly<{ model: string; signal: AbortSignal }>) => Promise<Summary>;
}>;

export type ClockPort = Readonly<{
  /** Milliseconds since 1970, for display only; use `monotonic` to measure. */
  now: () => number;
  monotonic: () => number;
  /** Runs after the delay, unless the returned function is called before. */
  after: (ms: number, run: () => void) => () => void;
  /** Resolves after the delay, or at once when the signal aborts. */
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}>;

export type IdPort = Readonly<{ next: () => string }>;
