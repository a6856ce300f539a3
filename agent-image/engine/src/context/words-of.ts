const LEAST_LETTERS = 3;
/** Inflected forms of a word mostly share this many letters. */
const STEM = 6;

/** Words of almost every English text. */
const COMMON: ReadonlySet<string> = new Set(
  'about after again also and any are been before but can could did does for from had has have her here him his how into its just know let like make more much need not now off one our out over please should some than thank thanks that the their them then there these they this those too use very want was well were what when where which who why will with would you your'.split(
    ' ',
  ),
);

/** The distinct stems of a text's words, without common ones; scripts without spaces give pairs of characters. */
export function wordsOf(text: string): ReadonlySet<string> {
  const stems = new Set<string>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(word)) addPairs(stems, word);
    else if (word.length >= LEAST_LETTERS && !COMMON.has(word)) stems.add(word.slice(0, STEM));
  }
  return stems;
}

function addPairs(stems: Set<string>, word: string): void {
  const signs = [...word];
  for (const [index, sign] of signs.entries()) if (index > 0) stems.add(`${signs[index - 1]}${sign}`);
}

/** The share of the words that the other text has too, 0 to 1; 0 without words. */
export function sharedShare(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  if (words.size === 0) return 0;
  return [...words].filter((word) => others.has(word)).length / words.size;
}
