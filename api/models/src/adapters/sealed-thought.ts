/**
 * The seals of thoughts that are objects in JSON, each with a `type`. Anthropic's signatures are base64 instead. So each
 * adapter recognizes its own seals and leaves out those of another provider, to which a conversation may have moved.
 */
import type { ReasoningItem } from '../chat/chat-request.ts';

/** A thought that Mistral writes as a part of the content, and expects there again. It is only a mark without data. */
export const THINKING_PART = 'thinking';
/** OpenRouter's list of the upstream provider's thoughts. */
export const REASONING_DETAILS = 'reasoning_details';
/** Gemini's signatures of thoughts, which belong to calls: without them it refuses the results. */
export const CALL_EXTRAS = 'call_extras';
/** An item of the Responses API. */
export const REASONING_ITEM = 'reasoning';
/** Anthropic's encrypted thought. */
export const REDACTED = 'redacted_thinking';

type Sealed = { readonly type: string } & Readonly<Record<string, unknown>>;

export function seal(value: Sealed): string {
  return JSON.stringify(value);
}

function objectIn({ sealed }: ReasoningItem): Readonly<Record<string, unknown>> | null {
  if (sealed === null || !sealed.startsWith('{')) return null;
  try {
    return JSON.parse(sealed) as Readonly<Record<string, unknown>>;
  } catch {
    return null;
  }
}

/** The type of a seal; null for a signature, and without a seal. */
export function sealedTypeOf(item: ReasoningItem): string | null {
  const type = objectIn(item)?.['type'];
  return typeof type === 'string' ? type : null;
}

/** The object in a seal of the type; null for any other. */
export function openedSeal(item: ReasoningItem, type: string): Readonly<Record<string, unknown>> | null {
  const value = objectIn(item);
  return value?.['type'] === type ? value : null;
}
