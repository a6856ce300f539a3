const MAX_RECALLED = 6;
const MAX_RECALLED_CHARS = 6_000;

interface Searched {
  readonly text: string;
  readonly about: string | null;
  readonly pinned: boolean;
}

export function searchIn<N extends Searched>(notes: readonly N[], query: string, limit: number): readonly N[] {
  return bestOf(notes, query).slice(0, limit);
}

export function recallFrom<N extends Searched>(notes: readonly N[], text: string): readonly N[] {
  const pinned = notes.filter((note) => note.pinned);
  const others = bestOf(
    notes.filter((note) => !note.pinned),
    text,
  ).slice(0, MAX_RECALLED);
  return withinLimit([...pinned, ...others]);
}

function withinLimit<N extends Searched>(notes: readonly N[]): readonly N[] {
  let left = MAX_RECALLED_CHARS;
  return notes.filter(({ text }) => (left -= text.length) >= 0);
}

/** Notes that share words with the query. Rare words count more; ties favour the newer note. */
function bestOf<N extends Searched>(notes: readonly N[], query: string): readonly N[] {
  const wanted = new Set(wordsOf(query));
  const words = notes.map((note) => new Set(wordsOf(`${note.about ?? ''} ${note.text}`)));
  const weightOf = (word: string): number => Math.log(1 + notes.length / words.filter((each) => each.has(word)).length);
  const weights = new Map([...wanted].map((word) => [word, weightOf(word)]));
  return notes
    .map((note, index) => {
      const shared = [...(words[index] ?? [])].filter((word) => wanted.has(word));
      return { note, score: shared.reduce((sum, word) => sum + (weights.get(word) ?? 0), 0) };
    })
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({ note }) => note);
}

/** Words that occur in almost every sentence. */
const COMMON: ReadonlySet<string> = new Set(
  'a an and are as at be but by do for from had has have he her his i in is it its me my not of on or she so that the their them they this to was we what when where who will with you your'.split(
    ' ',
  ),
);
/** Words of other languages stay whole; an English plural equals its singular. */
const wordsOf = (text: string): readonly string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    .filter((word) => !COMMON.has(word))
    .map((word) => (word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word));
