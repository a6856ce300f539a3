import type { ReportedUsage } from '../../chat/token-usage.ts';
import { ModelFault } from '../../chat/model-error.ts';
import type { CallPiece } from './call-slots.ts';
import type { Detail } from './reasoning-details.ts';

/**
 * The fields of a server's message. Servers differ in the form of nearly every field, so a field of another form counts as absent.
 * Functions read them instead of a schema, because each piece of an answer is read in a tenth of the time.
 */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
/** A name or an id, which some servers write as a number. */
const wordOf = (value: unknown): string => (typeof value === 'number' ? String(value) : textOf(value));
/** JSON text, or the object that some servers write instead. */
const argumentsOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value ?? undefined) ?? '');

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const countOf = (value: unknown): number | undefined => (isCount(value) ? value : undefined);

/** A choice of a reply. `delta` and `message` are null if the server sent none. */
export interface Choice {
  readonly delta: Message | null;
  readonly message: Message | null;
  readonly finish: string;
  readonly logprobs: readonly unknown[];
}

/** A message or a part of one. */
export interface Message {
  readonly content: unknown;
  readonly refusal: string;
  readonly thoughts: string;
  /** Thoughts with their seals, from a village's gateway. */
  readonly items: readonly { readonly text: string; readonly sealed: string | null }[];
  /** The same from OpenRouter. */
  readonly details: readonly Detail[];
  readonly calls: readonly CalledPiece[];
}

/** A piece of a call. `extra`: what the provider attached to it. */
export type CalledPiece = CallPiece & { readonly extra: Fields | null };

export interface Reply {
  /** The first choice; null if the reply has none. */
  readonly choice: Choice | null;
  readonly usage: ReportedUsage | null;
}

/** Throws a `bad_answer` for anything but an object. */
export function replyOf(value: unknown): Reply {
  if (!isFields(value)) throw new ModelFault('bad_answer', 'the provider sent a message of an unexpected form');
  const choice = listOf(value['choices']).find(isFields);
  const { usage } = value;
  return { choice: choice === undefined ? null : choiceOf(choice), usage: isFields(usage) ? usageOf(usage) : null };
}

const choiceOf = ({ delta, message, finish_reason: finish, logprobs }: Fields): Choice => ({
  delta: isFields(delta) ? messageOf(delta) : null,
  message: isFields(message) ? messageOf(message) : null,
  finish: textOf(finish),
  logprobs: listOf(fieldsOf(logprobs)['content']),
});

function messageOf(message: Fields): Message {
  return {
    content: message['content'],
    refusal: textOf(message['refusal']),
    // `reasoning` with OpenRouter and newer vLLM, `reasoning_content` with others.
    thoughts: textOf(message['reasoning_content']) || textOf(message['reasoning']),
    items: listOf(message['reasoning_items']).filter(isFields).map(itemOf),
    details: listOf(message['reasoning_details']).filter(isDetail),
    calls: callsOf(message),
  };
}

const itemOf = ({ text, sealed }: Fields) => ({
  text: textOf(text),
  sealed: typeof sealed === 'string' ? sealed : null,
});

const isDetail = (value: unknown): value is Detail => isFields(value) && typeof value['type'] === 'string';

/** The pieces of `tool_calls`, which some servers send without a list, and the only call of servers that predate them. */
function callsOf({ tool_calls: calls, function_call: old }: Fields): readonly CalledPiece[] {
  const pieces = (isFields(calls) ? [calls] : listOf(calls)).filter(isFields).map(pieceOf);
  return isFields(old) ? [...pieces, pieceOf({ index: 0, function: old })] : pieces;
}

function pieceOf({ id, index, function: called, extra_content: extra }: Fields): CalledPiece {
  const { name, arguments: written } = fieldsOf(called);
  return {
    id: wordOf(id),
    index: countOf(index) ?? null,
    name: textOf(name),
    arguments: argumentsOf(written),
    extra: isFields(extra) ? extra : null,
  };
}

function usageOf(usage: Fields): ReportedUsage {
  return {
    promptTokens: countOf(usage['prompt_tokens']),
    completionTokens: countOf(usage['completion_tokens']),
    cachedPromptTokens: countOf(fieldsOf(usage['prompt_tokens_details'])['cached_tokens']),
    reasoningTokens: countOf(fieldsOf(usage['completion_tokens_details'])['reasoning_tokens']),
  };
}

export interface ContentPiece {
  readonly kind: 'text' | 'thought' | 'refusal';
  readonly text: string;
}

/** The words of a thought, which Mistral writes as parts again. */
const thoughtText = (thinking: unknown): string =>
  typeof thinking === 'string'
    ? thinking
    : listOf(thinking)
        .map((part) => textOf(fieldsOf(part)['text']))
        .join('');

function pieceOfPart({ type, text, thinking, refusal }: Fields): ContentPiece {
  if (type === 'thinking' || type === 'reasoning')
    return { kind: 'thought', text: thoughtText(thinking) || textOf(text) };
  return type === 'refusal' ? { kind: 'refusal', text: textOf(refusal) } : { kind: 'text', text: textOf(text) };
}

/** The pieces of a message's content: a text, a part or a list of parts. */
export function contentPieces(content: unknown): readonly ContentPiece[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return (Array.isArray(content) ? content : [content]).filter(isFields).map(pieceOfPart);
}
