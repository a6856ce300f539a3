import { clamped, MAX_HITS, MAX_PINNED } from '../limits.ts';
import type { Hit, Present, RankingProfile, SearchOptions } from '../memory.ts';
import { explain, rank, type Ranked, type Ranking } from '../ranking/rank.ts';
import type { Audiences } from '../store/audiences.ts';
import type { Filter } from '../store/filter.ts';
import { indexedText, type Parts } from '../store/parts.ts';
import type { Term } from '../store/words/word-index.ts';
import { bestVisible } from './best-visible.ts';
import { follow } from './follow.ts';
import { Pool, type Scored } from './pool.ts';
import { wordsOf } from '../text/words.ts';

const DEFAULT_HITS = 10;
/** Number of candidates by words and by vector. */
const BY_WORDS = 80;
const BY_VECTOR = 32;
/** In a store of more memories, fewer are found by vector: sqlite-vec's time grows with their number. */
const BY_VECTOR_OF_MANY = 16;
const MANY = 30_000;
/** Number of first candidates whose neighbouring turns are candidates too. */
const WITH_NEIGHBOURS = 32;

export type Query = Readonly<{
  text: string;
  /** The quantized vector of the text; null if the embedder failed. */
  vector: Uint8Array | null;
  options: SearchOptions;
  profile: RankingProfile;
  now: number;
}>;

/**
 * Candidates are the union of what words and vectors find, the pinned memories, the turns beside them, and what names in the first
 * hits lead to. All are then ranked together.
 */
export function search(parts: Parts, { text, vector, options, profile, now }: Query): readonly Hit[] {
  const filter = filterOf(parts.audiences, options);
  const size = parts.table.size();
  const terms = askedTerms(parts.words.termsOf(wordsOf(text), size));
  const pool = new Pool(parts, { terms, vector, filter, profile });
  const scores = parts.words.find(terms);
  const limit = Math.max(BY_WORDS, 2 * hitsOf(options));
  pool.add([
    ...bestVisible(parts.table, scores, { filter, limit }),
    ...parts.table.visible(nearOrPinned(parts, vector, filter), filter),
  ]);
  pool.addBeside(pool.best(WITH_NEIGHBOURS).map(({ seq }) => seq));
  follow(parts, pool, { terms, scores, filter, size });
  const candidates = pool.candidates();
  const withSuccessors = [...candidates, ...successorsOf(parts, candidates, filter)];
  const best = rank(withSuccessors, { profile, now }).slice(0, hitsOf(options));
  const asked = new Set(terms.map(({ word }) => word));
  return hitsFrom(parts, best, { pool, ranking: { profile, now }, asked: options.explain === true ? asked : null });
}

function nearOrPinned(
  { table, vectors }: Parts,
  vector: Query['vector'],
  { audiences }: Pick<Filter, 'audiences'>,
): readonly number[] {
  const size = table.size();
  const limit = size > MANY ? BY_VECTOR_OF_MANY : BY_VECTOR;
  const near = vector === null ? [] : vectors.near(vector, { audiences, limit, size });
  return [...near, ...table.pins(audiences, MAX_PINNED)];
}

/** A name in a question weighs more than another word that is as rare: what is said of others answers nothing. */
const NAME_WEIGHT = 1.7;

const askedTerms = (terms: readonly Term[]): readonly Term[] =>
  terms.map((term) => (term.isName ? { ...term, weight: NAME_WEIGHT * term.weight } : term));

const hitsOf = ({ k = DEFAULT_HITS }: SearchOptions): number => clamped(k, MAX_HITS);

type Filtering = Readonly<{ audience: Present }> &
  Pick<SearchOptions, 'repository' | 'place' | 'besides' | 'kind' | 'layers'>;

export const filterOf = (
  audiences: Audiences,
  { audience, repository, place, besides, kind, layers }: Filtering,
): Filter => ({
  audiences: audiences.visibleTo(audience),
  repository: repository ?? null,
  place: place === undefined ? null : (place ?? ''),
  besides: besides ?? null,
  kind: kind ?? null,
  layers: layers ?? null,
});

/** Maximum number of corrections of one fact that are followed. */
const MAX_CORRECTIONS = 16;

/** The visible facts that correct candidates, with what their predecessors have in common with the query. */
function successorsOf({ table }: Parts, candidates: readonly Scored[], filter: Filter): readonly Scored[] {
  const there = new Set(candidates.map(({ id }) => id));
  const added: Scored[] = [];
  for (const candidate of candidates) {
    let old = candidate;
    for (let steps = 0; steps < MAX_CORRECTIONS && old.supersededBy !== null; steps += 1) {
      if (there.has(old.supersededBy)) break;
      const row = table.find(old.supersededBy);
      if (row === null || table.visible([row.seq], filter).length === 0) break;
      const [stored] = table.rankRows([row.seq]);
      if (stored === undefined) break;
      const { words, vector, around, link } = old;
      old = { ...stored, words, vector, around, link };
      there.add(old.id);
      added.push(old);
    }
  }
  return added;
}

type Answering = Readonly<{
  pool: Pool;
  ranking: Ranking;
  /** The words of the query, for explanations; null for hits without them. */
  asked: ReadonlySet<string> | null;
}>;

function hitsFrom({ table }: Parts, best: readonly Ranked<Scored>[], { pool, ranking, asked }: Answering) {
  const rows = new Map(table.rows(best.map(({ candidate }) => candidate.seq)).map((row) => [row.seq, row.memory]));
  return best.flatMap(({ candidate, score }): readonly Hit[] => {
    const memory = rows.get(candidate.seq);
    if (memory === undefined) return [];
    if (asked === null) return [{ memory, score }];
    const matched = [...new Set(wordsOf(indexedText(memory)))].filter((word) => asked.has(word));
    const through = pool.linkOf(candidate.seq)?.through ?? null;
    const { name, version } = ranking.profile;
    return [
      {
        memory,
        score,
        explanation: { profile: `${name}@${version}`, ...explain(candidate, ranking), matched, through },
      },
    ];
  });
}
