import type { Node } from 'web-tree-sitter';

/** The expansion of a word: exactly its text, one word that is computed at run time, or any number of words. */
type Becomes = 'exact' | 'one' | 'many';

export interface Word {
  /** Without quotes and backslashes. The shell reads exactly this if the word is literal. */
  readonly text: string;
  readonly becomes: Becomes;
}

/** An unknown file: the words do not show which one. */
export const ANYWHERE: Word = { text: '/', becomes: 'many' };

export const isLiteral = ({ becomes }: Word): boolean => becomes === 'exact';

/** True if a word can never be read as an option. */
export function isOperand({ text, becomes }: Word): boolean {
  if (becomes === 'exact') return !text.startsWith('-') || text === '-';
  return becomes !== 'many' && text.startsWith('/');
}

const ofParts = (parts: readonly Word[]): Becomes =>
  (['many', 'one'] as const).find((each) => parts.some(({ becomes }) => becomes === each)) ?? 'exact';

const PATTERN = /(?<!\\)[*?[\]{}]|^~/;
const unescaped = (text: string, escapable: RegExp): string =>
  text.replace(escapable, (_, escaped: string) => (escaped === '\n' ? '' : escaped));

function ofString({ text, namedChildren }: Node): Word {
  const isPlain = namedChildren.every(({ type }) => type === 'string_content');
  // "$@" becomes several words.
  const becomes = isPlain ? 'exact' : text.includes('@') ? 'many' : 'one';
  return { text: unescaped(text.slice(1, -1), /\\([$`"\\\n])/g), becomes };
}

/** Parts without a space between them. */
function joined({ text, namedChildren }: Node): Word {
  const parts = namedChildren.map(wordOf);
  const isCovered = namedChildren.reduce((sum, child) => sum + child.text.length, 0) === text.length;
  return {
    text: parts.map((part) => part.text).join(''),
    becomes: isCovered ? ofParts(parts) : 'many',
  };
}

export function wordOf(node: Node): Word {
  const { type, text } = node;
  switch (type) {
    case 'number':
    case 'word':
      return { text: unescaped(text, /\\(.)/gs), becomes: PATTERN.test(text) ? 'many' : 'exact' };
    case 'raw_string':
      return { text: text.slice(1, -1), becomes: 'exact' };
    case 'string':
      return ofString(node);
    case 'command_name':
    case 'concatenation':
      return joined(node);
    case 'ansi_c_string':
      return { text, becomes: 'one' };
    case 'process_substitution':
      return { text: '/dev/fd', becomes: 'one' };
    default:
      return { text, becomes: 'many' };
  }
}
