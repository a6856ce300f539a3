import { TICK_MS } from '@hamlet/contract';
import type { AgentPlace, AgentView, WorldView } from '@hamlet/contract';
import { agentPlace, agentPlaces, AWAKE, has, itemViews, ONLINE, slotOf, timeOfDay } from '@hamlet/core';
import type { AgentSource } from '../agents/agent-source.ts';
import { agentView } from '../agents/describe-agent.ts';
import type { Described } from '../agents/describe-agent.ts';
import type { PresenceBoard } from '../agents/presence-board.ts';
import type { Answered } from '../http/handler.ts';
import type { StandingBoard } from '../standing/standing-board.ts';
import type { VillageClock } from './village-clock.ts';
import type { WorldCommands, WorldRequest } from './world-request.ts';
import type { WorldReplica } from './world-replica.ts';

/** How long a read waits for what was accepted here before: a commit and its way to this replica. */
const FRESH_LIMIT_MS = 500;

export interface ReaderPorts {
  readonly replica: WorldReplica;
  readonly clock: VillageClock;
  readonly source: AgentSource;
  readonly presence: PresenceBoard;
  readonly standing: StandingBoard;
}

/** Reads of the world from this replica, never older than what this replica itself has accepted. */
export interface WorldReader {
  world(): Promise<WorldView>;
  /** An agent with everything that is known of it; null where there is no such agent. */
  describe(agentId: string): Promise<Described | null>;
  /** All agents, as {@link describe} has one. */
  describeAll(): Promise<readonly Described[]>;
  /** Commands whose effects the reads that follow will show. */
  readonly commands: WorldCommands;
  /** Resolves once this replica shows everything it has accepted, or half a second later. */
  fresh(): Promise<void>;
}

export function createWorldReader(ports: ReaderPorts, commands: WorldCommands): WorldReader {
  const { replica, clock, source, presence, standing } = ports;
  const { world } = replica;
  let acceptedSeq = 0;

  const now = (): number => Math.max(clock.tick(), world.tick);
  // A writer that died may have accepted what nobody will ever see: waiting ends after a moment.
  const fresh = (): Promise<void> => replica.reached(acceptedSeq, FRESH_LIMIT_MS).catch(() => {
    acceptedSeq = 0;
  });

  function viewOf(place: AgentPlace): AgentView {
    const record = source.get(place.agent_id);
    if (record !== null) return agentView(record, place, presence.get(place.agent_id));
    const slot = slotOf(world, place.agent_id);
    const [awake, online] = [has(world.agents, slot, AWAKE), has(world.agents, slot, ONLINE)];
    const health = awake ? (online ? 'healthy' : 'unreachable') : 'asleep';
    return { ...place, power: awake ? 'Awake' : 'Asleep', status: { online, last_seen: null, health } };
  }

  function describedOf(agentId: string): Described | null {
    const record = source.get(agentId);
    if (record === null) return null;
    const { tier } = record.status;
    const entitlement = tier === undefined ? null : source.entitlement(tier);
    return { record, place: agentPlace(world, agentId, now()), presence: presence.get(agentId), entitlement, standing: standing.get(agentId) };
  }

  return {
    fresh,
    world: async () => {
      await fresh();
      const tick = now();
      return {
        world_size: { width: world.map.width, height: world.map.height },
        tick,
        tick_ms: TICK_MS,
        epoch: replica.epoch,
        seq: world.seq,
        time: timeOfDay(tick),
        landmarks: [...world.map.landmarks],
        zones: [...world.map.zones],
        agents: agentPlaces(world, tick).map(viewOf),
        items: itemViews(world),
      };
    },
    describe: async (agentId) => {
      await fresh();
      return describedOf(agentId);
    },
    describeAll: async () => {
      await fresh();
      return source.list().flatMap(({ agentId }) => describedOf(agentId) ?? []);
    },
    commands: {
      submit: async (request: WorldRequest): Promise<Answered> => {
        const answered = await commands.submit(request);
        if (answered.outcome.ok && !answered.replayed) acceptedSeq = Math.max(acceptedSeq, seqOf(answered.outcome.data));
        return answered;
      },
    },
  };
}

function seqOf(data: unknown): number {
  return typeof data === 'object' && data !== null && 'accepted_seq' in data ? Number(data.accepted_seq) : 0;
}
