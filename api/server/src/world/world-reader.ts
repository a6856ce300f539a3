import type { WorldQuery } from '@hamlet/contract';
import { agentPlace } from '@hamlet/core';
import type { AgentSource } from '../agents/agent-source.ts';
import type { Described } from '../agents/describe-agent.ts';
import type { PresenceCache } from '../agents/presence-cache.ts';
import type { Answered } from '../http/handler.ts';
import type { StandingCache } from '../standing/standing-cache.ts';
import { createCurrentWorld, worldAround } from './current-world.ts';
import type { VillageClock } from './village-clock.ts';
import type { WorldCommands, WorldRequest } from './world-request.ts';
import type { WorldReplica } from './world-replica.ts';

/** How long to wait for events that this replica accepted: they need a commit and the way back. */
const FRESH_LIMIT_MS = 500;

interface ReaderPorts {
  readonly replica: WorldReplica;
  readonly clock: VillageClock;
  readonly source: AgentSource;
  readonly presence: PresenceCache;
  readonly standing: StandingCache;
}

/** Reads of the world from this replica. They are never older than the commands that this replica has accepted. */
export function createWorldReader(ports: ReaderPorts, commands: WorldCommands) {
  const { replica, clock, source, presence, standing } = ports;
  const { world } = replica;
  const currentWorld = createCurrentWorld(ports);
  let acceptedSeq = 0;

  const now = (): number => Math.max(clock.tick(), world.tick);
  // A writer that died may have accepted events that never become durable, so the wait is bounded.
  const fresh = (): Promise<void> =>
    replica.reached(acceptedSeq, FRESH_LIMIT_MS).catch(() => {
      acceptedSeq = 0;
    });

  function describedOf(agentId: string): Described | null {
    const record = source.get(agentId);
    if (record === null) return null;
    const { tier } = record.status;
    const entitlement = tier === undefined ? null : source.entitlement(tier);
    return {
      record,
      place: agentPlace(world, agentId, now()),
      presence: presence.get(agentId),
      entitlement,
      standing: standing.get(agentId),
    };
  }

  return {
    /** Resolves once this replica shows everything it has accepted, or after half a second. */
    fresh,
    /** The whole village; the same object as long as nothing in it has changed. */
    world: async () => {
      await fresh();
      return currentWorld(now());
    },
    around: async (look: WorldQuery & { readonly around: string }) => {
      await fresh();
      return worldAround(now(), look, ports);
    },
    describe: async (agentId: string) => {
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
        if (answered.outcome.ok && !answered.replayed)
          acceptedSeq = Math.max(acceptedSeq, seqOf(answered.outcome.data));
        return answered;
      },
    },
  };
}

export type WorldReader = ReturnType<typeof createWorldReader>;

function seqOf(data: unknown): number {
  return typeof data === 'object' && data !== null && 'accepted_seq' in data ? Number(data.accepted_seq) : 0;
}
