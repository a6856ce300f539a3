import { TICK_MS, type AgentPlace, type AgentView, type WorldView } from '@hamlet/contract';
import { agentPlaces, AWAKE, has, itemViews, ONLINE, slotOf, surroundingOf, timeOfDay } from '@hamlet/core';
import type { WorldState } from '@hamlet/core';
import type { AgentSource } from '../agents/agent-source.ts';
import { agentView } from '../agents/describe-agent.ts';
import type { PresenceCache } from '../agents/presence-cache.ts';
import type { WorldReplica } from './world-replica.ts';

interface CurrentWorldPorts {
  readonly replica: Pick<WorldReplica, 'world' | 'epoch'>;
  readonly source: Pick<AgentSource, 'get' | 'onChange'>;
  readonly presence: Pick<PresenceCache, 'get' | 'onChange'>;
}

function agentAt(world: WorldState, place: AgentPlace, { source, presence }: CurrentWorldPorts): AgentView {
  const record = source.get(place.agent_id);
  if (record !== null) return agentView(record, place, presence.get(place.agent_id));
  const slot = slotOf(world, place.agent_id);
  const [awake, online] = [has(world.agents, slot, AWAKE), has(world.agents, slot, ONLINE)];
  const health = awake ? (online ? 'healthy' : 'unreachable') : 'asleep';
  return { ...place, power: awake ? 'Awake' : 'Asleep', status: { online, last_seen: null, health } };
}

function frameOf(tick: number, { replica: { world, epoch } }: CurrentWorldPorts): Omit<WorldView, 'agents' | 'items'> {
  const { map, seq } = world;
  return {
    world_size: { width: map.width, height: map.height },
    tick,
    tick_ms: TICK_MS,
    epoch,
    seq,
    time: timeOfDay(tick),
    landmarks: [...map.landmarks],
    zones: [...map.zones],
  };
}

function worldAt(tick: number, ports: CurrentWorldPorts): WorldView {
  const { world } = ports.replica;
  return {
    ...frameOf(tick, ports),
    agents: agentPlaces(world, tick).map((place) => agentAt(world, place, ports)),
    items: itemViews(world),
  };
}

/** The surroundings of one agent at a tick. Reads only the cells around the agent, so the cost does not grow with the village. */
export function worldAround(
  tick: number,
  look: { readonly around: string; readonly radius: number; readonly with?: string | undefined },
  ports: CurrentWorldPorts,
): WorldView {
  const { world } = ports.replica;
  const { agents, items } = surroundingOf(world, look.around, { radius: look.radius, tick, also: look.with });
  return { ...frameOf(tick, ports), agents: agents.map((place) => agentAt(world, place, ports)), items: [...items] };
}

/**
 * Returns a function that gives the whole village at a tick. It returns the same object until a tick has passed, an
 * event was applied, another writer began, or an agent's record or presence changed. So a view is never older than this
 * replica's data, and all callers of one moment share one view.
 */
export function createCurrentWorld(ports: CurrentWorldPorts): (tick: number) => WorldView {
  const { replica, source, presence } = ports;
  let last: WorldView | null = null;
  const forget = (): void => {
    last = null;
  };
  source.onChange(forget);
  presence.onChange(forget);
  return (tick) => {
    const isCurrent =
      last !== null && last.tick === tick && last.seq === replica.world.seq && last.epoch === replica.epoch;
    if (last === null || !isCurrent) last = worldAt(tick, ports);
    return last;
  };
}
