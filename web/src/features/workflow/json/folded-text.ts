import { readJson } from '@hamlet/core';
import { indentedJson } from '../../runs/indented-json.ts';

const LINES_SHOWN = 12;
const CHARS_SHOWN = 1_500;

/** `first`: the beginning of a long text; null for a text that is shown whole. */
type Folded = Readonly<{ text: string; first: string | null; lines: number }>;

/** A JSON value for people: a text as it is, another value over several lines. Pure. */
export function foldedText(json: string): Folded {
  const value = json.startsWith('"') ? readJson(json) : undefined;
  const text = typeof value === 'string' ? value : indentedJson(json);
  const lines = text.split('\n');
  const first = lines.slice(0, LINES_SHOWN).join('\n').slice(0, CHARS_SHOWN);
  return { text, first: first.length < text.length ? first : null, lines: lines.length };
}
