import type { AgentDetail } from '@hamlet/contract';
import type { Row } from '../../client/app-state.ts';
import { activityWords } from '../people/activity-words.ts';
import { heldOf, MEASURE_WORDS } from '../standing/measure-labels.ts';

/** What an agent is doing and where, in one sentence without its name: `is reading at Library`. */
export function doing(row: Row): string {
  const at = row.place === null ? '' : ` at ${row.place}`;
  if (row.asleep) return `is asleep${at}`;
  if (!row.online) return 'is not connected';
  if (row.moving) return row.heading === null ? 'is out walking' : `is walking to ${row.heading}`;
  return `is ${activityWords(row.activity)}${at}`;
}

/** The state of an agent's life in a word, with the tone of its mark. */
export function lifeState(
  row: Row,
  detail: AgentDetail | undefined,
): { readonly word: string; readonly tone: 'good' | 'sleep' | 'bad' | 'waiting' } {
  if (detail === undefined)
    return row.asleep
      ? { word: 'Asleep', tone: 'sleep' }
      : row.online
        ? { word: 'Awake', tone: 'good' }
        : { word: 'Offline', tone: 'waiting' };
  const [hardest] = heldOf(detail.standing);
  if (hardest !== undefined) return { word: MEASURE_WORDS[hardest].state, tone: 'bad' };
  if (detail.power === 'Asleep') return { word: 'Asleep', tone: 'sleep' };
  return detail.why.ready ? { word: 'Awake', tone: 'good' } : { word: 'Not ready', tone: 'waiting' };
}
