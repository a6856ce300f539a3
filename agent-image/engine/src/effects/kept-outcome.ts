import { ToolOutcome } from './tool-outcome.ts';

/** `isPlain`: the text is that of `plainText`, else the outcome as JSON. */
export type KeptOutcome = Readonly<{ text: string; isPlain: boolean }>;

/**
 * The stored text of a result that is `ok` and has only a text: a JSON object or list unchanged, any other text as a JSON string. The
 * output of a stage has the same form, so the journal stores equal texts once. Null for any other outcome. Pure.
 */
export function plainText(outcome: ToolOutcome): string | null {
  if (outcome.kind !== 'ok' || outcome.untrusted === true || outcome.images !== undefined) return null;
  return /^[{[]/.test(outcome.text) ? outcome.text : JSON.stringify(outcome.text);
}

/** The outcome that a journal keeps. Throws for a text that no engine wrote. Pure. */
export function keptOutcome({ text, isPlain }: KeptOutcome): ToolOutcome {
  if (!isPlain) return ToolOutcome.parse(JSON.parse(text));
  return { kind: 'ok', text: text.startsWith('"') ? String(JSON.parse(text)) : text };
}
