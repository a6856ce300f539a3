import type { Landmark, LandmarkKind } from '@hamlet/contract';
import { chance, choose } from './chance.ts';
import type { Character } from './situation.ts';

const INTEREST_WORDS: Readonly<Record<LandmarkKind, readonly string[]>> = {
  square: ['meet', 'speak', 'people', 'social', 'music'],
  board: ['news', 'organis', 'organiz', 'question', 'help'],
  cafe: ['coffee', 'tea', 'social', 'chat', 'friend'],
  market: ['trade', 'sell', 'buy', 'bargain', 'cook', 'merchant'],
  workshop: ['build', 'make', 'repair', 'engineer', 'tool', 'code', 'craft', 'program', 'machine'],
  library: ['read', 'book', 'learn', 'research', 'study', 'write', 'curious', 'mathemat'],
  garden: ['plant', 'flower', 'fruit', 'nature', 'grow'],
  pond: ['fish', 'swim', 'quiet', 'nature', 'water'],
  forest: ['wood', 'walk', 'nature', 'quiet'],
  home: [],
  hall: ['meet', 'organis', 'organiz', 'people', 'decide'],
  bakery: ['bread', 'cook', 'bake'],
  orchard: ['plant', 'fruit', 'apple', 'nature', 'grow'],
  dock: ['fish', 'boat', 'water'],
  hill: ['walk', 'rest', 'quiet', 'sky'],
  observatory: ['star', 'sky', 'science', 'astronom', 'curious'],
  waypoint: [],
};

const INDIFFERENT = 1;
const FOR_EACH_WORD = 2;
const MAX_INTEREST = 9;

/** A persona's interest in a place, from 1 (no word in common) to 9. */
export function interestIn({ kind, name }: Landmark, persona: string): number {
  const text = persona.toLowerCase();
  const words = [...INTEREST_WORDS[kind], kind, name.toLowerCase()];
  const hits = words.filter((word) => text.includes(word)).length;
  return Math.min(INDIFFERENT + FOR_EACH_WORD * hits, MAX_INTEREST);
}

export interface Stop {
  readonly fromMinute: number;
  readonly landmarkId: string;
  readonly why: string;
}

export interface DayPlan {
  readonly rises: number;
  readonly retires: number;
  readonly stops: readonly Stop[];
  /** From this minute on the agent searches for an item to carry to `errandTo`. */
  readonly errandFrom: number;
  readonly errandTo: string | null;
}

/** The hours at which all agents gather, and the suitable kinds of place, best first. */
const GATHERINGS = [
  { minute: 480, kinds: ['cafe', 'bakery', 'market'], why: 'the village has breakfast there' },
  { minute: 750, kinds: ['market', 'square', 'board'], why: 'the village meets there at noon' },
  { minute: 1_110, kinds: ['square', 'board', 'cafe'], why: 'the village gathers there in the evening' },
] as const;

const VISIT_MINUTES = [345, 405, 570, 660, 850, 930, 1_020, 1_220] as const;
/** Reasons for a visit, each given at most once a day. They fit any place that an agent chose by its interests. */
export const VISIT_REASONS = [
  'I like it there',
  'a change of place does me good',
  'I like to see who is there',
  'I enjoy the walk',
  'I like to look in there',
  'I like to vary my day',
  'it suits me there',
  'I like to be out and about',
] as const;
const DELIVERY_KINDS: readonly string[] = ['cafe', 'market', 'bakery', 'workshop'];

/** A new village begins before dawn. This is the earliest time to get up, so that the first view shows agents that are awake. */
const RISE_MINUTE = 335;
const RETIRE_MINUTE = 1_320;
const ERRAND_MINUTE = 600;
const ERRAND_SPREAD = 240;
/** Each agent shifts its hours by up to this many minutes. */
const SPREAD_MINUTES = 20;

export function planDay(character: Character, landmarks: readonly Landmark[], day: number): DayPlan {
  const { seed, agentId } = character;
  const shift = (name: string) => Math.floor(chance(seed, agentId, day, name) * SPREAD_MINUTES);
  const open = landmarks.filter((landmark) => landmark.kind !== 'home' && isOpenTo(character, landmark));
  const gatherings = GATHERINGS.flatMap(({ minute, kinds, why }) => {
    const place = gatheringPlace(open, kinds);
    return place === undefined ? [] : [{ fromMinute: minute, landmarkId: place.landmark_id, why }];
  });
  const taken = new Set(gatherings.map(({ landmarkId }) => landmarkId));
  const favourites = byInterest(
    character,
    open.filter(({ landmark_id }) => !taken.has(landmark_id)),
    day,
  );
  const firstReason = Math.floor(chance(seed, agentId, day, 'reason') * VISIT_REASONS.length);
  const visitReason = (index: number) => VISIT_REASONS[(firstReason + index) % VISIT_REASONS.length] ?? '';
  const visits = VISIT_MINUTES.flatMap((minute, index) => {
    const place = favourites[index];
    return place === undefined
      ? []
      : [{ fromMinute: minute + shift(place.landmark_id), landmarkId: place.landmark_id, why: visitReason(index) }];
  });
  const wanting = open.filter(({ kind }) => DELIVERY_KINDS.includes(kind));
  return {
    rises: RISE_MINUTE + shift('rise'),
    retires: RETIRE_MINUTE + shift('retire'),
    stops: [...gatherings, ...visits].toSorted((a, b) => a.fromMinute - b.fromMinute),
    errandFrom: ERRAND_MINUTE + Math.floor(chance(seed, agentId, day, 'errand') * ERRAND_SPREAD),
    errandTo: choose(wanting.length > 0 ? wanting : open, chance(seed, agentId, day, 'delivery'))?.landmark_id ?? null,
  };
}

export function stopAt(plan: DayPlan, minute: number): Stop | undefined {
  return plan.stops.findLast(({ fromMinute }) => fromMinute <= minute);
}

/** True if it is time to sleep. The night spans midnight. */
export const isBedtime = (plan: DayPlan, minute: number): boolean => minute < plan.rises || minute >= plan.retires;

export function isOpenTo({ tier }: Character, { unlocked_by }: Landmark): boolean {
  return unlocked_by === undefined || rankOf(unlocked_by) <= rankOf(tier ?? '');
}

/** The rank in a name such as `tier-2`; -1 for a name of another form. */
export const rankOf = (tier: string): number => Number(/^tier-([0-9]+)$/.exec(tier)?.[1] ?? -1);

/** The place of a gathering depends only on the map, so that all agents meet at the same place. */
function gatheringPlace(open: readonly Landmark[], kinds: readonly string[]): Landmark | undefined {
  return (
    kinds.map((kind) => open.find((landmark) => landmark.kind === kind)).find((place) => place !== undefined) ?? open[0]
  );
}

/** A weighted shuffle (Efraimidis and Spirakis 2006): places with more interest tend to come first. */
function byInterest(character: Character, places: readonly Landmark[], day: number): readonly Landmark[] {
  const rank = (place: Landmark) =>
    chance(character.seed, character.agentId, day, place.landmark_id) ** (1 / interestIn(place, character.persona));
  return places.toSorted((a, b) => rank(b) - rank(a));
}
