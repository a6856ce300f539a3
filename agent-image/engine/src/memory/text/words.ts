/** Version of the words in the index. A store of another version is indexed again when it is opened. */
export const WORDS_VERSION = 2;

/** Longest word of the index. A longer one, such as a hash, keeps its beginning. */
const MAX_WORD_CHARS = 40;

/** Words that occur in almost every sentence. */
const COMMON: ReadonlySet<string> = new Set(
  (
    'a about again all also am an and any are as at be because been being but by can could d did do does doing done for from get got had has have having he her here hers him his ' +
    'how i if in into is it its itself just ll m me my myself of on or our ours re s she should so some t than that the their theirs them then there these they this those ' +
    'to too up us ve very was we were what when where which who whom whose why will with would you your yours'
  ).split(' '),
);

const WORD = /[\p{L}\p{N}]+/gu;
const MARKS = /\p{M}+/gu;
/** Scripts that write words without spaces between them. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** The text in lower case, without accents, in the compatibility form. */
const folded = (text: string): string => text.normalize('NFKD').replace(MARKS, '').toLowerCase();

/** The words of a text as the index has them: folded, stemmed, in order, with repetitions and without the most common words. */
export function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  for (const word of folded(text).match(WORD) ?? []) {
    if (COMMON.has(word)) continue;
    if (UNSPACED.test(word)) words.push(...pairsOf(word));
    else words.push(stemOf(word.slice(0, MAX_WORD_CHARS)));
  }
  return words;
}

/** The words of a text as they are written, folded, without the most common ones. */
export const plainWordsOf = (text: string): readonly string[] =>
  (folded(text).match(WORD) ?? []).filter((word) => !COMMON.has(word));

/** Text that differs in case, accents, punctuation and spaces alone is the same. */
export const normalized = (text: string): string => (folded(text).match(WORD) ?? []).join(' ');

/** The text before a word that begins a sentence. */
const BEGINS = /(?:^|[.!?…]["'”’)]?\s+|\n\s*)["'“‘(]?$/u;
const BEFORE_CHARS = 4;

/** Names and numbers as they are written, in order: words with a capital letter that do not begin a sentence, and words with a digit. */
export function namesOf(text: string): readonly string[] {
  const names: string[] = [];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const isName =
      /^\p{Lu}/u.test(word) && word !== 'I' && !BEGINS.test(text.slice(Math.max(0, index - BEFORE_CHARS), index));
    if (isName || /\p{N}/u.test(word)) names.push(word);
  }
  return names;
}

/** Two letters at a time, overlapping: how texts without spaces are indexed. */
function pairsOf(word: string): readonly string[] {
  const letters = [...word];
  if (letters.length < 2) return letters;
  return letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
}

const ENDINGS: readonly (readonly [ending: string, replacement: string, least: number])[] = [
  ['iness', 'y', 3],
  ['ations', 'ate', 3],
  ['ation', 'ate', 3],
  ['ments', '', 4],
  ['ment', '', 4],
  ['ingly', '', 4],
  ['edly', '', 4],
  ['ness', '', 4],
  ['ies', 'y', 2],
  ['ied', 'y', 2],
  ['ing', '', 3],
  ['ers', '', 4],
  ['er', '', 4],
  ['ed', '', 3],
  ['ly', '', 4],
  ['sses', 'ss', 2],
  ['xes', 'x', 2],
  ['ches', 'ch', 2],
  ['shes', 'sh', 2],
];

/** One stem for the common forms of an English word; other words lose nothing but such endings. */
function stemOf(word: string): string {
  if (word.length < 4 || /\p{N}/u.test(word)) return word;
  for (const [ending, replacement, least] of ENDINGS)
    if (word.endsWith(ending) && word.length - ending.length >= least)
      return trimmed(word.slice(0, -ending.length) + replacement);
  const isPlural = word.endsWith('s') && !/(ss|us|is)$/.test(word);
  return trimmed(isPlural ? word.slice(0, -1) : word);
}

/** Doubled last letters and a last `e` or `y` differ between forms of a word. */
function trimmed(stem: string): string {
  const single = /([bdfgmnprtz])\1$/.test(stem) ? stem.slice(0, -1) : stem;
  if (single.length < 4) return single;
  if (single.endsWith('e')) return single.slice(0, -1);
  return single.endsWith('y') ? `${single.slice(0, -1)}i` : single;
}
