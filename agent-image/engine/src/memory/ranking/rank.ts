import type { Explanation, Part, PartName, RankingProfile } from '../memory.ts';
import type { RankRow } from '../store/memory-table.ts';

/** A memory before it is ranked for a query. `words`, `vector`, `around` and `link` are from 0 to 1. */
export type Candidate = Omit<RankRow, 'seq' | 'text'> &
  Readonly<{
    words: number;
    vector: number;
    /** The best relevance of the turns beside it. */
    around: number;
    /** How strongly first hits lead to it. */
    link: number;
  }>;

export type Ranked<C extends Candidate> = Readonly<{
  candidate: C;
  score: number;
}>;

export type Ranking = Readonly<{ profile: RankingProfile; now: number }>;

const PARTS = [
  'words',
  'vector',
  'around',
  'link',
  'recency',
  'importance',
  'use',
  'pin',
] as const satisfies readonly PartName[];

const DAY_MS = 86_400_000;
/** This many uses count half as much as any number of uses can. */
const HALF_OF_USES = 4;

/** How new a memory is: 1 now, a half after the profile's half-life, and less with every day after it. */
export function recencyOf(at: number, now: number, halfLifeDays: number): number {
  const days = Math.max(0, now - at) / DAY_MS;
  return halfLifeDays / (halfLifeDays + days);
}

export const useOf = (uses: number): number => uses / (uses + HALF_OF_USES);

/** Scores candidates, best first, and equal scores by id. A superseded fact comes after its successor. */
export function rank<C extends Candidate>(candidates: readonly C[], ranking: Ranking): readonly Ranked<C>[] {
  const scored = candidates.map((candidate) => ({ candidate, score: scoreOf(candidate, ranking) }));
  const scores = new Map(scored.map(({ candidate, score }) => [candidate.id, score]));
  const limited = scored.map(({ candidate, score }) => ({
    candidate,
    score: Math.min(score, limitOf(candidate, scores)),
  }));
  const ordered = limited.sort(
    (one, other) => other.score - one.score || (one.candidate.id < other.candidate.id ? -1 : 1),
  );
  return successorsFirst(ordered);
}

/** The value of one part of a candidate, 0 to 1. */
const valueOf = (candidate: Candidate, name: PartName, { profile, now }: Ranking): number => {
  switch (name) {
    case 'recency':
      return recencyOf(candidate.at, now, profile.recencyHalfLifeDays);
    case 'use':
      return useOf(candidate.uses);
    case 'pin':
      return candidate.pinned ? 1 : 0;
    default:
      return candidate[name];
  }
};

function scoreOf(candidate: Candidate, ranking: Ranking): number {
  let sum = 0;
  for (const name of PARTS) sum += ranking.profile.weights[name] * valueOf(candidate, name, ranking);
  return sum * factorOf(candidate, ranking);
}

/** Factor for what is dormant, unless it is pinned, and for what no longer holds. */
const factorOf = (candidate: Candidate, { profile, now }: Ranking): number =>
  (candidate.isDormant && !candidate.pinned ? profile.dormant : 1) * (isOver(candidate, now) ? profile.superseded : 1);

export function explain(candidate: Candidate, ranking: Ranking): Pick<Explanation, 'parts' | 'factor'> {
  const part = (name: PartName): Part => {
    const [value, weight] = [valueOf(candidate, name, ranking), ranking.profile.weights[name]];
    return { value, weight, added: value * weight };
  };
  const parts = Object.fromEntries(PARTS.map((name) => [name, part(name)])) as Record<PartName, Part>;
  return { parts, factor: factorOf(candidate, ranking) };
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
  // A circle of corrections cannot be stored; if one were, its facts would come last.
  return [...result, ...[...waiting.values()].flat()];
}
