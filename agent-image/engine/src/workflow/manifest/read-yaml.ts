import { Composer, isMap, isPair, isScalar, isSeq, LineCounter, type Document, type Node, type Range } from 'yaml';
import type { ConfigError, ConfigPath } from '../plan/config-error.ts';
import { yamlTokens, type YamlFault } from './yaml-tokens.ts';

/** A place in a text; lines and columns start at 1. */
export type Place = Readonly<{ line: number; column: number }>;

/** A problem of the text itself. */
type YamlProblem = Readonly<Pick<ConfigError, 'message' | 'hint'> & Place & { code: 'config_syntax' | 'config_limit' }>;

/** `placeOf`: of the value at a path, or of its key; of the nearest value around it if there is none. */
export type YamlText = Readonly<{
  /** A JSON value; `{}` for a file without one. */
  value: unknown;
  placeOf: (path: ConfigPath, at?: 'key' | 'value') => Place;
}>;

export type ReadYaml = (Readonly<{ ok: true }> & YamlText) | Readonly<{ ok: false; problems: readonly YamlProblem[] }>;

/**
 * Reads one YAML 1.2 document of JSON values, with the places of all of them. Refuses anchors, aliases, tags,
 * directives, keys that are not texts or occur twice, numbers that JSON does not have, and texts that are larger or
 * deeper than manifests are. Pure.
 */
export function readYaml(text: string): ReadYaml {
  const lines = linesOf(text);
  const refuse = (fault: YamlFault): ReadYaml => ({ ok: false, problems: [problemAt(lines, fault)] });
  const read = yamlTokens(text);
  if (!read.ok) return refuse(read.fault);
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    stringKeys: true,
    uniqueKeys: true,
    logLevel: 'silent',
  });
  const [document, second] = [...composer.compose(read.tokens, true, text.length)] as [
    Document.Parsed,
    Document.Parsed?,
  ];
  if (second !== undefined) return refuse(severalDocuments(second.range[0]));
  const faults = [...document.errors, ...document.warnings].map(({ pos, code, message }): YamlFault => ({
    kind: 'syntax',
    offset: pos[0],
    message,
    hint: code === 'TAB_AS_INDENT' ? 'Indent with spaces.' : 'Correct the YAML.',
  }));
  const all = faults.length > 0 ? faults : valueFaults(document.contents);
  if (all.length > 0) return { ok: false, problems: all.map((each) => problemAt(lines, each)) };
  const placeOf: YamlText['placeOf'] = (path, at = 'value') => placeAt(lines, offsetOf(document, path, at));
  return { ok: true, value: document.toJS() ?? {}, placeOf };
}

const severalDocuments = (offset: number): YamlFault => ({
  kind: 'syntax',
  offset,
  message: 'the file has several documents',
  hint: 'Remove the line with ---.',
});

const problemAt = (lines: LineCounter, { kind, offset, message, hint }: YamlFault): YamlProblem => ({
  code: `config_${kind}`,
  ...placeAt(lines, offset),
  message,
  hint,
});

/** The parser would leave out the lines of texts that it does not expect. */
function linesOf(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1);
  return lines;
}

function placeAt(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

/** The offset of the value at a path, or of its key; of the nearest value around it if there is none. */
function offsetOf(document: Document.Parsed, path: ConfigPath, at: 'key' | 'value'): number {
  let place: Step = { value: document.contents, offset: startOf(document.contents) ?? 0, key: null };
  for (const part of path) {
    const next = stepTo(place, part);
    if (next === null) return place.offset;
    place = next;
  }
  return at === 'key' ? (place.key ?? place.offset) : place.offset;
}

type Step = Readonly<{ value: unknown; offset: number; key: number | null }>;

function stepTo({ value, offset }: Step, part: string | number): Step | null {
  if (isSeq(value)) {
    const item = value.items[Number(part)];
    return item === undefined ? null : { value: item, offset: startOf(item) ?? offset, key: null };
  }
  const pair = isMap(value) ? value.items.find(({ key }) => isScalar(key) && key.value === part) : undefined;
  if (pair === undefined) return null;
  const key = startOf(pair.key) ?? offset;
  return { value: pair.value, offset: startOf(pair.value) ?? key, key };
}

/** The offset of a node that stands in the text. */
const startOf = (node: unknown): number | undefined =>
  isMap(node) || isSeq(node) || isScalar(node) ? node.range?.[0] : undefined;

/** Values that YAML has and JSON does not, and keys that JavaScript reads as something else. In the order of the text. Pure. */
function valueFaults(contents: Node | null): readonly YamlFault[] {
  const faults: YamlFault[] = [];
  const open: unknown[] = [contents];
  while (open.length > 0) {
    const at = open.pop();
    const fault = faultOf(at);
    if (fault !== null) faults.push(fault);
    for (const part of partsOf(at)) open.push(part);
  }
  return faults.toSorted((a, b) => a.offset - b.offset);
}

function partsOf(node: unknown): readonly unknown[] {
  if (isMap(node) || isSeq(node)) return node.items;
  return isPair(node) ? [node.value] : [];
}

function faultOf(node: unknown): YamlFault | null {
  if (isPair(node) && isScalar(node.key) && node.key.value === '__proto__')
    return faultAt(node.key, 'the key __proto__ is refused', 'Use another key.');
  if (isScalar(node) && typeof node.value === 'number' && !isExact(node.value))
    return faultAt(node, 'JSON has no such number', 'Put it in quotes if it is a text.');
  return null;
}

/** False for infinity and NaN, and for whole numbers that lose digits. */
const isExact = (value: number): boolean =>
  Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));

const faultAt = ({ range }: { range?: Range | null | undefined }, message: string, hint: string): YamlFault => ({
  kind: 'syntax',
  offset: range?.[0] ?? 0,
  message,
  hint,
});
