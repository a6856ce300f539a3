import type { Explanation, Part, PartName, RankingProfile } from '../memory.ts';

/** What is known of one memory when a query is ranked. `words`, `vector`, `around` and `link` are from 0 to 1. */
export type Candidate = Readonly<{
  id: string;
  words: number;
  vector: number;
  /** The best relevance of the turns beside it. */
  around: number;
  /** How strongly first hits lead to it. */
  link: number;
  /** When it was last told. */
  at: number;
  importance: number;
  uses: number;
  pinned: boolean;
  isDormant: boolean;
  /** When a fact ended or was superseded; null while it holds. */
  validTo: number | null;
  supersededBy: string | null;
}>;

export type Ranked<C extends Candidate> = Readonly<{
  candidate: C;
  score: number;
  factor: number;
  parts: Explanation['parts'];
}>;

const DAY_MS = 86_400_000;
/** So many uses count half of what any number of uses can. */
const HALF_OF_USES = 4;

/** How new a memory is: 1 now, a half after the profile's half-life, and less with every day after it. */
export function recencyOf(at: number, now: number, halfLifeDays: number): number {
  const days = Math.max(0, now - at) / DAY_MS;
  return halfLifeDays / (halfLifeDays + days);
}

export const useOf = (uses: number): number => uses / (uses + HALF_OF_USES);

/** What the query says about a memory itself, before its neighbours. */
export const relevanceOf = (profile: RankingProfile, { words, vector }: Pick<Candidate, 'words' | 'vector'>): number =>
  profile.weights.words * words + profile.weights.vector * vector;

/** Scores candidates, best first; equal scores stand in the order of their ids. A superseded fact stands after its successor. */
export function rank<C extends Candidate>(
  candidates: readonly C[],
  profile: RankingProfile,
  now: number,
): readonly Ranked<C>[] {
  const scored = candidates.map((candidate) => scoreOf(candidate, profile, now));
  const scores = new Map(scored.map(({ candidate, score }) => [candidate.id, score]));
  const limited = scored.map((each) => ({ ...each, score: Math.min(each.score, limitOf(each.candidate, scores)) }));
  const ordered = limited.toSorted(
    (one, other) => other.score - one.score || (one.candidate.id < other.candidate.id ? -1 : 1),
  );
  return successorsFirst(ordered);
}

function scoreOf<C extends Candidate>(candidate: C, profile: RankingProfile, now: number): Ranked<C> {
  const values: Readonly<Record<PartName, number>> = {
    words: candidate.words,
    vector: candidate.vector,
    around: candidate.around,
    link: candidate.link,
    recency: recencyOf(candidate.at, now, profile.recencyHalfLifeDays),
    importance: candidate.importance,
    use: useOf(candidate.uses),
    pin: candidate.pinned ? 1 : 0,
  };
  const part = (name: PartName): Part => {
    const [value, weight] = [values[name], profile.weights[name]];
    return { value, weight, added: value * weight };
  };
  const parts = {
    words: part('words'),
    vector: part('vector'),
    around: part('around'),
    link: part('link'),
    recency: part('recency'),
    importance: part('importance'),
    use: part('use'),
    pin: part('pin'),
  };
  const factor =
    (candidate.isDormant && !candidate.pinned ? profile.dormant : 1) *
    (isOver(candidate, now) ? profile.superseded : 1);
  const sum = Object.values(parts).reduce((total, { added }) => total + added, 0);
  return { candidate, score: sum * factor, factor, parts };
}

const isOver = ({ supersededBy, validTo }: Candidate, now: number): boolean =>
  supersededBy !== null || (validTo !== null && validTo <= now);

/** A superseded fact scores at most as much as its successor. */
const limitOf = ({ supersededBy }: Candidate, scores: ReadonlyMap<string, number>): number =>
  (supersededBy === null ? undefined : scores.get(supersededBy)) ?? Number.POSITIVE_INFINITY;

/** Moves a fact behind its successor where equal scores or a chain of corrections left it before. */
function successorsFirst<C extends Candidate>(ordered: readonly Ranked<C>[]): readonly Ranked<C>[] {
  const there = new Set(ordered.map(({ candidate }) => candidate.id));
  const waiting = new Map<string, Ranked<C>[]>();
  const placed = new Set<string>();
  const result: Ranked<C>[] = [];
  const place = (first: Ranked<C>): void => {
    const next = [first];
    for (let each = next.shift(); each !== undefined; each = next.shift()) {
      const { id } = each.candidate;
      result.push(each);
      placed.add(id);
      next.push(...(waiting.get(id) ?? []));
      waiting.delete(id);
    }
  };
  for (const each of ordered) {
    const { supersededBy } = each.candidate;
    if (supersededBy === null || placed.has(supersededBy) || !there.has(supersededBy)) place(each);
    else waiting.set(supersededBy, [...(waiting.get(supersededBy) ?? []), each]);
  }
  // A circle of corrections cannot be stored; if one were, its facts would stand last.
  return [...result, ...[...waiting.values()].flat()];
}
