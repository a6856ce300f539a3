import type { AgentDetail, HandsActivity } from '@hamlet/contract';
import type { Row } from '../../client/app-state.ts';
import { activityLabel } from '../../client/agents/activity-feed.ts';
import { heldOf, MEASURE_LABELS } from '../standing/measure-labels.ts';

/** An agent's activity and place, as a sentence without its name: `is reading at Library`. */
export function doing(row: Row): string {
  const at = row.place === null ? '' : ` at ${row.place}`;
  if (row.asleep) return `is asleep${at}`;
  if (!row.online) return 'is not connected';
  if (row.hands !== null) return `${SENTENCES[row.hands]}${row.moving ? '' : at}`;
  if (row.moving) return row.heading === null ? 'is out walking' : `is walking to ${row.heading}`;
  return `is ${activityLabel(row.activity)}${at}`;
}

export function lifeState(
  row: Row,
  detail: AgentDetail | undefined,
): { readonly word: string; readonly tone: 'good' | 'sleep' | 'bad' | 'waiting' } {
  if (detail === undefined)
    return row.asleep
      ? { word: 'Asleep', tone: 'sleep' }
      : row.online
        ? { word: 'Online', tone: 'good' }
        : { word: 'Offline', tone: 'waiting' };
  const [hardest] = heldOf(detail.standing);
  if (hardest !== undefined) return { word: MEASURE_LABELS[hardest].state, tone: 'bad' };
  if (detail.power === 'Asleep') return { word: 'Asleep', tone: 'sleep' };
  if (!detail.why.ready) return { word: 'Not ready', tone: 'waiting' };
  // The row, which the sentence beside it describes, decides: the answer about the agent may be some seconds older.
  return row.online ? { word: 'Online', tone: 'good' } : { word: 'Not connected', tone: 'waiting' };
}

const GROUPS = [
  { tone: 'good', word: 'online' },
  { tone: 'sleep', word: 'asleep' },
  { tone: 'waiting', word: 'not ready' },
  { tone: 'bad', word: 'restricted' },
] as const;

export function populationOf(
  rows: readonly Row[],
  details: ReadonlyMap<string, AgentDetail>,
): { readonly tone: (typeof GROUPS)[number]['tone']; readonly word: string; readonly count: number }[] {
  const tones = rows.map((row) => lifeState(row, details.get(row.id)).tone);
  return GROUPS.map(({ tone, word }) => ({ tone, word, count: tones.filter((found) => found === tone).length })).filter(
    ({ count }) => count > 0,
  );
}

const SENTENCES: Readonly<Record<HandsActivity, string>> = {
  typing: 'is typing',
  reading: 'is reading files',
  browsing: 'is browsing',
  building: 'is building and testing',
  working: 'is working with a tool',
  waiting: 'waits for an answer',
};
