import { activityWords } from '../features/people/activity-words.ts';
import type { Row } from './app-state.ts';

/** Something that has just happened, in words. `id` is unique; `minute` is the minute of the village's day. */
export interface Happening {
  readonly id: string;
  readonly agentId: string;
  readonly name: string;
  readonly text: string;
  readonly kind: 'speech' | 'walk' | 'activity' | 'power' | 'item';
  readonly minute: number;
}

/** Happenings kept. */
export const MAX_HAPPENINGS = 30;

/**
 * What changed between two lists of people; the newest first. `serial` makes ids unique. Only what was live both times counts: a report is older than
 * the frames, and the difference between the two is no event.
 */
export function happeningsBetween(
  before: readonly Row[],
  after: readonly Row[],
  at: { readonly minute: number; readonly serial: number },
): Happening[] {
  const known = new Map(before.map((row) => [row.id, row]));
  return after.flatMap((row) => {
    const was = known.get(row.id);
    const found = was === undefined || !was.live || !row.live ? [] : changes(was, row);
    return found.map((found, index) => ({
      id: `${at.serial}-${row.id}-${index}`,
      agentId: row.id,
      name: row.name,
      minute: at.minute,
      ...found,
    }));
  });
}

/** The list with what has just happened, newest first, bounded. What an agent does again without having done anything else is no news. */
export function withHappenings(before: readonly Happening[], found: readonly Happening[]): readonly Happening[] {
  const news = found.filter(
    ({ agentId, text }) => before.find((happening) => happening.agentId === agentId)?.text !== text,
  );
  return news.length === 0 ? before : [...news, ...before].slice(0, MAX_HAPPENINGS);
}

type Change = Pick<Happening, 'text' | 'kind'>;

function changes(was: Row, row: Row): Change[] {
  return [spoke(was, row), changedPower(was, row), setOut(was, row), took(was, row), began(was, row)].filter(
    (change) => change !== null,
  );
}

function spoke(was: Row, row: Row): Change | null {
  return row.speech === null || row.speech === was.speech ? null : { kind: 'speech', text: `“${row.speech}”` };
}

function changedPower(was: Row, row: Row): Change | null {
  return row.asleep === was.asleep ? null : { kind: 'power', text: row.asleep ? 'fell asleep' : 'woke up' };
}

function setOut(was: Row, row: Row): Change | null {
  return row.heading === null || row.heading === was.heading
    ? null
    : { kind: 'walk', text: `is walking to ${row.heading}` };
}

function took(was: Row, row: Row): Change | null {
  const taken = row.carried.find((item) => !was.carried.includes(item));
  return taken === undefined ? null : { kind: 'item', text: `took ${withArticle(taken)}` };
}

function began(was: Row, row: Row): Change | null {
  if (row.activity === was.activity || row.heading !== null || row.asleep || QUIET.has(row.activity)) return null;
  return { kind: 'activity', text: `is ${activityWords(row.activity)}${row.place === null ? '' : ` at ${row.place}`}` };
}

/** Not worth a line. */
const QUIET: ReadonlySet<string> = new Set(['idle', 'walking']);

/** Things that are not counted. */
const SOME: ReadonlySet<string> = new Set(['wood', 'bread']);

function withArticle(noun: string): string {
  if (SOME.has(noun)) return `some ${noun}`;
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
