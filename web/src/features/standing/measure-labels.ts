import { FLAG_OF_MEASURE, type HeldMeasure, type Measure, MEASURES, type Standing } from '@hamlet/contract';
import type { IconName } from '../../ui/icon-paths.ts';
import { dateTime, timeAgo, timeAhead } from '../../ui/time-words.ts';
import { actorWords, type ViewerId } from '../people/actor-words.ts';

/** How a measure is named, what it does, and what can be lost by it. */
interface MeasureWords {
  readonly verb: string;
  readonly state: string;
  readonly icon: IconName;
  readonly does: string;
  readonly lift: string;
}

/** In the order in which they are offered: the mildest first, the kill switch last. */
export const OFFERED: readonly Measure[] = MEASURES.toReversed();

export const MEASURE_WORDS: Readonly<Record<Measure, MeasureWords>> = {
  revoke_token: {
    verb: 'Revoke tokens',
    state: 'Tokens revoked',
    icon: 'key',
    does: 'Every token it has is refused, and it gets no new one. Its pod stays.',
    lift: 'Allow tokens',
  },
  freeze: {
    verb: 'Freeze',
    state: 'Frozen',
    icon: 'snow',
    does: 'Stops it and blocks spending. Data and money are kept.',
    lift: 'Thaw',
  },
  quarantine: {
    verb: 'Quarantine',
    state: 'Quarantined',
    icon: 'shield',
    does: 'Its pod ends and the api refuses everything of it. Its volume stays untouched, to be looked at.',
    lift: 'Release',
  },
  ban: {
    verb: 'Ban',
    state: 'Banned',
    icon: 'ban',
    does: 'Its pod ends and nobody can awaken it until the ban is lifted or over.',
    lift: 'Lift the ban',
  },
  kill: {
    verb: 'Kill',
    state: 'Killed',
    icon: 'power',
    does: 'Its pod is deleted this instant, without grace: what it has not saved is lost. It stays away until this is lifted.',
    lift: 'Let it come back',
  },
};

/** What holds against an agent, hardest first. */
export function heldOf(standing: Omit<Standing, 'agent_id'>): Measure[] {
  return MEASURES.filter((measure) => standing[FLAG_OF_MEASURE[measure]] === true);
}

/** Who, since when and until when: `by you, 5 min ago, until it is lifted`. */
export function heldWords(
  { by, since, expires_at: until }: HeldMeasure,
  at: { readonly nowMs: number; readonly viewer: ViewerId },
): string {
  const { nowMs } = at;
  const end =
    until === null
      ? 'until it is lifted'
      : `until ${dateTime(toMinute(Date.parse(until)))} (${timeAhead(Date.parse(until), nowMs)})`;
  return `by ${actorWords(by.id, by.role, at.viewer)}, ${timeAgo(since, nowMs)}, ${end}`;
}

/** The full minute before: nobody waits for a measure to end to the second. */
function toMinute(atMs: number): number {
  return Math.floor(atMs / 60_000) * 60_000;
}

/** How long a measure may be set for; null until it is lifted. */
export const TERMS: readonly { readonly key: string; readonly word: string; readonly lengthMs: number | null }[] = [
  { key: 'lifted', word: 'Until it is lifted', lengthMs: null },
  { key: 'hour', word: 'For an hour', lengthMs: 3_600_000 },
  { key: 'shift', word: 'For 8 hours', lengthMs: 28_800_000 },
  { key: 'day', word: 'For a day', lengthMs: 86_400_000 },
  { key: 'week', word: 'For a week', lengthMs: 604_800_000 },
];

/** When a term that begins now is over, as the api has it. */
export function endOf(key: string, nowMs: number): string | undefined {
  const lengthMs = TERMS.find((term) => term.key === key)?.lengthMs ?? null;
  return lengthMs === null ? undefined : new Date(nowMs + lengthMs).toISOString();
}
