import { canonicalJson, isJsonObject } from '../canonical-json.ts';
import {
  fencedPlaces,
  isEscapedAt,
  proseEnd,
  unescapedDocument,
  withoutEntities,
  withoutThoughts,
  type Place,
} from './documents.ts';
import { Fault } from './fault.ts';
import { isGiven } from './given.ts';
import { admits, typesOf, type Guide } from '../guide.ts';
import { parseLeniently } from './lenient-parser.ts';
import type { Lenient, LenientOptions } from './lenient.ts';
import { asText, parseWithNumerals, withoutNumerals } from '../numeral.ts';
import type { RepairAction } from '../repair.ts';

const DOCUMENTS_MAX = 8;

export type LenientRead = Readonly<{ node: unknown; actions: ReadonlySet<RepairAction> }>;

export type ReadingRules = Readonly<{
  guide: Guide | null;
  /** True if the writer was cut off, so that a document that ends early is incomplete. */
  isCut: boolean;
  /** Chooses among several documents. */
  fits: (node: unknown) => boolean;
}>;

/** The one document in a text that is not JSON. Throws a fault if the text has none, or leaves it uncertain. Pure. */
export function readLeniently(raw: string, rules: ReadingRules): LenientRead {
  const actions = new Set<RepairAction>();
  const shown = withoutThoughts(raw.replace(/^\uFEFF/, ''));
  if (shown.length < raw.length && shown !== raw.slice(1)) actions.add('removed_thoughts');
  const text = withoutEntities(shown);
  if (text !== shown) actions.add('decoded_entities');
  const fenced = /^\s*[{[]/.test(text) ? [] : fencedPlaces(text);
  if (fenced.length > 0) actions.add('taken_from_fence');
  const found = fenced.length > 0 ? fenced.map((place) => documentAt(text, place, rules)) : documentsIn(text, rules);
  const { document, isAlone } = chosen(found, rules, text);
  if (!isAlone) actions.add('taken_from_text');
  return { node: document.node, actions: new Set([...actions, ...document.actions]) };
}

type Document = LenientRead & Readonly<{ start: number; end: number }>;

/** All documents in a text without fences, in their order. */
function documentsIn(text: string, rules: ReadingRules): readonly Document[] {
  const whole = wholeDocument(text, rules);
  if (whole !== null) return [whole];
  const documents: Document[] = [];
  const openers = /[{[]/g;
  for (let opener = openers.exec(text); opener !== null; opener = openers.exec(text)) {
    const start = opener.index;
    const prose = proseEnd(text, start);
    if (prose === null) documents.push(documentAt(text, { start, end: text.length }, rules));
    if (documents.length > DOCUMENTS_MAX) throw new Fault('there are too many JSON documents', text, start);
    openers.lastIndex = prose ?? documents.at(-1)?.end ?? text.length;
  }
  return documents;
}

const NAMED = /^[\s]*["'“][^"'“”\\\n]{1,100}["'”]\s*:/;

/** A document that is alone in the text, though its first bracket may be missing. */
function wholeDocument(text: string, rules: ReadingRules): Document | null {
  const start = /^\s*/.exec(text)?.[0].length ?? 0;
  const place = { start, end: text.length };
  if (NAMED.test(text)) return read(text, place, { ...rules, opener: '{' });
  if (/^\s*["'“]/.test(text) && /\]\s*$/.test(text)) return read(text, place, { ...rules, opener: '[' });
  const types = typesOf(rules.guide);
  const isScalar = types.size > 0 && !types.has('object') && !types.has('array');
  return isScalar ? read(text, place, { ...rules, opener: null }) : null;
}

function documentAt(text: string, place: Place, rules: ReadingRules): Document {
  const { start, end } = place;
  if (isEscapedAt(text, start)) {
    const inner = readText(unescapedDocument(text.slice(start, end)), rules);
    return { node: inner.node, actions: new Set([...inner.actions, 'unescaped']), start, end };
  }
  const plain = tried(text, place, { ...rules, opener: null });
  if (!(plain instanceof Fault)) return plain;
  const isListRest = text[start] === '{' && /\]\s*$/.test(text.slice(start, end));
  const list = isListRest ? tried(text, place, { ...rules, opener: '[' }) : plain;
  // The fault of the plain reading names what a writer can see.
  if (list instanceof Fault) throw plain;
  return list;
}

export function readText(text: string, rules: ReadingRules): LenientRead {
  try {
    return { node: parseWithNumerals(text), actions: new Set() };
  } catch {
    return readLeniently(text, rules);
  }
}

type Opened = ReadingRules & Pick<LenientOptions, 'opener'>;

type Way = Pick<LenientOptions, 'areQuotesInner' | 'isByName' | 'areBracketsWrong'>;

/** The ways in which a writer may have meant a text, the plain one first. */
const WAYS: readonly Way[] = [
  { areQuotesInner: false, isByName: false, areBracketsWrong: false },
  { areQuotesInner: false, isByName: false, areBracketsWrong: true },
  { areQuotesInner: false, isByName: true, areBracketsWrong: false },
  { areQuotesInner: true, isByName: false, areBracketsWrong: false },
  { areQuotesInner: true, isByName: true, areBracketsWrong: false },
];

const isWorthTrying = (
  { isByName, areBracketsWrong }: Way,
  areBracketsInDoubt: boolean,
  guide: Guide | null,
): boolean => (areBracketsInDoubt || !(isByName || areBracketsWrong)) && (guide !== null || !isByName);

/** Reads one document in the first way that leaves no doubt; else the fault of the plain way. */
function tried(text: string, { start, end }: Place, { guide, isCut, opener }: Opened): Document | Fault {
  const within = text.slice(0, end);
  let fault: Fault | null = null;
  let areBracketsInDoubt = false;
  for (const way of WAYS) {
    if (!isWorthTrying(way, areBracketsInDoubt, guide)) continue;
    const { found, changesBrackets } = parseLeniently(within, { ...way, start, guide, opener });
    const doubt = found instanceof Fault ? found : doubtOf(found, within, { isCut, hasGuide: guide !== null });
    if (!(found instanceof Fault) && doubt === null)
      return { node: found.node, actions: found.actions, start, end: found.end };
    fault ??= doubt;
    areBracketsInDoubt = changesBrackets || !(found instanceof Fault);
  }
  return fault ?? new Fault('there is no JSON document', text, start);
}

function read(text: string, place: Place, rules: Opened): Document {
  const found = tried(text, place, rules);
  if (found instanceof Fault) throw found;
  return found;
}

const GOES_ON = /^[\s}\]]*,/;

/** Why a document that was read to its end may mean something else; null if it is certain. */
function doubtOf(
  { end, missing, isUnsure, isAtValue }: Lenient,
  text: string,
  { isCut, hasGuide }: Readonly<{ isCut: boolean; hasGuide: boolean }>,
): Fault | null {
  if (GOES_ON.test(text.slice(end))) return new Fault('more text follows the document', text, end);
  if (missing === 0) return isUnsure ? new Fault(BRACKET_MISSING, text, end) : null;
  const isIndented = /\n[^\S\n]+$/.test(text.slice(-LINE_MAX_CHARS));
  if (isCut || isIndented || (isAtValue && missing > 1 && !hasGuide))
    return new Fault('the text was cut', text, text.length);
  return isUnsure ? new Fault(BRACKET_MISSING, text, end) : null;
}

const BRACKET_MISSING = 'a bracket is missing, and several places are possible';
const LINE_MAX_CHARS = 500;

type Chosen = Readonly<{ document: Document; isAlone: boolean }>;

/** The document that is meant. Throws a fault if two differ and both can be, or if the words around it may not give it as the answer. */
function chosen(found: readonly Document[], rules: ReadingRules, text: string): Chosen {
  const types = typesOf(rules.guide);
  const ofKind = found.filter(({ node }) => admits(types, node));
  const weighty = ofKind.some(({ node }) => !isPlainList(node))
    ? ofKind.filter(({ node }) => !isPlainList(node))
    : ofKind;
  const different = weighty.length < 2 ? weighty : distinct(weighty);
  const [first, ...others] = different;
  if (first === undefined) throw new Fault('there is no JSON document', text, 0);
  if (others.length === 0) return given(first, found, text);
  const fitting = rules.guide === null ? [] : [first, ...others].filter(({ node }) => rules.fits(node));
  const [only, second] = fitting;
  if (only === undefined || second !== undefined)
    throw new Fault('there are several JSON documents; write only one', text, others[0]?.start ?? 0);
  return given(only, found, text);
}

function given(document: Document, found: readonly Document[], text: string): Chosen {
  if (isAlone(text, document)) return { document, isAlone: true };
  if (isGiven(text, document, found)) return { document, isAlone: false };
  throw new Fault(
    'the words around the JSON may not mean it as the answer; write the JSON alone',
    text,
    document.start,
  );
}

/** The first of each value. */
const distinct = (documents: readonly Document[]): readonly Document[] =>
  [...new Map(documents.toReversed().map((document) => [textOf(document.node), document])).values()].toReversed();

/** A list such as `[1]`, which may be a mark in prose. */
const isPlainList = (node: unknown): boolean =>
  Array.isArray(node) && node.every((each) => !Array.isArray(each) && !isJsonObject(each));

const textOf = (node: unknown): string => canonicalJson(withoutNumerals(node, asText));

const isAlone = (text: string, { start, end }: Document): boolean =>
  text.slice(0, start).trim() === '' && text.slice(end).trim() === '';
