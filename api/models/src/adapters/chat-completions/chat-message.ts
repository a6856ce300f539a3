import { z } from 'zod';
import type { ReportedUsage } from '../../chat/token-usage.ts';
import { argumentsText, count, listOf, text, word } from '../../transport/parse-reply.ts';

const Usage = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  prompt_tokens_details: z.object({ cached_tokens: count }).nullish().catch(null),
  completion_tokens_details: z.object({ reasoning_tokens: count }).nullish().catch(null),
});

const Called = z.object({ name: text, arguments: argumentsText });
const Piece = z.object({
  index: z.int().nonnegative().nullable().catch(null),
  id: word,
  function: Called.catch({ name: '', arguments: '' }),
  extra_content: z.looseObject({}).nullish().catch(null),
});

/** A part of the content: a thought or a refusal by its type, any other part by its text. */
const Part = z.object({ type: text, text, thinking: z.unknown().optional(), refusal: text });
const Thought = z.object({ text, sealed: z.string().nullable().catch(null) });

const Message = z.object({
  content: z.unknown().optional(),
  refusal: text,
  /** Thoughts: `reasoning` with OpenRouter and newer vLLM, `reasoning_content` with others. */
  reasoning: text,
  reasoning_content: text,
  /** Thoughts with their seals, from OpenRouter and from a village's gateway. */
  reasoning_details: listOf(z.looseObject({ type: z.string() })),
  reasoning_items: listOf(Thought),
  tool_calls: listOf(Piece),
  /** The only call of servers that predate `tool_calls`. */
  function_call: Called.nullish().catch(null),
});
export type Message = z.infer<typeof Message>;

const Choice = z.object({
  message: Message.nullish().catch(null),
  delta: Message.nullish().catch(null),
  finish_reason: text,
  logprobs: z
    .object({ content: listOf(z.unknown()) })
    .nullish()
    .catch(null),
});
export type Choice = z.infer<typeof Choice>;

export const Reply = z.object({ choices: listOf(Choice), usage: Usage.nullish().catch(null) });

export function usageOf(usage: z.infer<typeof Usage>): ReportedUsage {
  return {
    promptTokens: usage.prompt_tokens ?? undefined,
    completionTokens: usage.completion_tokens ?? undefined,
    cachedPromptTokens: usage.prompt_tokens_details?.cached_tokens ?? undefined,
    reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? undefined,
  };
}

export interface ContentPiece {
  readonly kind: 'text' | 'thought' | 'refusal';
  readonly text: string;
}

/** The words of a thought, which Mistral writes as parts again. */
function thoughtText(thinking: unknown): string {
  if (typeof thinking === 'string') return thinking;
  const parts = listOf(z.object({ text })).safeParse(thinking).data ?? [];
  return parts.map((part) => part.text).join('');
}

function partPiece({ type, text: words, thinking, refusal }: z.infer<typeof Part>): ContentPiece {
  if (type === 'thinking' || type === 'reasoning') return { kind: 'thought', text: thoughtText(thinking) || words };
  return type === 'refusal' ? { kind: 'refusal', text: refusal } : { kind: 'text', text: words };
}

const Parts = listOf(Part);

/** The pieces of a message's content, a text or a list of parts. */
export function contentPieces(content: unknown): readonly ContentPiece[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  if (content === null || content === undefined) return [];
  return Parts.parse(Array.isArray(content) ? content : [content]).map(partPiece);
}
