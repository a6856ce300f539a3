import { TICK_MS } from '@hamlet/contract';
import { defaultMap, mapResponse } from '@hamlet/core';
import { lastSeq, readLease, readVillage } from '@hamlet/store';
import type { Db } from '@hamlet/store';
import type { Registry } from 'prom-client';
import type { PresenceBoard } from '../agents/presence-board.ts';
import type { AgentSource } from '../agents/agent-source.ts';
import { startSettler } from '../agents/settler.ts';
import type { WakeHub } from '../agents/wake-hub.ts';
import { createCounter, registerGauges } from '../service/metrics.ts';
import type { Log } from '../service/log.ts';
import { startCommandBus } from '../world/command-bus.ts';
import { startEventFeed } from '../world/event-feed.ts';
import { Fanout } from '../world/fanout/fanout.ts';
import { recoverWorld } from '../world/recover.ts';
import type { RedisLink } from '../world/redis-link.ts';
import { createVillageClock } from '../world/village-clock.ts';
import { createWorldReader } from '../world/world-reader.ts';
import type { WorldReader } from '../world/world-reader.ts';
import { WorldReplica } from '../world/world-replica.ts';
import type { WorldTerm } from '../world/world-term.ts';
import { startWorldWriter } from '../world/world-writer.ts';

export interface WorldPorts {
  readonly db: Db;
  readonly link: RedisLink;
  readonly source: AgentSource;
  readonly presence: PresenceBoard;
  readonly hub: WakeHub;
  readonly registry: Registry;
  readonly replicaId: string;
  readonly log: Log;
  readonly monotonicMs: () => number;
  readonly villageMs: () => number;
}

export interface RunningWorld {
  readonly reader: WorldReader;
  readonly fanout: Fanout;
  readonly mapAnswer: ReturnType<typeof mapResponse>;
  stop(): Promise<void>;
}

/** Recovers the world, and starts everything that keeps it going on this replica. */
export async function startWorld(ports: WorldPorts): Promise<RunningWorld> {
  const { db, link, source, presence, hub, registry, replicaId, log, monotonicMs, villageMs } = ports;
  const map = defaultMap();
  const village = await readVillage(db);
  const clock = createVillageClock(village, villageMs);
  const countBadSnapshot = createCounter(registry, 'hamlet_world_snapshot_mismatches_total', 'Snapshots that did not restore to their own hash; must stay 0');
  const onBadSnapshot = (seq: number): void => {
    countBadSnapshot();
    log('error', 'a snapshot of the world is damaged and was dropped', { seq });
  };
  const { epoch } = await readLease(db);
  const replica = new WorldReplica(await recoverWorld({ db, map, seed: village.seed, onBadSnapshot }), epoch);
  const fanout = new Fanout({ world: replica.world, epoch });
  replica.watch({
    before: (event) => fanout.before(event),
    after: (event) => fanout.after(event),
    epochBegan: (began) => fanout.replaceWorld(replica.world, began),
    wake: (agentId, wake) => hub.wake(agentId, wake),
  });
  const bus = await startCommandBus({ db, link, replicaId, log });
  const feed = await startEventFeed({ db, link, replica, log });
  const reader = createWorldReader({ replica, clock, source, presence }, bus);
  let term: WorldTerm | null = null;
  const settler = startSettler({ db, source, presence, commands: reader.commands, world: replica.world, caughtUp: reader.fresh, active: () => term !== null, log });
  const writer = startWorldWriter({
    db, clock, monotonicMs, map, seed: village.seed, replicaId, log, onBadSnapshot,
    onDurable: (began, events) => feed.publish(began, events),
    onTerm: (next) => {
      term = next;
      bus.setTerm(next);
      if (next !== null) replica.take(next.epoch, []);
      settler.nudge();
    },
  });
  const frames = setInterval(() => fanout.tick(Math.max(clock.tick(), replica.world.tick)), TICK_MS);
  registerGauges(registry, {
    hamlet_world_seq: { help: 'Last event this replica has applied', read: () => replica.world.seq },
    hamlet_world_epoch: { help: 'Epoch of the last writer this replica has heard of', read: () => replica.epoch },
    hamlet_world_agents: { help: 'Agents in the world', read: () => replica.world.agents.count },
    hamlet_world_writing: { help: '1 on the replica that writes the world', read: () => (term === null ? 0 : 1) },
    hamlet_world_backlog_events: { help: 'Accepted events that are not durable yet', read: () => term?.backlog ?? 0 },
    hamlet_world_viewers: { help: 'Open sockets of viewers', read: () => fanout.stats().viewers },
    hamlet_world_queued_bytes: { help: 'Bytes queued for viewers', read: () => fanout.stats().queuedBytes },
    hamlet_wake_streams: { help: 'Open wake streams of this replica', read: () => hub.size },
  });
  log('info', 'the world is here', { seq: replica.world.seq, durable_seq: await lastSeq(db), agents: replica.world.agents.count });
  return {
    reader,
    fanout,
    mapAnswer: mapResponse(map),
    stop: async () => {
      await settler.stop();
      await writer.stop();
      clearInterval(frames);
      await feed.stop();
    },
  };
}
