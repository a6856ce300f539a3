import type { ChatMessage, ChatRequest } from './chat-request.ts';

/** Tokens as a provider reports them; absent fields are unknown. */
export interface ReportedUsage {
  readonly promptTokens?: number | undefined;
  readonly completionTokens?: number | undefined;
  readonly cachedPromptTokens?: number | undefined;
  /** Tokens of the prompt that the provider wrote to its cache. Some providers charge more for them. */
  readonly cacheWriteTokens?: number | undefined;
  /** Tokens of the thoughts, which are a part of the completion. */
  readonly reasoningTokens?: number | undefined;
}

/** The usage of an answer: `usage {prompt, completion, total}` on the wire. */
export interface TokenUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
  readonly cachedPromptTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  /** True if at least one number is an estimate, because the provider did not report it. */
  readonly estimated: boolean;
}

/**
 * English has about four bytes of UTF-8 a token. In scripts with three bytes a character this gives 0.75 tokens a
 * character.
 */
const BYTES_PER_TOKEN = 4;
/** Tokens for the role and the separators of a message. */
const TOKENS_PER_MESSAGE = 4;
/** Providers count a picture of about a thousand pixels a side as 800 to 1,600 tokens. */
const TOKENS_PER_IMAGE = 1_200;

const encoder = new TextEncoder();

export function estimateTokens(text: string): number {
  return Math.ceil(encoder.encode(text).length / BYTES_PER_TOKEN);
}

function estimateMessage(message: ChatMessage, isOfThisTurn: boolean): number {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  const ofCalls = calls.reduce((all, call) => all + estimateTokens(call.name) + estimateTokens(call.arguments), 0);
  const images = message.role === 'user' || message.role === 'tool' ? (message.images ?? []) : [];
  const thoughts = message.role === 'assistant' && isOfThisTurn ? (message.reasoning ?? []) : [];
  const ofThoughts = thoughts.reduce((all, { text }) => all + estimateTokens(text), 0);
  return TOKENS_PER_MESSAGE + estimateTokens(message.content) + ofCalls + ofThoughts + images.length * TOKENS_PER_IMAGE;
}

/** Counts only the thoughts since the last user message: providers leave out earlier ones. */
export function estimatePromptTokens({ messages, tools = [], responseSchema }: ChatRequest): number {
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  const ofMessages = messages.reduce((sum, message, at) => sum + estimateMessage(message, at > lastUser), 0);
  const ofTools = tools.reduce((sum, tool) => sum + estimateTokens(JSON.stringify(tool)), 0);
  return ofMessages + ofTools + (responseSchema === undefined ? 0 : estimateTokens(JSON.stringify(responseSchema)));
}

/**
 * Tokens of what a prompt repeats beyond `estimatePromptTokens`: thoughts before the last user message, and all seals. A provider may
 * leave them out or count them, so money and tokens of the hour are held for them. Pure.
 */
export function estimateRepeatedThoughts({ messages }: Pick<ChatRequest, 'messages'>): number {
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  const items = messages.flatMap((message, at) =>
    message.role === 'assistant'
      ? (message.reasoning ?? []).map((item) => ({ ...item, isEarlier: at < lastUser }))
      : [],
  );
  return items.reduce(
    (sum, { text, sealed, isEarlier }) => sum + estimateTokens(sealed ?? '') + (isEarlier ? estimateTokens(text) : 0),
    0,
  );
}

/** Upper bound for the tokens of one answer. The counter of a provider that reports more is broken. */
const TOKENS_MAX = 100_000_000;

/** The count of a provider; undefined if it is missing or impossible. Pure. */
export const believedCount = (reported: number | undefined): number | undefined =>
  reported !== undefined && reported <= TOKENS_MAX ? reported : undefined;

/** Completes a report of usage: estimates the missing numbers. Pure. */
export function completeUsage(reported: ReportedUsage, request: ChatRequest, completionText: string): TokenUsage {
  const [prompt, completion] = [reported.promptTokens, reported.completionTokens].map(believedCount);
  const promptTokens = prompt ?? estimatePromptTokens(request);
  const completionTokens = completion ?? estimateTokens(completionText);
  const cachedPromptTokens = Math.min(reported.cachedPromptTokens ?? 0, promptTokens);
  return {
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    cachedPromptTokens,
    cacheWriteTokens: Math.min(reported.cacheWriteTokens ?? 0, promptTokens - cachedPromptTokens),
    reasoningTokens: Math.min(reported.reasoningTokens ?? 0, completionTokens),
    estimated: prompt === undefined || completion === undefined,
  };
}
