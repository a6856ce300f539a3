import type { WorldStateFrame } from '@hamlet/contract';
import { parseItemId, type SeenAgent, type View } from '@hamlet/core';

type Change =
  | { readonly kind: 'speech'; readonly text: string }
  | { readonly kind: 'walk' }
  | { readonly kind: 'activity'; readonly activity: string }
  | { readonly kind: 'power'; readonly asleep: boolean }
  | { readonly kind: 'item'; readonly item: string };

/** An event of the world about an agent in view. `at` is the tile where the agent stands, or the goal of its walk. */
export type WorldEvent = Change & {
  readonly agentId: string;
  readonly name: string;
  readonly tick: number;
  readonly at: { readonly x: number; readonly y: number };
};

type Before = Pick<SeenAgent, 'walk' | 'awake' | 'activity'>;
type Fact = { readonly agent: number } & (
  | { readonly kind: 'speech'; readonly text: string }
  | { readonly kind: 'walk' }
  | { readonly kind: 'state' }
  | { readonly kind: 'item'; readonly item: string }
);

/** Applies a frame and returns its events. An agent that comes into view and a repeated state give no event. */
export function eventsOf(
  view: View,
  frame: WorldStateFrame,
  apply: (view: View, frame: WorldStateFrame) => void,
): WorldEvent[] {
  const facts = frame.messages.flatMap(factsOf);
  const before = new Map<number, Before>();
  for (const { agent } of facts) {
    const seen = view.agents.get(agent);
    if (seen !== undefined) before.set(agent, { walk: seen.walk, awake: seen.awake, activity: seen.activity });
  }
  apply(view, frame);
  return facts.flatMap((fact) => eventOf(view, fact, before.get(fact.agent)));
}

function factsOf(message: WorldStateFrame['messages'][number]): Fact[] {
  switch (message.kind) {
    case 'speech':
      return [{ kind: 'speech', agent: message.agent, text: message.text }];
    case 'path':
    case 'turn':
      return [{ kind: 'walk', agent: message.agent }];
    case 'state':
      return [{ kind: 'state', agent: message.agent }];
    case 'item': {
      const { held_by: agent, item_id: id } = message.item;
      return agent === null ? [] : [{ kind: 'item', agent, item: parseItemId(id)?.kind ?? 'parcel' }];
    }
    default:
      return [];
  }
}

function eventOf(view: View, fact: Fact, before: Before | undefined): WorldEvent[] {
  const seen = view.agents.get(fact.agent);
  const who = view.names.get(fact.agent);
  if (before === undefined || seen === undefined || who === undefined) return [];
  const change = changeOf(fact, seen, before);
  if (change === null) return [];
  const goal = seen.walk.tiles.at(-1) ?? 0;
  const at = { x: goal % view.map.width, y: Math.floor(goal / view.map.width) };
  return [{ ...who, tick: view.tick, at, ...change }];
}

/** The change that a fact made; null if it made none. A path may arrive twice, and a stop is a path of one tile. */
function changeOf(fact: Fact, seen: SeenAgent, before: Before): Change | null {
  switch (fact.kind) {
    case 'speech':
      return { kind: 'speech', text: fact.text };
    case 'item':
      return { kind: 'item', item: fact.item };
    case 'walk':
      return seen.walk === before.walk || seen.walk.tiles.length < 2 ? null : { kind: 'walk' };
    case 'state':
      return stateChange(seen, before);
  }
}

function stateChange({ awake, activity }: SeenAgent, before: Before): Change | null {
  if (awake !== before.awake) return { kind: 'power', asleep: !awake };
  if (activity === null || activity.activity === before.activity?.activity) return null;
  return { kind: 'activity', activity: activity.activity };
}
