import type { Landmark } from '@hamlet/contract';
import { chance, choose } from './chance.ts';
import { interestIn } from './interests.ts';
import type { Character } from './situation.ts';

/** Where to be from a minute of the day on, and why. */
export interface Stop {
  readonly fromMinute: number;
  readonly landmarkId: string;
  readonly why: string;
}

/** What one village day holds for one agent. */
export interface DayPlan {
  /** Minutes of the village day at which it gets up and goes home. */
  readonly rises: number;
  readonly retires: number;
  /** In order of time, the first at `rises`. */
  readonly stops: readonly Stop[];
  /** From this minute on it looks for something to carry somewhere. */
  readonly errandFrom: number;
  readonly errandTo: string | null;
}

/** The hours at which everybody gathers, and what kinds of place suit, best first. */
const GATHERINGS = [
  { minute: 480, kinds: ['cafe', 'bakery', 'market'], why: 'everybody has breakfast there' },
  { minute: 750, kinds: ['market', 'square', 'board'], why: 'at noon the village meets there' },
  { minute: 1_110, kinds: ['square', 'board', 'cafe'], why: 'in the evening the village gathers there' },
] as const;

/** The hours at which each follows its own interests. */
const VISIT_MINUTES = [345, 405, 570, 660, 850, 930, 1_020, 1_220] as const;
/** Kinds of place that want something brought. */
const DELIVERY_KINDS: readonly string[] = ['cafe', 'market', 'bakery', 'workshop'];

/** Up before dawn, which is when a new village begins: its first sight is a morning with people about. */
const RISE_MINUTE = 335;
const RETIRE_MINUTE = 1_320;
const ERRAND_MINUTE = 600;
const ERRAND_SPREAD = 240;
/** Nobody in the village is on the minute: each shifts its own hours by up to this many. */
const SPREAD_MINUTES = 20;

/** Plans a day: the gatherings that all share, and between them places by interest, none twice. */
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
  const visits = VISIT_MINUTES.flatMap((minute, index) => {
    const place = favourites[index];
    return place === undefined
      ? []
      : [{ fromMinute: minute + shift(place.landmark_id), landmarkId: place.landmark_id, why: 'I like it there' }];
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

/** The stop of a minute: the last that has begun. */
export function stopAt(plan: DayPlan, minute: number): Stop | undefined {
  return plan.stops.findLast(({ fromMinute }) => fromMinute <= minute);
}

/** Whether it is time to sleep; the night goes over midnight. */
export function isBedtime(plan: DayPlan, minute: number): boolean {
  return minute < plan.rises || minute >= plan.retires;
}

function isOpenTo({ tier }: Character, { unlocked_by }: Landmark): boolean {
  return unlocked_by === undefined || rankOf(unlocked_by) <= rankOf(tier ?? '');
}

/** The rank in a tier's name, `tier-2`; any other name opens nothing. */
export function rankOf(tier: string): number {
  return Number(/^tier-([0-9]+)$/.exec(tier)?.[1] ?? -1);
}

/** The same place for everybody, so that they meet: it depends on the map alone. */
function gatheringPlace(open: readonly Landmark[], kinds: readonly string[]): Landmark | undefined {
  return (
    kinds.map((kind) => open.find((landmark) => landmark.kind === kind)).find((place) => place !== undefined) ?? open[0]
  );
}

/** A weighted shuffle (Efraimidis and Spirakis 2006): the more interest, the likelier an early place. */
function byInterest(character: Character, places: readonly Landmark[], day: number): readonly Landmark[] {
  const rank = (place: Landmark) =>
    chance(character.seed, character.agentId, day, place.landmark_id) ** (1 / interestIn(place, character.persona));
  return places.toSorted((a, b) => rank(b) - rank(a));
}
