import type { Term } from '../store/word-index.ts';

/** A first hit, with the names in it by which others may be reached. */
export type Source = Readonly<{ seq: number; id: string; strength: number; names: readonly Term[] }>;

export type Link = Readonly<{ value: number; through: Readonly<{ id: string; words: readonly string[] }> }>;

/** A name of more memories than this share names nothing in particular. */
const GREATEST_SHARE = 0.2;
const MAX_NAMES = 4;

/** The names in a hit that the query does not have and other memories do, rarest first. */
export const bridgesOf = (terms: readonly Term[], asked: ReadonlySet<string>, size: number): readonly Term[] =>
  terms
    .filter(({ word, rows, isName }) => isName && rows >= 2 && rows <= size * GREATEST_SHARE && !asked.has(word))
    .slice(0, MAX_NAMES);

/** How strongly a name leads on from its hit: a rare one more than a frequent one. */
export const linkValue = ({ strength }: Source, { weight }: Term, size: number): number =>
  (strength * weight) / Math.log(1 + size);
