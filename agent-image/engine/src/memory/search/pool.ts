import type { RankingProfile } from '../memory.ts';
import { countWords, wordScore, type WordCount } from '../ranking/bm25.ts';
import type { Link } from '../ranking/links.ts';
import type { Candidate } from '../ranking/rank.ts';
import type { Filter } from '../store/filter.ts';
import type { RankRow } from '../store/memory-table.ts';
import type { Parts } from '../store/parts.ts';
import type { Term } from '../store/word-index.ts';

export type Scored = Candidate & Readonly<{ seq: number }>;

type Asked = Readonly<{
  terms: readonly Term[];
  vector: Uint8Array | null;
  filter: Filter;
  profile: RankingProfile;
}>;

/** The candidates of one search, with what is known of each. It grows while the search goes on. */
export type Pool = ReturnType<typeof createPool>;

export function createPool({ table, vectors }: Parts, { terms, vector, filter, profile }: Asked) {
  const asked = new Map(terms.map((term) => [term.word, term]));
  const counts = new Map<number, WordCount>();
  const rows = new Map<number, RankRow>();
  const likeness = new Map<number, number>();
  const beside = new Map<number, number[]>();
  const links = new Map<number, Link>();

  const own = (seq: number): number => wordScore(terms, counts.get(seq) ?? NO_WORDS, []);
  const near = (seq: number): number => likeness.get(seq) ?? 0;
  const windowed = (seq: number): number => {
    const around = (beside.get(seq) ?? []).flatMap((other) => counts.get(other) ?? []);
    return around.length === 0 ? own(seq) : wordScore(terms, counts.get(seq) ?? NO_WORDS, around);
  };
  const relevance = (seq: number): number =>
    profile.weights.words * own(seq) +
    profile.weights.around * Math.max(0, windowed(seq) - own(seq)) +
    profile.weights.vector * near(seq) +
    profile.weights.importance * (rows.get(seq)?.importance ?? 0);
  const add = (seqs: readonly number[]): void => {
    const added = [...new Set(seqs)].filter((seq) => !rows.has(seq));
    if (added.length === 0) return;
    for (const row of table.rankRows(added)) {
      rows.set(row.seq, row);
      counts.set(row.seq, countWords(row.text, asked));
    }
    if (vector !== null) for (const [seq, value] of vectors.likeness(vector, added)) likeness.set(seq, value);
  };
  return {
    /** Adds memories that the filter lets through. */
    add,
    /** Adds the visible turns beside these, and notes who stands beside whom. */
    addBeside: (seqs: readonly number[]): void => {
      const all = table.neighbours(seqs);
      const visible = new Set(table.visible([...new Set([...all.values()].flat())], filter));
      add([...visible]);
      for (const [seq, others] of all)
        for (const other of others.filter((each) => visible.has(each))) {
          note(beside, seq, other);
          note(beside, other, seq);
        }
    },
    /** The most promising so far, by relevance and importance; equal ones in the order in which they were stored. */
    best: (count: number): readonly number[] =>
      [...rows.keys()]
        .map((seq) => ({ seq, value: relevance(seq) }))
        .toSorted((one, other) => other.value - one.value || one.seq - other.seq)
        .slice(0, count)
        .map(({ seq }) => seq),
    /** How well its own words fit the query, 0 to 1. */
    wordsOf: own,
    rowOf: (seq: number): RankRow | null => rows.get(seq) ?? null,
    link: (seq: number, link: Link): void => {
      if ((links.get(seq)?.value ?? 0) < link.value) links.set(seq, link);
    },
    linkOf: (seq: number): Link | null => links.get(seq) ?? null,
    candidates: (): readonly Scored[] =>
      [...rows.values()].map((row) => {
        const words = own(row.seq);
        const around = Math.max(0, windowed(row.seq) - words);
        return { ...row, words, around, vector: near(row.seq), link: links.get(row.seq)?.value ?? 0 };
      }),
  };
}

const NO_WORDS: WordCount = { counts: new Map(), length: 0 };

function note(beside: Map<number, number[]>, seq: number, other: number): void {
  const known = beside.get(seq);
  if (known === undefined) beside.set(seq, [other]);
  else if (!known.includes(other)) known.push(other);
}
