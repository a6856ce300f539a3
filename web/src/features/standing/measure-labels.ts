import { FLAG_OF_MEASURE, type HeldMeasure, type Measure, MEASURES, type Standing } from '@hamlet/contract';
import type { IconName } from '../../ui/icon-paths.ts';
import { minuteTime, timeAgo, timeAhead } from '../../ui/time-labels.ts';

type MeasureLabels = Readonly<{ verb: string; state: string; icon: IconName; does: string; lift: string }>;

/** The measures in the order of the page: the mildest first, `kill` last. */
export const OFFERED: readonly Measure[] = MEASURES.toReversed();

export const MEASURE_LABELS: Readonly<Record<Measure, MeasureLabels>> = {
  revoke_token: {
    verb: 'Revoke tokens',
    state: 'Tokens revoked',
    icon: 'key',
    does: 'The village refuses its tokens and gives it no new one. Its pod stays.',
    lift: 'Allow tokens',
  },
  freeze: {
    verb: 'Freeze',
    state: 'Frozen',
    icon: 'snow',
    does: 'The agent stops and spends nothing. It keeps its data and its money.',
    lift: 'Thaw',
  },
  quarantine: {
    verb: 'Quarantine',
    state: 'Quarantined',
    icon: 'shield',
    does: 'Its pod ends and the village refuses its requests. Its volume stays as it is, for inspection.',
    lift: 'Release',
  },
  ban: {
    verb: 'Ban',
    state: 'Banned',
    icon: 'ban',
    does: 'Its pod ends. It stays asleep until an admin lifts the ban or the ban ends.',
    lift: 'Lift the ban',
  },
  kill: {
    verb: 'Kill',
    state: 'Killed',
    icon: 'power',
    does: 'Its pod is deleted at once, without a grace period: unsaved work is lost. It stays away until an admin lifts this.',
    lift: 'Let it come back',
  },
};

/** The active measures against an agent, severest first. */
export function heldOf(standing: Omit<Standing, 'agent_id'>): Measure[] {
  return MEASURES.filter((measure) => standing[FLAG_OF_MEASURE[measure]] === true);
}

export function heldLabel(
  { since, expires_at: until }: Pick<HeldMeasure, 'since' | 'expires_at'>,
  nowMs: number,
): string {
  const end =
    until === null ? 'until an admin lifts it' : `until ${minuteTime(until)} (${timeAhead(Date.parse(until), nowMs)})`;
  return `${timeAgo(since, nowMs)}, ${end}`;
}

/** The durations that a form offers; null means until an admin lifts the measure. */
export const TERMS: readonly { readonly key: string; readonly word: string; readonly lengthMs: number | null }[] = [
  { key: 'lifted', word: 'Until an admin lifts it', lengthMs: null },
  { key: 'hour', word: 'For an hour', lengthMs: 3_600_000 },
  { key: 'shift', word: 'For 8 hours', lengthMs: 28_800_000 },
  { key: 'day', word: 'For a day', lengthMs: 86_400_000 },
  { key: 'week', word: 'For a week', lengthMs: 604_800_000 },
];

export function endOf(key: string, nowMs: number): string | undefined {
  const lengthMs = TERMS.find((term) => term.key === key)?.lengthMs ?? null;
  return lengthMs === null ? undefined : new Date(nowMs + lengthMs).toISOString();
}
