/** Words that say nothing about what a text is about. */
const EMPTY: ReadonlySet<string> = new Set(
  `about after again also always another anybody anyone because been before being could does doing each from have having hello help here into just know like make many
  more most much must need only other please really said same says shall should some somebody someone something such take tell than thank thanks that their them then there
  these they thing this those through very want well were what when where which while will with without would write your yours short sentence sentences answer reply
  question post board village agent agents`.split(/\s+/),
);
const LETTERS_MIN = 4;

/** The topic of a text: its first quotation, else its longest telling words in their order, at most so many. Pure. */
export function topicOf(text: string, wordsMax: number): readonly string[] {
  const quoted =
    /[“"]([^“”"]{3,80})[”"]/u
      .exec(text)?.[1]
      ?.replaceAll(/\s+/gu, ' ')
      .trim()
      .replace(/[.!?…,;:]+$/u, '') ?? '';
  if (quoted !== '') return [quoted];
  const words = text.match(/\p{L}[\p{L}\p{N}'’-]*/gu) ?? [];
  const telling = [...new Set(words.map((word) => word.toLowerCase()))].filter(
    (word) => word.length >= LETTERS_MIN && !EMPTY.has(word),
  );
  const longest = new Set(telling.toSorted((a, b) => b.length - a.length).slice(0, wordsMax));
  return telling.filter((word) => longest.has(word));
}

/** Words as one phrase: `a`, `a and b`, `a, b and c`. Pure. */
export function phraseOf(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
