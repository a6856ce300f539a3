import { withoutMiddle } from '../effects/tool-outcome.ts';
import { sharedShare, wordsOf } from './words-of.ts';

/** Something said in a conversation: by a person, by the model, as arguments of a call, or as its result. */
export type Said = Readonly<{ by: 'person' | 'model' | 'call' | 'result'; text: string }>;

/** `literal`: the string that must survive as it is. `words`: that string after the words that explain it. */
export type Fact = Readonly<{ kind: FactKind; literal: string; words: string }>;
type FactKind = 'promise' | 'error' | 'place' | 'name' | 'number';

const WEIGHT_OF_KIND: Readonly<Record<FactKind, number>> = { promise: 3, error: 2, place: 2, name: 2, number: 1 };
const WEIGHT_OF_SPEAKER: Readonly<Record<Said['by'], number>> = { person: 3, model: 3, call: 1, result: 0 };
const WEIGHT_OF_NEWNESS = 2;
const MOST_REPEATS = 3;

const MAX_LITERAL_CHARS = 200;
const MAX_LINE_CHARS = 2_000;
/** Maximum number of facts of one text: a listing of a large folder is not worth more. */
const MAX_FACTS_OF_TEXT = 64;
const MAX_FACTS = 4_096;
const WORDS_BEFORE = 5;

type Found = Fact & { score: number; last: number; texts: number };

/**
 * The strings of a conversation that a summary must not lose: open promises, errors, paths and addresses, identifiers and numbers;
 * the most important first. Words of people and the model count more than results, later ones more than earlier ones. Repetition counts
 * for all but results, so that a page cannot push out the promises of the model. Pure.
 */
export function factsOf(said: readonly Said[]): readonly Fact[] {
  const found = new Map<string, Found>();
  for (const [index, { by, text }] of said.entries()) {
    const newness = (WEIGHT_OF_NEWNESS * (index + 1)) / said.length;
    for (const fact of factsIn(text, by)) {
      const score = WEIGHT_OF_KIND[fact.kind] + WEIGHT_OF_SPEAKER[by] + newness;
      const known = found.get(fact.literal);
      if (known === undefined && found.size >= MAX_FACTS) continue;
      const texts = known === undefined ? 1 : known.texts + Number(known.last !== index && by !== 'result');
      found.set(fact.literal, { ...fact, score: Math.max(score, known?.score ?? 0), last: index, texts });
    }
  }
  const scoreOf = ({ score, texts }: Found): number => score + Math.min(MOST_REPEATS, texts - 1);
  return [...found.values()]
    .toSorted((one, other) => scoreOf(other) - scoreOf(one) || other.last - one.last)
    .map(({ kind, literal, words }) => ({ kind, literal, words }));
}

/** True if the text contains the string or, for a promise, enough of its words. */
export function names(text: string, { kind, literal }: Fact): boolean {
  if (text.includes(literal)) return true;
  return kind === 'promise' && sharedShare(wordsOf(literal), wordsOf(text)) >= NAMED_SHARE;
}

/** The share of a promise's words from which another text counts as naming it. */
const NAMED_SHARE = 0.8;

function factsIn(text: string, by: Said['by']): readonly Fact[] {
  const facts: Fact[] = [];
  for (const line of text.split('\n')) {
    if (facts.length >= MAX_FACTS_OF_TEXT) break;
    facts.push(...factsInLine(line.slice(0, MAX_LINE_CHARS).trim(), by));
  }
  return facts.slice(0, MAX_FACTS_OF_TEXT);
}

function factsInLine(line: string, by: Said['by']): readonly Fact[] {
  if (line === '') return [];
  if (ERROR.test(line)) return [sentence('error', line)];
  const promises =
    by === 'model' || (by !== 'result' && LISTED.test(line)) ? line.split(/(?<=[.!?])\s+/).filter(isPromise) : [];
  return [...promises.map((each) => sentence('promise', each)), ...literalsIn(line)];
}

const ERROR =
  /\b(?:\w*(?:Error|Exception)\b\s*[:(]|error(?:\[\w+\])?:|fatal:|panic:|E[A-Z]{4,}\b|exit (?:code|status) [1-9]|Traceback|(?:permission|access) denied)/;
/** A point of an earlier summary's list, or an open box of a list. In a result it is the promise of a stranger. */
const LISTED = /^(?:- |\[ \])/;
const PROMISE =
  /\b(?:I will|I'll|I am going to|I'm going to|I promise|remind you|still (?:open|missing|to do)|(?:must|need to|remains to) (?:still )?be|TO[D]O|FIX[M]E|next step|waiting for)\b|^(?:- )?\[ \]/i;

const LEAST_WORDS_OF_PROMISE = 4;

const isPromise = (text: string): boolean => PROMISE.test(text) && text.split(/\s+/).length >= LEAST_WORDS_OF_PROMISE;

function sentence(kind: 'error' | 'promise', text: string): Fact {
  const literal = withoutMiddle(text.replace(/^- /, ''), MAX_LITERAL_CHARS);
  return { kind, literal, words: literal };
}

function literalsIn(line: string): readonly Fact[] {
  const tokens = line.split(/\s+/);
  return tokens.flatMap((token, index) => {
    const literal = token.replace(/^[\s"'`([{<*,;:]+/, '').replace(/[\s"'`)\]}>*,;:.!?]+$/, '');
    const kind = literal.length > MAX_LITERAL_CHARS ? null : kindOf(literal);
    if (kind === null) return [];
    const before = kind === 'place' ? [] : tokens.slice(Math.max(0, index - WORDS_BEFORE), index);
    const after = kind === 'number' && /^\p{L}+[.,;]?$/u.test(tokens[index + 1] ?? '') ? [tokens[index + 1] ?? ''] : [];
    const words = [...before, literal, ...after].filter((word) => word !== '-').join(' ');
    return [{ kind, literal, words: withoutMiddle(words, MAX_LITERAL_CHARS) }];
  });
}

const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/\S/i;
const PATH = /^(?:~|\.{1,2}|[A-Za-z]:)?[\\/][\w.@-]|^[\w.@-]+[\\/][\w.@-]+(?:[\\/]|\.\w)/;
const FILE = /^[\w-]{2,}(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9]{0,5}$/;
const NUMBER = /^[-+#$€£]?\d[\d.,:_/-]*(?:%|[A-Za-z]{1,4})?$/;
const NAME = /\d.*[A-Za-z]|[A-Za-z].*\d|[A-Za-z]_[A-Za-z]|[a-z][A-Z]|@\w|\w::\w|\w\(\)$/;

function kindOf(token: string): Exclude<FactKind, 'promise' | 'error'> | null {
  if (ADDRESS.test(token) || PATH.test(token) || FILE.test(token)) return 'place';
  if (NUMBER.test(token)) return token.replaceAll(/\D/g, '').length > 1 ? 'number' : null;
  return token.length >= 3 && NAME.test(token) ? 'name' : null;
}
