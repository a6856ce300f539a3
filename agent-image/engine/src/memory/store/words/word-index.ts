import type { DatabaseSync } from 'node:sqlite';
import { namesOf, wordsOf } from '../../text/words.ts';

/** A word of a query or a text, with how many memories have it and how much it says (inverse document frequency). */
export type Term = Readonly<{ word: string; rows: number; weight: number; isName: boolean }>;

/** Maximum number of rows that the words of a query may find by themselves. */
const MAX_VISITS = 5_000;
/** Maximum number of more frequent words that count only together with a rarer one. */
const MAX_PAIRED = 2;
const MAX_TERMS = 32;
/**
 * A word is a name if this share of its memories, and at least two of them if it has three or more, write it with a
 * capital inside a sentence.
 */
const LEAST_NAMED_SHARE = 0.25;
const LEAST_NAMED = 2;

/** Memories with the sum of the weights of the words that they have. */
export type Scores = ReadonlyMap<number, number>;

/** The full-text index, and how many memories have each word. The tokens of a memory are in its row. */
export interface WordIndex {
  add(seq: number, text: string): void;
  /** `text` must be the one that was added. */
  remove(seq: number, text: string): void;
  /** The different words among these that the index has, rarest first. */
  termsOf(words: readonly string[], size: number): readonly Term[];
  /** The memories that the terms find, about 5,000 at most. */
  find(terms: readonly Term[]): Scores;
  /** All memories with a word, oldest first. */
  having(term: Term): readonly number[];
}

export function openWordIndex(database: DatabaseSync): WordIndex {
  // One text is read several times faster than a row for each memory, and than FTS5's own ranking.
  const having = database.prepare('select json_group_array(rowid) as seqs from word where word match ?');
  const matching = (expression: string): readonly number[] =>
    JSON.parse(String(having.get(expression)?.['seqs'])) as readonly number[];
  const one = database.prepare('select rows, named from term where word = ?');
  return {
    ...writers(database),
    termsOf: (words, size) => {
      const terms = [...new Set(words)].flatMap((word): readonly Term[] => {
        const row = one.get(word);
        if (row === undefined) return [];
        const [rows, named] = [Number(row['rows']), Number(row['named'])];
        const isName = named >= Math.min(LEAST_NAMED, rows - 1) && named > 0 && named >= rows * LEAST_NAMED_SHARE;
        return [{ word, rows, weight: weightOf(rows, size), isName }];
      });
      return terms.toSorted((one_, other) => one_.rows - other.rows || (one_.word < other.word ? -1 : 1));
    },
    find: (terms) => {
      const scores = new Map<number, number>();
      for (const { expression, weight } of soughtOf(terms))
        for (const seq of matching(expression)) scores.set(seq, (scores.get(seq) ?? 0) + weight);
      return scores;
    },
    having: (term) => matching(quoted(term)),
  };
}

/** The inverse document frequency of BM25 that is never negative. */
export const weightOf = (rows: number, size: number): number => Math.log(1 + (size - rows + 0.5) / (rows + 0.5));

/** The words of names, as in the index; numbers are not names there. */
const namedIn = (text: string): ReadonlySet<string> =>
  new Set(
    namesOf(text)
      .filter((name) => CAPITAL.test(name))
      .flatMap(wordsOf),
  );
const CAPITAL = /^\p{Lu}/u;

function writers(database: DatabaseSync): Pick<WordIndex, 'add' | 'remove'> {
  const insert = database.prepare('insert into word (rowid, words) values (?, ?)');
  const erase = database.prepare("insert into word (word, rowid, words) values ('delete', ?, ?)");
  const more = database.prepare(
    `insert into term (word, rows, named) values (?1, 1, ?2)
     on conflict (word) do update set rows = rows + 1, named = named + ?2`,
  );
  const less = database.prepare('update term set rows = rows - 1, named = named - ? where word = ?');
  const unused = database.prepare('delete from term where word = ? and rows <= 0');
  return {
    add: (seq, text) => {
      const [words, names] = [wordsOf(text), namedIn(text)];
      insert.run(seq, words.join(' '));
      for (const word of new Set(words)) more.run(word, Number(names.has(word)));
    },
    remove: (seq, text) => {
      const [words, names] = [wordsOf(text), namedIn(text)];
      erase.run(seq, words.join(' '));
      for (const word of new Set(words)) {
        less.run(Number(names.has(word)), word);
        unused.run(word);
      }
    },
  };
}

type Sought = Readonly<{ expression: string; weight: number }>;

/**
 * The rarest terms find memories by themselves, together on at most MAX_VISITS rows. Each of the next ones finds those that have a
 * rarer one too.
 */
export function soughtOf(terms: readonly Term[]): readonly Sought[] {
  const sought = terms.slice(0, MAX_TERMS);
  let visits = 0;
  const single = sought.filter(({ rows }) => (visits += rows) <= MAX_VISITS || sought.length === 1);
  const paired = sought.slice(single.length, single.length + MAX_PAIRED);
  return [
    ...single.map((term) => ({ expression: quoted(term), weight: term.weight })),
    ...paired.flatMap((term, index) => {
      const rarer = sought.slice(0, single.length + index);
      return rarer.length === 0 ? [] : [{ expression: `(${quoted(term)} AND (${anyOf(rarer)}))`, weight: term.weight }];
    }),
  ];
}

const quoted = ({ word }: Term): string => `"${word}"`;
const anyOf = (terms: readonly Term[]): string => terms.map(quoted).join(' OR ');
