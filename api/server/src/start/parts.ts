import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { WorldMap } from '@hamlet/core';
import { loadApiKeys } from '../auth/api-keys-file.ts';
import { startBoard } from '../board/start-board.ts';
import { villagePart } from '../freeze/freeze-cache.ts';
import type { ModelProvider } from '../gateway/model-provider.ts';
import { openGateway } from '../gateway/start-gateway.ts';
import { RateLimiter } from '../http/rate-limit.ts';
import { startLimits } from '../limits/start-limits.ts';
import { startPeople } from '../people/start-people.ts';
import { scheduleActivityPart } from '../runs/start-runs.ts';
import type { Log } from '../service/log.ts';
import { createRegistry } from '../service/metrics.ts';
import { claimsPart } from '../money/compute/claim-upkeep.ts';
import { boostsPart } from '../money/market/trade-upkeep.ts';
import { openRedisLink } from '../service/redis-link.ts';
import { openAgents, type Agents } from './agents.ts';
import type { Config } from './config.ts';
import { openDatabases } from './databases.ts';
import { startMoney } from './money.ts';
import { waitForSchema } from './schema.ts';
import { startVillageFacts } from './village-facts.ts';
import { startWorld } from './world.ts';

/** Ends the process, because a copy of the world that cannot follow the events is useless. The next process recovers the world. */
function endBroken(log: Log, error: unknown): never {
  log('error', 'this replica cannot follow the events of the world; it ends and recovers', { error });
  process.exit(1);
}

export interface StartOptions {
  /** The clock of village time, in ms; tests let it run fast. */
  readonly villageMs?: () => number;
  /** Replaces parts of the configured source of agents. */
  readonly agents?: Partial<Agents>;
  /** The map of the village; left out, the map of this version of Hamlet. */
  readonly map?: WorldMap;
  /** Providers of models; left out, the scripted ones. */
  readonly providers?: readonly ModelProvider[];
}

/** Opens the configured databases, Redis, agents and limits. */
export async function openBase(config: Config, log: Log, options: StartOptions) {
  const monotonicMs = (): number => performance.now();
  const databases = openDatabases(config.postgresUrl, log);
  const { db, writerDb, sealingDb } = databases;
  await waitForSchema(db, log);
  await loadApiKeys(db, config.apiKeysFile);
  const registry = createRegistry();
  const link = openRedisLink(config.redisUrl, log);
  const agents = { ...(await openAgents(config, db, log)), ...options.agents };
  const { source } = agents;
  const local = new RateLimiter();
  const counted = startLimits({ config, db, source, local, registry, log, monotonicMs });
  const shared = {
    config,
    db,
    source,
    link,
    registry,
    log,
    monotonicMs,
    replicaId: randomUUID(),
    listenUrl: config.postgresUrl,
  };
  return {
    shared: { ...shared, writerDb, sealingDb },
    agents,
    local,
    counted,
    close: async () => {
      await agents.close();
      link.close();
      counted.stop();
      await databases.close();
    },
  };
}

export type Base = Awaited<ReturnType<typeof openBase>>;

/** Starts the parts of the village in order; each part uses earlier ones. */
export async function startParts({ shared, counted: { limits } }: Base, options: StartOptions) {
  const { config, db, listenUrl, registry, log, monotonicMs } = shared;
  const { migrateMapTo, bootstrapCodeFile, oidc } = config;
  const parts = [scheduleActivityPart, claimsPart, boostsPart, villagePart];
  const facts = await startVillageFacts({ ...shared, parts });
  const { presence, standing, tiers, freeze, hub } = facts;
  const { map, villageMs = monotonicMs, providers } = options;
  const onBroken = (error: unknown): never => endBroken(log, error);
  const world = await startWorld({ ...shared, presence, standing, hub, map, migrateMapTo, villageMs, onBroken });
  const board = await startBoard({ ...shared, hub, reader: world.reader, onWorldEvent: world.onEvent });
  const money = await startMoney({ ...shared, tiers, freeze });
  const asked = { db, limits, meter: money.meter, freeze, registry, log, monotonicMs };
  const gateway = openGateway(providers === undefined ? asked : { ...asked, providers });
  const onStanding = (callback: (agentIds: readonly string[]) => void): void => standing.onChange(callback);
  const people = startPeople({ db, listenUrl, onStanding, monotonicMs, bootstrapCodeFile, oidc, log });
  return { facts, world, board, money, gateway, people };
}

export type Parts = Awaited<ReturnType<typeof startParts>>;
