import {
  EMOTE_TICKS,
  INVENTORY_LIMIT,
  MAX_ITEMS,
  REACH_TILES,
  SPEECH_MAX_LENGTH,
  type ActionBody,
  type ActionKind,
  type WorldRefusal,
  type Activity,
  type Affordance,
  type ItemKind,
} from '@hamlet/contract';
import { landmarkAt } from '../../map/places.ts';
import { tileIndex, tilePosition } from '../../map/path-tiles.ts';
import { drawBelow } from '../../bytes/prng.ts';
import { findItem, itemId } from '../state/item-table.ts';
import { distanceBetween } from '../near.ts';
import { isMoving, positionAt } from '../position.ts';
import { slotOf, type WorldState } from '../state/state.ts';
import { earshotTiles } from '../wakes.ts';
import { accepted, type CommandOutcome, refused } from './outcome.ts';

/** `ticks` is the length of the activity. */
interface UseEffect {
  readonly activity: Activity;
  readonly ticks: number;
  readonly gives?: { readonly kind: ItemKind; readonly percent: number };
}

const AFFORDANCE_EFFECTS: Readonly<Record<Affordance, UseEffect>> = {
  sleep: { activity: 'sleeping', ticks: 4800 },
  rest: { activity: 'resting', ticks: 600 },
  coffee: { activity: 'drinking_coffee', ticks: 300, gives: { kind: 'coffee', percent: 100 } },
  bread: { activity: 'shopping', ticks: 150, gives: { kind: 'bread', percent: 100 } },
  craft: { activity: 'crafting', ticks: 600, gives: { kind: 'tool', percent: 50 } },
  read: { activity: 'reading', ticks: 600 },
  water: { activity: 'drawing_water', ticks: 100 },
  fish: { activity: 'fishing', ticks: 400, gives: { kind: 'fish', percent: 60 } },
  tend: { activity: 'tending', ticks: 400, gives: { kind: 'flower', percent: 30 } },
  gather_wood: { activity: 'gathering_wood', ticks: 300, gives: { kind: 'wood', percent: 80 } },
  sit: { activity: 'sitting', ticks: 300 },
  board: { activity: 'at_board', ticks: 100 },
  meet: { activity: 'meeting', ticks: 300 },
  stargaze: { activity: 'stargazing', ticks: 600 },
};

/** `usedUp` removes the item. */
const ITEM_EFFECTS: Readonly<Record<ItemKind, UseEffect & { readonly usedUp: boolean }>> = {
  apple: { activity: 'eating', ticks: 60, usedUp: true },
  flower: { activity: 'smelling', ticks: 30, usedUp: false },
  wood: { activity: 'working', ticks: 200, usedUp: true },
  fish: { activity: 'eating', ticks: 100, usedUp: true },
  bread: { activity: 'eating', ticks: 80, usedUp: true },
  coffee: { activity: 'drinking', ticks: 60, usedUp: true },
  book: { activity: 'reading', ticks: 400, usedUp: false },
  tool: { activity: 'working', ticks: 200, usedUp: false },
};

interface Actor {
  readonly slot: number;
  readonly tick: number;
  readonly head: { readonly seq: number; readonly tick: number; readonly agent_id: string };
}

type ActionOf<K extends ActionKind> = Extract<ActionBody, { kind: K }>;

function textRefusal(text: string): WorldRefusal | null {
  if (text.trim() === '') return 'text_empty';
  return text.length > SPEECH_MAX_LENGTH ? 'text_too_long' : null;
}

function talk(world: WorldState, actor: Actor, action: ActionOf<'talk'>): CommandOutcome {
  const bad = textRefusal(action.text);
  if (bad !== null) return refused(bad);
  if (action.to !== undefined) {
    const listener = slotOf(world, action.to);
    if (listener < 0) return refused('no_such_listener');
    const here = positionAt(world, actor.slot, actor.tick);
    const away = distanceBetween(here, positionAt(world, listener, actor.tick));
    if (away > earshotTiles(world, here)) return refused('out_of_earshot');
  }
  return accepted({ ...actor.head, kind: 'talk', text: action.text.trim(), to: action.to ?? null });
}

function pickUp(world: WorldState, actor: Actor, action: ActionOf<'pick_up'>): CommandOutcome {
  const item = findItem(world.items, action.item_id);
  if (item === null || item.tile < 0) return refused('item_not_here');
  const away = distanceBetween(positionAt(world, actor.slot, actor.tick), tilePosition(world.map, item.tile));
  if (away > REACH_TILES) return refused('too_far');
  if ((world.agents.carried[actor.slot]?.length ?? 0) >= INVENTORY_LIMIT) return refused('inventory_full');
  return accepted({ ...actor.head, kind: 'pick_up', item_id: action.item_id });
}

