import type { AgentDetail } from '@hamlet/contract';
import type { FeedEntry } from '../app-state.ts';
import type { WorldEvent } from '../world/world-events.ts';
import { landmarkAt, placeName, type Places } from './places.ts';

export const MAX_ENTRIES = 30;

const LABELS: Readonly<Record<string, string>> = {
  idle: 'standing around',
  walking: 'walking',
  sleeping: 'sleeping',
  resting: 'resting',
  drinking_coffee: 'drinking coffee',
  shopping: 'shopping',
  crafting: 'crafting',
  reading: 'reading',
  drawing_water: 'drawing water',
  fishing: 'fishing',
  tending: 'tending the plants',
  gathering_wood: 'gathering wood',
  sitting: 'sitting',
  at_board: 'reading the board',
  meeting: 'waiting for company',
  stargazing: 'watching the stars',
  eating: 'eating',
  drinking: 'drinking',
  smelling: 'smelling a flower',
  working: 'working',
};

/** The activity in words that follow "is". */
export const activityLabel = (activity: string): string => LABELS[activity] ?? activity.replaceAll('_', ' ');

/** The feed entries for events of the world, newest first. `serial` makes their ids unique. */
export function entriesOf(
  events: readonly WorldEvent[],
  context: Places & {
    readonly details: ReadonlyMap<string, AgentDetail>;
    readonly serial: number;
    readonly nowMs: number;
  },
): FeedEntry[] {
  return events
    .flatMap((event, index): FeedEntry[] => {
      const text = textOf(event, context);
      if (text === null) return [];
      const name = context.details.get(event.agentId)?.display_name ?? event.name;
      const { agentId, kind } = event;
      return [{ id: `${context.serial}-${index}`, agentId, name, text, kind, atMs: context.nowMs }];
    })
    .toReversed();
}

/** Adds entries to the feed, newest first, up to the limit. Skips an entry that repeats the agent's last one. */
export function withEntries(before: readonly FeedEntry[], found: readonly FeedEntry[]): readonly FeedEntry[] {
  const news = found.filter(({ agentId, text }) => before.find((entry) => entry.agentId === agentId)?.text !== text);
  return news.length === 0 ? before : [...news, ...before].slice(0, MAX_ENTRIES);
}

/** The text that follows the agent's name; null for an event that the feed leaves out. */
function textOf(event: WorldEvent, places: Places): string | null {
  switch (event.kind) {
    case 'speech':
      return `“${event.text}”`;
    case 'power':
      return event.asleep ? 'fell asleep' : 'woke up';
    case 'item':
      return `took ${withArticle(event.item)}`;
    case 'walk': {
      const landmark = landmarkAt(places.landmarks, event.at);
      return landmark === undefined ? null : `is walking to ${landmark.name}`;
    }
    case 'activity': {
      if (event.activity === 'idle') return null;
      const place = placeName(places, event.at);
      return `is ${activityLabel(event.activity)}${place === null ? '' : ` at ${place}`}`;
    }
  }
}

/** Nouns that take "some" instead of "a". */
const SOME: ReadonlySet<string> = new Set(['wood', 'bread']);

function withArticle(noun: string): string {
  if (SOME.has(noun)) return `some ${noun}`;
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
