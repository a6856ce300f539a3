/** A document as tokens, so that each kind of damage can choose the part that it changes. */
export type Kind = 'open' | 'close' | 'comma' | 'colon' | 'name' | 'text' | 'number' | 'literal' | 'space';

export interface Token {
  readonly kind: Kind;
  readonly text: string;
  /** The text without quotes and escapes; empty except for names and texts. */
  readonly content: string;
  /** The depth of the list or object that the token is in; for a bracket, of the one that it opens or closes. */
  readonly depth: number;
}

export interface Style {
  /** Spaces per level; 0 writes one line. */
  readonly indent: number;
  /** White space after commas and colons of one line. */
  readonly isSpaced: boolean;
}

const isRaw = (value: unknown): boolean => (JSON as unknown as { isRawJSON(given: unknown): boolean }).isRawJSON(value);

export function tokensOf(value: unknown, style: Style, depth = 0): readonly Token[] {
  const scalar = scalarToken(value, depth);
  if (scalar !== null) return [scalar];
  const isList = Array.isArray(value);
  const own = depth + 1;
  const members = Object.entries(value as object);
  const space = (text: string, at: number): readonly Token[] => (text === '' ? [] : [token('space', text, at)]);
  const lineOf = (at: number): string => (style.indent === 0 ? '' : `\n${' '.repeat(style.indent * at)}`);
  const between = style.indent === 0 && style.isSpaced ? ' ' : '';
  const afterColon = style.indent > 0 || style.isSpaced ? ' ' : '';
  const inner = members.flatMap(([name, member], index) => [
    ...(index > 0 ? [token('comma', ',', own)] : []),
    ...space(lineOf(own) || (index > 0 ? between : ''), own),
    ...(isList ? [] : [nameToken(name, own), token('colon', ':', own), ...space(afterColon, own)]),
    ...tokensOf(member, style, own),
  ]);
  const last = members.length === 0 ? [] : space(lineOf(depth), depth);
  return [token('open', isList ? '[' : '{', own), ...inner, ...last, token('close', isList ? ']' : '}', own)];
}

const token = (kind: Kind, text: string, depth: number): Token => ({ kind, text, depth, content: '' });
const nameToken = (name: string, depth: number): Token => ({
  kind: 'name',
  text: JSON.stringify(name),
  depth,
  content: name,
});

function scalarToken(value: unknown, depth: number): Token | null {
  if (typeof value === 'string') return { kind: 'text', text: JSON.stringify(value), depth, content: value };
  if (typeof value === 'number' || isRaw(value)) return token('number', JSON.stringify(value), depth);
  return typeof value === 'object' && value !== null ? null : token('literal', String(value), depth);
}

export const textOf = (tokens: readonly Pick<Token, 'text'>[]): string => tokens.map(({ text }) => text).join('');
