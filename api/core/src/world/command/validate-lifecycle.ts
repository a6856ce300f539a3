import type { LifecycleCommand, TilePosition, WorldEvent } from '@hamlet/contract';
import { tilePosition } from '../../map/path-tiles.ts';
import { landmarkById } from '../../map/places.ts';
import { AWAKE, ONLINE, freeSlot, has } from '../state/agent-table.ts';
import { aliveSlots } from '../describe.ts';
import { isMoving, nextBoundary } from '../position.ts';
import { slotOf, type WorldState } from '../state/state.ts';
import { accepted, type CommandOutcome, refused } from './outcome.ts';
import { moveEvent } from './validate-move.ts';

type Spawn = Extract<LifecycleCommand, { kind: 'spawn' }>;
type StateChange = Extract<LifecycleCommand, { kind: 'state' }>;

function isHome(world: WorldState, landmarkId: string | undefined): boolean {
  return landmarkById(world.map, landmarkId ?? '')?.kind === 'home';
}

/** The requested home, else the home with the fewest agents (the first of equals). */
function assignHome(world: WorldState, wanted: string | undefined): number {
  const { landmarks, landmarkIndex } = world.map;
  if (isHome(world, wanted)) return landmarkIndex.get(wanted ?? '') ?? 0;
  const residents = new Map<number, number>();
  for (const slot of aliveSlots(world)) {
    const home = world.agents.home[slot] ?? 0;
    residents.set(home, (residents.get(home) ?? 0) + 1);
  }
  const homes = landmarks.flatMap((landmark, index) => (landmark.kind === 'home' ? [index] : []));
  return homes.toSorted((a, b) => (residents.get(a) ?? 0) - (residents.get(b) ?? 0) || a - b)[0] ?? 0;
}

/** A free slot of the home, otherwise its door. */
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
    seq: world.seq + 1,
    tick,
    kind,
    agent_id,
    display_name,
    tier,
    awake,
    online,
    home: world.map.landmarks[home]?.landmark_id ?? '',
    ...birthPlace(world, home),
  });
}

function stateNow(world: WorldState, slot: number): Required<Omit<StateChange, 'kind' | 'agent_id'>> {
  const { agents, map } = world;
  return {
    awake: has(agents, slot, AWAKE),
    online: has(agents, slot, ONLINE),
    tier: agents.tier[slot] ?? 0,
    display_name: agents.names[slot] ?? '',
    home: map.landmarks[agents.home[slot] ?? 0]?.landmark_id ?? '',
  };
}

/** A `home` that is not a home is ignored. */
function differences(world: WorldState, slot: number, command: StateChange): Omit<StateChange, 'kind' | 'agent_id'> {
  const now = stateNow(world, slot);
  const keys = ['awake', 'online', 'tier', 'display_name', 'home'] as const;
  const changed = keys.filter(
    (key) => command[key] !== undefined && command[key] !== now[key] && (key !== 'home' || isHome(world, command.home)),
  );
  return Object.fromEntries(changed.map((key) => [key, command[key]]));
}

/** A walking agent that falls asleep stops at the next tile. */
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

/** A repeated command changes nothing. */
export function validateLifecycle(world: WorldState, command: LifecycleCommand, tick: number): CommandOutcome {
  if (command.kind === 'spawn') return spawn(world, command, tick);
  if (command.kind === 'state') return changeState(world, command, tick);
  if (slotOf(world, command.agent_id) < 0) return accepted();
  return accepted({ seq: world.seq + 1, tick, kind: 'despawn', agent_id: command.agent_id });
}
