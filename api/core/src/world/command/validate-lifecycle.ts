import type { LifecycleCommand, TilePosition, WorldEvent } from '@hamlet/contract';
import { tilePosition } from '../../map/path-tiles.ts';
import { AWAKE, ONLINE, freeSlot, has } from '../agent-table.ts';
import { aliveSlots } from '../describe.ts';
import { isMoving, nextBoundary } from '../position.ts';
import { slotOf } from '../state.ts';
import type { WorldState } from '../state.ts';
import { accepted, refused } from './outcome.ts';
import type { CommandOutcome } from './outcome.ts';
import { moveEvent } from './validate-move.ts';

type Spawn = Extract<LifecycleCommand, { kind: 'spawn' }>;
type StateChange = Extract<LifecycleCommand, { kind: 'state' }>;

/** The home an agent asked for, or the one with the fewest residents, first in the map's order. */
function assignHome(world: WorldState, wanted: string | undefined): number {
  const { landmarks, landmarkIndex } = world.map;
  const named = landmarkIndex.get(wanted ?? '');
  if (named !== undefined && landmarks[named]?.kind === 'home') return named;
  const residents = new Map<number, number>();
  for (const slot of aliveSlots(world)) {
    const home = world.agents.home[slot] ?? 0;
    residents.set(home, (residents.get(home) ?? 0) + 1);
  }
  const homes = landmarks.flatMap((landmark, index) => (landmark.kind === 'home' ? [index] : []));
  return homes.toSorted((a, b) => (residents.get(a) ?? 0) - (residents.get(b) ?? 0) || a - b)[0] ?? 0;
}

/** A free bed at home, or the doorstep. */
function birthPlace(world: WorldState, home: number): TilePosition {
  const { map, slotHolders } = world;
  const landmark = map.landmarks[home];
  const first = map.firstSlot[home] ?? 0;
  const bed = landmark?.slots.find((_, index) => slotHolders[first + index] === 0);
  const place = bed ?? landmark?.position;
  return place ?? tilePosition(map, map.walkable.indexOf(1));
}

function spawn(world: WorldState, command: Spawn, tick: number): CommandOutcome {
  if (slotOf(world, command.agent_id) >= 0) return changeState(world, { ...command, kind: 'state' }, tick);
  if (freeSlot(world.agents) < 0) return refused('world_full');
  const home = assignHome(world, command.home);
  const { kind, agent_id, display_name, tier, awake, online } = command;
  return accepted({
    seq: world.seq + 1, tick, kind, agent_id, display_name, tier, awake, online,
    home: world.map.landmarks[home]?.landmark_id ?? '', ...birthPlace(world, home),
  });
}

/** Only what differs from the state becomes part of the event. */
function differences(world: WorldState, slot: number, command: StateChange): Omit<StateChange, 'kind' | 'agent_id'> {
  const { agents, map } = world;
  const { awake, online, tier, display_name: name, home } = command;
  const homeIndex = home === undefined || map.landmarks[map.landmarkIndex.get(home) ?? -1]?.kind !== 'home' ? undefined : map.landmarkIndex.get(home);
  return {
    ...(awake !== undefined && awake !== has(agents, slot, AWAKE) && { awake }),
    ...(online !== undefined && online !== has(agents, slot, ONLINE) && { online }),
    ...(tier !== undefined && tier !== agents.tier[slot] && { tier }),
    ...(name !== undefined && name !== agents.names[slot] && { display_name: name }),
    ...(home !== undefined && homeIndex !== undefined && homeIndex !== agents.home[slot] && { home }),
  };
}

/** Whoever falls asleep on the way stops at the next tile. */
function changeState(world: WorldState, command: StateChange, tick: number): CommandOutcome {
  const slot = slotOf(world, command.agent_id);
  if (slot < 0) return refused('no_such_agent');
  const changed = differences(world, slot, command);
  if (Object.keys(changed).length === 0) return accepted();
  const events: WorldEvent[] = [];
  if (changed.awake === false && isMoving(world, slot, tick)) {
    const start = nextBoundary(world, slot, tick);
    events.push(moveEvent(world, slot, { walk: [start.tile], tick, seq: world.seq + 1 }));
  }
  events.push({ seq: world.seq + 1 + events.length, tick, kind: 'state', agent_id: command.agent_id, ...changed });
  return accepted(...events);
}

/** Coming, going and changing state. Repeating a command changes nothing. */
export function validateLifecycle(world: WorldState, command: LifecycleCommand, tick: number): CommandOutcome {
  if (command.kind === 'spawn') return spawn(world, command, tick);
  if (command.kind === 'state') return changeState(world, command, tick);
  if (slotOf(world, command.agent_id) < 0) return accepted();
  return accepted({ seq: world.seq + 1, tick, kind: 'despawn', agent_id: command.agent_id });
}
