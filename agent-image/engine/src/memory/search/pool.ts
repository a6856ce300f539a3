import type { RankingProfile } from '../memory.ts';
import { countWords, wordScore, type WordCount } from '../ranking/bm25.ts';
import type { Link } from '../ranking/links.ts';
import type { Candidate } from '../ranking/rank.ts';
import type { Filter } from '../store/filter.ts';
import type { RankRow } from '../store/memory-table.ts';
import type { Parts } from '../store/parts.ts';
import type { Term } from '../store/words/word-index.ts';

export type Scored = Candidate & Readonly<{ seq: number }>;

type Asked = Readonly<{
  terms: readonly Term[];
  vector: Uint8Array | null;
  filter: Filter;
  profile: RankingProfile;
}>;

/** The candidates of one search, with what is known of each. Each step of the search adds some. */
export class Pool {
  readonly #parts: Parts;
  readonly #asked: Asked;
  readonly #rows = new Map<number, RankRow>();
  readonly #counts = new Map<number, WordCount>();
  readonly #scores = new Map<number, number>();
  readonly #likeness = new Map<number, number>();
  readonly #beside = new Map<number, number[]>();
  readonly #links = new Map<number, Link>();

  constructor(parts: Parts, asked: Asked) {
    this.#parts = parts;
    this.#asked = asked;
  }

  /** Adds memories that the filter lets through. */
  add(seqs: readonly number[]): void {
    const added = this.#read(seqs);
    const { vector } = this.#asked;
    if (vector === null || added.length === 0) return;
    for (const [seq, value] of this.#parts.vectors.likeness(vector, added)) this.#likeness.set(seq, value);
  }

  /** Adds the visible turns beside these, and notes which turns stand beside each other. Their vectors are not compared. */
  addBeside(seqs: readonly number[]): void {
    const all = this.#parts.table.neighbours(seqs);
    const visible = new Set(this.#parts.table.visible([...new Set([...all.values()].flat())], this.#asked.filter));
    this.#read([...visible]);
    for (const [seq, others] of all)
      for (const other of others.filter((each) => visible.has(each))) {
        this.#note(seq, other);
        this.#note(other, seq);
      }
  }

  /** The most promising so far, by relevance and importance; equal ones in the order in which they were stored. */
  best(count: number): readonly RankRow[] {
    return [...this.#rows.values()]
      .map((row) => ({ row, value: this.#promise(row) }))
      .sort((one, other) => other.value - one.value || one.row.seq - other.row.seq)
      .slice(0, count)
      .map(({ row }) => row);
  }

  /** How well its own words fit the query, 0 to 1. */
  wordsOf(seq: number): number {
    return this.#scores.get(seq) ?? 0;
  }

  /**
   * The weight of the words of the query that `seq` has and `source` lacks, as a share of all that `source` lacks: 0 to
   * 1.
   */
  complement(seq: number, source: number): number {
    const has = (of: number, index: number): boolean => (this.#counts.get(of)?.counts[index] ?? 0) > 0;
    let [open, answered] = [0, 0];
    for (const [index, { weight }] of this.#asked.terms.entries()) {
      if (has(source, index)) continue;
      open += weight;
      if (has(seq, index)) answered += weight;
    }
    return open === 0 ? 0 : answered / open;
  }

  link(seq: number, link: Link): void {
    if ((this.#links.get(seq)?.value ?? 0) < link.value) this.#links.set(seq, link);
  }

  linkOf(seq: number): Link | null {
    return this.#links.get(seq) ?? null;
  }

  candidates(): readonly Scored[] {
    return [...this.#rows.values()].map((row) => ({
      ...row,
      words: this.wordsOf(row.seq),
      around: this.#around(row.seq),
      vector: this.#likeness.get(row.seq) ?? 0,
      link: this.#links.get(row.seq)?.value ?? 0,
    }));
  }

  /** How much the score of a memory's words rises when the turns beside it count too. */
  #around(seq: number): number {
    const [count, others] = [this.#counts.get(seq), this.#beside.get(seq)];
    if (count === undefined || others === undefined) return 0;
    const window = others.flatMap((other) => this.#counts.get(other) ?? []);
    return Math.max(0, wordScore(this.#asked.terms, count, window) - this.wordsOf(seq));
  }

  #promise({ seq, importance }: RankRow): number {
    const { weights } = this.#asked.profile;
    const words = weights.words * this.wordsOf(seq) + weights.around * this.#around(seq);
    return words + weights.vector * (this.#likeness.get(seq) ?? 0) + weights.importance * importance;
  }

  /** Reads the rows that are new to the pool. */
  #read(seqs: readonly number[]): readonly number[] {
    const { terms } = this.#asked;
    const added = [...new Set(seqs)].filter((seq) => !this.#rows.has(seq));
    for (const row of added.length === 0 ? [] : this.#parts.table.rankRows(added)) {
      const count = countWords(row.text, terms);
      this.#rows.set(row.seq, row);
      this.#counts.set(row.seq, count);
      this.#scores.set(row.seq, wordScore(terms, count, []));
    }
    return added;
  }

  #note(seq: number, other: number): void {
    const known = this.#beside.get(seq);
    if (known === undefined) this.#beside.set(seq, [other]);
    else if (!known.includes(other)) known.push(other);
  }
}
