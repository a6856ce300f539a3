import type { Term } from '../store/words/word-index.ts';

/** A first hit, by whose names others may be reached. `strength`: how well its own words fit the query, 0 to 1. */
export type Source = Readonly<{ seq: number; id: string; strength: number }>;

export type Link = Readonly<{ value: number; through: Readonly<{ id: string; words: readonly string[] }> }>;

/** A name in more than this share of the memories names nothing in particular. */
const GREATEST_SHARE = 0.2;
const MAX_NAMES = 4;

/** The names in a hit that are missing in the query and occur in other memories, rarest first. */
export const bridgesOf = (terms: readonly Term[], asked: ReadonlySet<string>, size: number): readonly Term[] =>
  terms
    .filter(({ word, rows, isName }) => isName && rows >= 2 && rows <= size * GREATEST_SHARE && !asked.has(word))
    .slice(0, MAX_NAMES);

/**
 * Strength of a link to a memory that answers nothing more of the query, and the addition for one that answers all that
 * the hit left open.
 */
const LEAST_OF_LINK = 0.4;
const BY_COMPLEMENT = 1.2;

/** `complement`: the share of what the hit leaves open in the query that the memory answers, 0 to 1. */
type Reached = Readonly<{ source: Source; name: Term; size: number; complement: number }>;

/** How strongly a name leads on from its hit, 0 to 1: a rare one more than a frequent one, to what completes the hit most. */
export const linkValue = ({ source, name, size, complement }: Reached): number =>
  Math.min(1, ((source.strength * name.weight) / Math.log(1 + size)) * (LEAST_OF_LINK + BY_COMPLEMENT * complement));
