import { EARSHOT_TILES, MEETING_TILES, QUIET_EARSHOT_TILES, REACH_TILES, SIGHT_TILES } from '@hamlet/contract';
import type { TilePosition, Wake, WorldEvent, WorldEventOf } from '@hamlet/contract';
import { zoneAt } from '../map/places.ts';
import { AWAKE, has } from './state/agent-table.ts';
import { distanceBetween, slotsNear } from './near.ts';
import { isMoving, positionAt } from './position.ts';
import { slotOf, type WorldState } from './state/state.ts';

/** Maximum number of woken agents, so that an arrival does not wake a whole crowd. */
const MEETINGS_PER_ARRIVAL = 4;

interface AgentWake {
  readonly agent_id: string;
  readonly wake: Wake;
}

/** Range of a voice in tiles; shorter in a quiet zone. */
export function earshotTiles(world: WorldState, from: TilePosition): number {
  return zoneAt(world.map, from)?.rules.includes('quiet') === true ? QUIET_EARSHOT_TILES : EARSHOT_TILES;
}

function wake(
  world: WorldState,
  slot: number,
  what: { event: WorldEvent; kind: Wake['kind']; detail: Wake['detail'] },
): AgentWake {
  const { event, kind, detail } = what;
  return { agent_id: world.agents.ids[slot] ?? '', wake: { seq: event.seq, tick: event.tick, kind, detail } };
}

/** Nearest first, awake. */
function othersNear(
  world: WorldState,
  center: TilePosition,
  look: { radius: number; tick: number; except: number },
): number[] {
  return slotsNear(world, center, look).filter((slot) => slot !== look.except && has(world.agents, slot, AWAKE));
}

function wokenByTalk(world: WorldState, event: WorldEventOf<'talk'>): AgentWake[] {
  const speaker = slotOf(world, event.agent_id);
  const from = positionAt(world, speaker, event.tick);
  const detail = { from: event.agent_id, text: event.text, to: event.to };
  const nearby = othersNear(world, from, { radius: earshotTiles(world, from), tick: event.tick, except: speaker });
  const woken = nearby.filter((slot) => {
    if (event.to !== null) return world.agents.ids[slot] === event.to;
    return zoneAt(world.map, positionAt(world, slot, event.tick))?.rules.includes('work') !== true;
  });
  return woken.map((slot) => wake(world, slot, { event, kind: 'spoken_to', detail }));
}

function wokenByArrival(world: WorldState, event: WorldEventOf<'arrive'>): AgentWake[] {
  const arrived = slotOf(world, event.agent_id);
  const { x, y, landmark_id } = event;
  const company = othersNear(world, event, { radius: MEETING_TILES, tick: event.tick, except: arrived })
    .filter((slot) => !isMoving(world, slot, event.tick))
    .slice(0, MEETINGS_PER_ARRIVAL);
  return [
    wake(world, arrived, { event, kind: 'arrived', detail: { x, y, landmark_id } }),
    ...company.flatMap((slot) => [
      wake(world, arrived, { event, kind: 'met', detail: { agent_id: world.agents.ids[slot] ?? '', landmark_id } }),
      wake(world, slot, { event, kind: 'met', detail: { agent_id: event.agent_id, landmark_id } }),
    ]),
  ];
}

/** The nearest agent in reach gets `handed`, all others in sight get `item_seen`. */
function wokenByDrop(world: WorldState, event: WorldEventOf<'drop'>): AgentWake[] {
  const from = slotOf(world, event.agent_id);
  const seen = othersNear(world, event, { radius: SIGHT_TILES, tick: event.tick, except: from });
  return seen.map((slot, order) => {
    const within = distanceBetween(event, positionAt(world, slot, event.tick)) <= REACH_TILES;
    const kind = order === 0 && within ? 'handed' : 'item_seen';
    return wake(world, slot, {
      event,
      kind,
      detail: { item_id: event.item_id, from: event.agent_id, x: event.x, y: event.y },
    });
  });
}

function wokenByGrowth(world: WorldState, event: WorldEventOf<'item_spawn'>): AgentWake[] {
  return othersNear(world, event, { radius: SIGHT_TILES, tick: event.tick, except: -1 }).map((slot) =>
    wake(world, slot, { event, kind: 'item_seen', detail: { item_id: event.item_id, x: event.x, y: event.y } }),
  );
}

/** Call it after `reduce` has applied the event. */
export function wakesOf(world: WorldState, event: WorldEvent): AgentWake[] {
  switch (event.kind) {
    case 'talk':
      return wokenByTalk(world, event);
    case 'arrive':
      return wokenByArrival(world, event);
    case 'drop':
      return wokenByDrop(world, event);
    case 'item_spawn':
      return wokenByGrowth(world, event);
    default:
      return [];
  }
}
