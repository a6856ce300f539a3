import { CST, Lexer, Parser } from 'yaml';

/** Largest manifest: as much as a ConfigMap holds. */
export const MAX_BYTES = 1_048_576;
/** UTF-8 takes at most this many bytes for a UTF-16 unit. */
const MAX_BYTES_OF_UNIT = 3;
/** Marks, spaces and values. The largest workflow with an ordinary layout has about 200,000. */
const MAX_LEXEMES = 300_000;
/** Maximum number of entries of one map: the composer compares each key with those before it. */
export const MAX_KEYS = 500;
export const MAX_DEPTH = 64;

/** A reason to refuse a text. `offset`: in UTF-16 units. */
export type YamlFault = Readonly<{ kind: 'syntax' | 'limit'; offset: number; message: string; hint: string }>;

type YamlTokens = Readonly<{ ok: true; tokens: readonly CST.Token[] }> | Readonly<{ ok: false; fault: YamlFault }>;

/** Parts of YAML that manifests may not use, each with its replacement. */
const REFUSED: ReadonlyMap<string | null, readonly [string, string]> = new Map([
  ['anchor', ['anchors are refused', 'Write the value out at each place.']],
  ['alias', ['aliases are refused', 'Write the value out at this place.']],
  ['tag', ['tags are refused', 'Write the value without a tag; put a text in quotes.']],
  ['directive-line', ['directives are refused', 'Remove the line that begins with %.']],
]);

/** True for a text of more than `MAX_BYTES` in UTF-8. It runs in browsers too, so it does without Node's Buffer. Pure. */
export const isTooLong = (text: string): boolean =>
  text.length > MAX_BYTES ||
  (text.length * MAX_BYTES_OF_UNIT > MAX_BYTES && new TextEncoder().encode(text).length > MAX_BYTES);

/**
 * The syntax tree of a YAML text, or the first part of it that manifests do without or that is too large for the later steps. It stops
 * there, so that hostile texts cost little. Pure.
 */
export function yamlTokens(text: string): YamlTokens {
  const refuse = (fault: YamlFault): YamlTokens => ({ ok: false, fault });
  if (isTooLong(text)) return refuse(limit(0, `the file is larger than ${MAX_BYTES} bytes`, 'Shorten the manifest.'));
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let count = 0;
  let before = '';
  for (const lexeme of new Lexer().lex(text)) {
    count += 1;
    const fault = (before === CST.SCALAR ? null : refusedMark(parser, lexeme)) ?? tooLarge(parser, count);
    if (fault !== null) return refuse(fault);
    before = lexeme;
    for (const token of parser.next(lexeme)) tokens.push(token);
  }
  for (const token of parser.end()) tokens.push(token);
  return { ok: true, tokens };
}

function refusedMark({ offset }: Parser, lexeme: string): YamlFault | null {
  const refused = REFUSED.get(CST.tokenType(lexeme));
  return refused === undefined ? null : { kind: 'syntax', offset, message: refused[0], hint: refused[1] };
}

function tooLarge({ stack, offset }: Parser, count: number): YamlFault | null {
  if (count > MAX_LEXEMES)
    return limit(offset, `the file has more than ${MAX_LEXEMES} marks and values`, 'Shorten it.');
  if (stack.length > MAX_DEPTH) return limit(offset, `values are nested deeper than ${MAX_DEPTH}`, 'Flatten them.');
  const top = stack.at(-1);
  if (top === undefined || !isMapToken(top) || top.items.length <= MAX_KEYS) return null;
  return limit(offset, `a map has more than ${MAX_KEYS} keys`, 'Use fewer keys.');
}

const limit = (offset: number, message: string, hint: string): YamlFault => ({ kind: 'limit', offset, message, hint });

const isMapToken = (token: CST.Token): token is CST.BlockMap | CST.FlowCollection =>
  token.type === 'block-map' || (token.type === 'flow-collection' && token.start.type === 'flow-map-start');
