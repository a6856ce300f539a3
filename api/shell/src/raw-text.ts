import type { Node } from 'web-tree-sitter';

/** A part of a text in which the shell expands the same characters. */
interface Part {
  readonly from: number;
  readonly to: number;
  /** `bare`: everything is expanded; `string`: everything except `<(` and `>(`; `quoted`: nothing. */
  readonly kind: 'bare' | 'string' | 'quoted';
}

const EXPANDED = new Set(['command_substitution', 'process_substitution', 'expansion', 'arithmetic_expansion']);

/** The shell may read what looks like a comment after a command as text. */
const isOnItsLine = ({ startIndex }: Node, text: string): boolean => /(^|\n)[ \t]*$/.test(text.slice(0, startIndex));

function isQuoted(node: Node, text: string): boolean {
  if (node.type === 'comment') return isOnItsLine(node, text);
  if (node.type !== 'heredoc_body') return node.type === 'raw_string' || node.type === 'ansi_c_string';
  const start = node.parent?.namedChildren.find(({ type }) => type === 'heredoc_start');
  return start !== undefined && /['"\\]/.test(start.text);
}

function kindOf(node: Node, text: string): Part['kind'] | null {
  if (isQuoted(node, text)) return 'quoted';
  if (EXPANDED.has(node.type)) return 'bare';
  return node.type === 'string' || node.type === 'heredoc_body' ? 'string' : null;
}

const EXPANDS = /(?<!\\)(?:\\\\)*(\$(?:\\\n)*[({[]|`|[<>](?:\\\n)*\(|(?<=(?:^|\n)[ \t]*)\\)/g;

/**
 * The first substitution that the parser took for text, or a backslash at the beginning of a line, which it reads
 * differently from a shell; null if there is none. Its trees omit some text, for example backticks in a heredoc.
 */
export function unseenIn(text: string, root: Node): string | null {
  const starts = new Set<number>();
  const parts: Part[] = [];
  const see = (node: Node): void => {
    const { startIndex: from, endIndex: to } = node;
    const kind = kindOf(node, text);
    if (kind !== null) parts.push({ from, to, kind });
    if (kind === 'quoted') return;
    if (EXPANDED.has(node.type)) {
      starts.add(from);
      // A backslash between backticks is read twice, so it hides the character after it.
      if (text[from] === '`' && !node.text.includes('\\')) starts.add(to - 1);
    }
    for (const child of node.children) see(child);
  };
  see(root);
  for (const { 0: found, 1: sign = '', index } of text.matchAll(EXPANDS)) {
    const at = index + found.length - sign.length;
    const kind = parts.findLast(({ from, to }) => from <= at && at < to)?.kind ?? 'bare';
    const isText = kind === 'quoted' || (kind === 'string' && /^[<>\\]/.test(sign));
    if (!starts.has(at) && !isText) return sign;
  }
  return null;
}
