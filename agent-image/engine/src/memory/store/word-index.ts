import type { DatabaseSync } from 'node:sqlite';
import { namesOf, wordsOf } from '../text/words.ts';
import { conditionsOf, type Filter } from './filter.ts';
import { statementsOf } from './statements.ts';

/** A word of a query or a text, with how many memories have it and how much it says (inverse document frequency). */
export type Term = Readonly<{ word: string; rows: number; weight: number; isName: boolean }>;

/** Rows that the words of a query may find by themselves. */
const MAX_VISITS = 5_000;
/** More frequent words that find only together with a rarer one. */
const MAX_PAIRED = 2;
const MAX_TERMS = 32;
/** A word is a name if this share of its memories, and two of them if there are as many, write it with a capital inside a sentence. */
const LEAST_NAMED_SHARE = 0.25;
const LEAST_NAMED = 2;

/** The full-text index, and how many memories have each word. The tokens of a memory are in its row. */
export interface WordIndex {
  add(seq: number, text: string): void;
  /** `text` must be the one that was added. */
  remove(seq: number, text: string): void;
  /** The different words among these that the index has, rarest first. */
  termsOf(words: readonly string[], size: number): readonly Term[];
  /** The best memories with some of the terms. */
  find(terms: readonly Term[], filter: Filter, limit: number): readonly number[];
  /** The best memories with some of the terms among those with a word. */
  findWith(word: Readonly<{ word: Term; terms: readonly Term[] }>, filter: Filter, limit: number): readonly number[];
  /** The newest memories with a word. */
  newest(term: Term, filter: Filter, limit: number): readonly number[];
}

export function openWordIndex(database: DatabaseSync): WordIndex {
  const statement = statementsOf(database);
  const match = (expression: string, filter: Filter, rest: Readonly<{ order: string; limit: number }>) => {
    const { sql, values } = conditionsOf(filter);
    const join = sql === '' ? '' : `cross join memory on memory.seq = word.rowid ${sql}`;
    return statement(`select word.rowid as seq from word ${join} where word match ? order by ${rest.order} limit ?`)
      .all(...values, expression, rest.limit)
      .map(({ seq }) => Number(seq));
  };
  return {
    ...writers(database),
    termsOf: (words, size) => {
      const one = statement('select rows, named from term where word = ?');
      const terms = [...new Set(words)].flatMap((word): readonly Term[] => {
        const row = one.get(word);
        if (row === undefined) return [];
        const [rows, named] = [Number(row['rows']), Number(row['named'])];
        const isName = named >= Math.min(LEAST_NAMED, rows - 1) && named > 0 && named >= rows * LEAST_NAMED_SHARE;
        return [{ word, rows, weight: weightOf(rows, size), isName }];
      });
      return terms.toSorted((one_, other) => one_.rows - other.rows || (one_.word < other.word ? -1 : 1));
    },
    find: (terms, filter, limit) => {
      const expression = expressionOf(terms);
      return expression === null ? [] : match(expression, filter, { order: 'word.rank', limit });
    },
    findWith: ({ word, terms }, filter, limit) => {
      const expression = expressionOf(terms);
      if (expression === null) return [];
      return match(`${quoted(word)} AND (${expression})`, filter, { order: 'word.rank', limit });
    },
    newest: ({ word }, filter, limit) => match(`"${word}"`, filter, { order: 'word.rowid desc', limit }),
  };
}

/** The inverse document frequency of BM25 that is never negative. */
export const weightOf = (rows: number, size: number): number => Math.log(1 + (size - rows + 0.5) / (rows + 0.5));

/** The words of names, as in the index; numbers are no names there. */
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

/**
 * The rarest terms find memories by themselves, together on at most MAX_VISITS rows. Each of the next ones finds those that have a
 * rarer one too. Null without terms.
 */
export function expressionOf(terms: readonly Term[]): string | null {
  const sought = terms.slice(0, MAX_TERMS);
  let visits = 0;
  const single = sought.filter(({ rows }) => (visits += rows) <= MAX_VISITS || sought.length === 1);
  const paired = sought.slice(single.length, single.length + MAX_PAIRED);
  const parts = [
    ...single.map(quoted),
    ...paired.flatMap((term, index) => {
      const rarer = sought.slice(0, single.length + index);
      return rarer.length === 0 ? [] : [`(${quoted(term)} AND (${anyOf(rarer)}))`];
    }),
  ];
  return parts.length === 0 ? null : parts.join(' OR ');
}

const quoted = ({ word }: Term): string => `"${word}"`;
const anyOf = (terms: readonly Term[]): string => terms.map(quoted).join(' OR ');