function drop(world: WorldState, actor: Actor, action: ActionOf<'drop'>): CommandOutcome {
  const item = findItem(world.items, action.item_id);
  if (item === null || item.holder !== actor.slot) return refused('not_holding');
  const here = positionAt(world, actor.slot, actor.tick);
  if (world.items.lyingAt.has(tileIndex(world.map, here))) return refused('no_room_here');
  return accepted({ ...actor.head, kind: 'drop', item_id: action.item_id, ...here });
}

/** Null if the landmark does not offer the target. */
function effectHere(world: WorldState, actor: Actor, target: string): UseEffect | null {
  if (isMoving(world, actor.slot, actor.tick)) return null;
  const landmark = landmarkAt(world.map, positionAt(world, actor.slot, actor.tick));
  const wanted =
    landmark?.landmark_id === target
      ? landmark.affordances[0]
      : landmark?.affordances.find((offered) => offered === target);
  return wanted === undefined ? null : AFFORDANCE_EFFECTS[wanted];
}

/** The draw depends on (seed, seq), so a replay gives the same item. */
function giftOf(world: WorldState, actor: Actor, effect: UseEffect): string | null {
  const full =
    (world.agents.carried[actor.slot]?.length ?? 0) >= INVENTORY_LIMIT || world.items.byNumber.size >= MAX_ITEMS;
  if (effect.gives === undefined || full) return null;
  return drawBelow(100, world.seed, actor.head.seq) < effect.gives.percent
    ? itemId(effect.gives.kind, world.items.next)
    : null;
}

function use(world: WorldState, actor: Actor, action: ActionOf<'use'>): CommandOutcome {
  const { target } = action;
  const item = findItem(world.items, target);
  if (item !== null && item.holder === actor.slot) {
    const { activity, ticks, usedUp } = ITEM_EFFECTS[item.kind];
    return accepted({
      ...actor.head,
      kind: 'use',
      target,
      activity,
      until_tick: actor.tick + ticks,
      gives: null,
      consumes: usedUp ? target : null,
    });
  }
  const effect = effectHere(world, actor, target);
  if (effect === null) return refused('nothing_to_use');
  const until = actor.tick + effect.ticks;
  const gives = giftOf(world, actor, effect);
  return accepted({
    ...actor.head,
    kind: 'use',
    target,
    activity: effect.activity,
    until_tick: until,
    gives,
    consumes: null,
  });
}

function useBoard(world: WorldState, actor: Actor, action: ActionOf<'use_board'>): CommandOutcome {
  const bad = action.text === undefined ? null : textRefusal(action.text);
  if (bad !== null) return refused(bad);
  const landmark = landmarkAt(world.map, positionAt(world, actor.slot, actor.tick));
  if (landmark?.affordances.includes('board') !== true || isMoving(world, actor.slot, actor.tick))
    return refused('not_at_board');
  const until = actor.tick + AFFORDANCE_EFFECTS.board.ticks;
  return accepted({ ...actor.head, kind: 'use_board', text: action.text?.trim() ?? null, until_tick: until });
}

function emote(world: WorldState, actor: Actor, action: ActionOf<'emote'>): CommandOutcome {
  const { agents } = world;
  const showing = (agents.emote[actor.slot] ?? 0) > 0 && actor.tick < (agents.emoteTick[actor.slot] ?? 0) + EMOTE_TICKS;
  return showing ? refused('emote_too_soon') : accepted({ ...actor.head, kind: 'emote', emote: action.emote });
}

const ACTIONS: {
  readonly [K in ActionKind]: (world: WorldState, actor: Actor, action: ActionOf<K>) => CommandOutcome;
} = {
  talk,
  pick_up: pickUp,
  drop,
  use,
  use_board: useBoard,
  emote,
};

/** The agent must be awake. */
export function validateAction(
  world: WorldState,
  slot: number,
  wish: { readonly action: ActionBody; readonly tick: number },
): CommandOutcome {
  const head = { seq: world.seq + 1, tick: wish.tick, agent_id: world.agents.ids[slot] ?? '' };
  const act = ACTIONS[wish.action.kind] as (world: WorldState, actor: Actor, action: ActionBody) => CommandOutcome;
  return act(world, { slot, tick: wish.tick, head }, wish.action);
}
