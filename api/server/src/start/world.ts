import { TICK_MS, type WorldEvent } from '@hamlet/contract';
import { defaultMap, mapResponse, wakesOf, type WorldMap, type WorldState } from '@hamlet/core';
import { readLease, readVillage } from '@hamlet/store';
import type { Registry } from 'prom-client';
import type { PresenceCache } from '../agents/presence-cache.ts';
import type { FreezeCache } from '../freeze/freeze-cache.ts';
import { startResidentReconciler } from '../world/resident-reconciler.ts';
import type { WakeHub } from '../residents/wake-hub.ts';
import { createCounter, registerGauges } from '../service/metrics.ts';
import type { StandingCache } from '../standing/standing-cache.ts';
import { startCommandBus } from '../world/command-bus.ts';
import { startEventFeed } from '../world/event-feed.ts';
import { Fanout } from '../world/fanout/fanout.ts';
import { MapStore } from '../world/recovery/map-store.ts';
import { moveWorldToMap } from '../world/recovery/move-world.ts';
import { copyDurableWorld, recoverWorld } from '../world/recovery/recover.ts';
import { createVillageClock } from '../world/village-clock.ts';
import { createWorldReader } from '../world/world-reader.ts';
import { WorldReplica } from '../world/world-replica.ts';
import type { WorldTerm } from '../world/world-term.ts';
import { startWorldWriter } from '../world/world-writer.ts';
import type { Base } from './base.ts';

const LIFECYCLE: ReadonlySet<string> = new Set(['spawn', 'despawn', 'state']);

type WorldPorts = Base['shared'] & {
  readonly presence: PresenceCache;
  readonly standing: StandingCache;
  readonly hub: WakeHub;
  readonly freeze: Pick<FreezeCache, 'frozen'>;
  readonly map: WorldMap | undefined;
  /** The version of the map to which the saved world may be moved; see HAMLET_MIGRATE_MAP_TO. */
  readonly migrateMapTo: string | undefined;
  readonly villageMs: () => number;
  readonly onBroken: (error: unknown) => void;
};

async function recoverOnMap(
  { db, hub, registry, log, replicaId, map, migrateMapTo }: WorldPorts,
  village: { readonly seed: number; readonly tick: number },
): Promise<WorldState> {
  const countBadSnapshot = createCounter(
    registry,
    'hamlet_world_snapshot_mismatches_total',
    'Snapshots that did not restore to their own hash; must stay 0',
  );
  const maps = new MapStore(db, map ?? defaultMap());
  const recovered = await recoverWorld({
    db,
    maps,
    seed: village.seed,
    onBadSnapshot: (seq) => {
      countBadSnapshot();
      log('error', 'a snapshot of the world is damaged; the api keeps it and uses an older one', { seq });
    },
    // Residents that reconnect ask for the wakes that they missed during the restart.
    onReplayed: (replayed, event) => {
      for (const { agent_id, wake } of wakesOf(replayed, event)) hub.wake(agent_id, wake);
    },
  });
  const world = await moveWorldToMap(recovered, { db, maps, replicaId, agreedTo: migrateMapTo, tick: village.tick });
  if (world.map.version !== recovered.map.version)
    log('info', 'the world was moved to another map', {
      from: recovered.map.version,
      to: world.map.version,
      seq: world.seq,
    });
  await maps.keepCurrent();
  return world;
}

async function followWorld(ports: WorldPorts) {
  const { db, hub, log, villageMs, onBroken } = ports;
  const village = await readVillage(db);
  const clock = createVillageClock(village, villageMs);
  const { epoch } = await readLease(db);
  const world = await recoverOnMap(ports, { seed: village.seed, tick: clock.tick() });
  const replica = new WorldReplica(
    { world, epoch },
    { onBroken, onWatcherError: (error) => log('error', 'a subscriber of the world failed', { error }) },
  );
  const fanout = new Fanout({ world, epoch });
  replica.watch({
    before: (event) => fanout.before(event),
    after: (event) => fanout.after(event),
    epochBegan: (began) => fanout.replaceWorld(world, began),
    wake: (agentId, wake) => hub.wake(agentId, wake),
  });
  // The operator's request to close the life reaches one replica; the others drop the agent's wakes with this event.
  replica.watch({ after: (event) => event.kind === 'despawn' && hub.forget(event.agent_id) });
  return { clock, replica, fanout };
}

function showWorld(
  registry: Registry,
  { replica, fanout }: Awaited<ReturnType<typeof followWorld>>,
  shown: { readonly hub: WakeHub; readonly term: () => WorldTerm | null },
): void {
  registerGauges(registry, {
    hamlet_world_seq: { help: 'Last event this replica has applied', read: () => replica.world.seq },
    hamlet_world_epoch: { help: 'Epoch of the last writer that this replica knows', read: () => replica.epoch },
    hamlet_world_agents: { help: 'Agents in the world', read: () => replica.world.agents.count },
    hamlet_world_writing: {
      help: '1 on the replica that writes the world',
      read: () => (shown.term() === null ? 0 : 1),
    },
    hamlet_world_backlog_events: {
      help: 'Accepted events that are not durable yet',
      read: () => shown.term()?.backlog ?? 0,
    },
    hamlet_world_viewers: { help: 'Open sockets of viewers', read: () => fanout.stats().viewers },
    hamlet_world_queued_bytes: { help: 'Bytes queued for viewers', read: () => fanout.stats().queuedBytes },
    hamlet_wake_streams: { help: 'Open wake streams of this replica', read: () => shown.hub.size },
  });
}

export async function startWorld(ports: WorldPorts) {
  const { db, link, source, presence, hub, registry, replicaId, log, monotonicMs } = ports;
  const followed = await followWorld(ports);
  const { clock, replica, fanout } = followed;
  const { world } = replica;
  const bus = await startCommandBus({ db, link, replicaId, log });
  const feed = await startEventFeed({ db, link, replica, replicaId, log });
  const reader = createWorldReader({ replica, clock, source, presence, standing: ports.standing }, bus);
  let term: WorldTerm | null = null;
  const reconciler = startResidentReconciler({
    db,
    source,
    presence,
    commands: reader.commands,
    world,
    caughtUp: reader.fresh,
    active: () => term !== null,
    log,
  });
  replica.watch({ after: (event) => LIFECYCLE.has(event.kind) && reconciler.nudge() });
  const writer = startWorldWriter({
    db: ports.writerDb,
    clock,
    isFrozen: () => ports.freeze.frozen,
    monotonicMs,
    replicaId,
    log,
    recover: () => copyDurableWorld(db, world),
    onDurable: (began, events) => feed.publish(began, events),
    onTerm: (next) => {
      term = next;
      bus.setTerm(next);
      feed.setWriting(next !== null);
      if (next !== null) replica.take(next.epoch, []);
      reconciler.nudge();
    },
  });
  const frames = setInterval(() => fanout.tick(Math.max(clock.tick(), world.tick)), TICK_MS);
  showWorld(registry, followed, { hub, term: () => term });
  log('info', 'the world is recovered', { seq: world.seq, agents: world.agents.count });
  return {
    reader,
    fanout,
    mapAnswer: mapResponse(world.map),
    /** The durable world of this replica. Callers must not change it. */
    state: world,
    onUpdate: (listener: (tick: number) => void) => fanout.onUpdate(listener),
    onEvent: (listener: (event: WorldEvent) => void) => replica.watch({ after: listener }),
    stop: async () => {
      await reconciler.stop();
      await writer.stop();
      clearInterval(frames);
      await feed.stop();
    },
  };
}

export type RunningWorld = Awaited<ReturnType<typeof startWorld>>;
