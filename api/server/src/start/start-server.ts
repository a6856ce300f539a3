import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { WorldMap } from '@hamlet/core';
import { ping, readBalances } from '@hamlet/store';
import type { Db } from '@hamlet/store';
import type { Registry } from 'prom-client';
import { loadApiKeys } from '../auth/api-keys-file.ts';
import { createAuthenticate } from '../auth/authenticate.ts';
import type { Config } from '../config.ts';
import type { ModelProvider } from '../gateway/model-provider.ts';
import { startGateway } from '../gateway/start-gateway.ts';
import { createAddressGate } from '../http/admission/address-gate.ts';
import { RateLimiter } from '../http/admission/rate-limit.ts';
import { startLimits } from '../limits/start-limits.ts';
import { createHandlers } from '../routes/handlers.ts';
import { startBoard } from '../board/start-board.ts';
import { villagePart } from '../freeze/freeze-board.ts';
import { startHousekeeping } from '../service/housekeeping.ts';
import { createHttpMetrics } from '../service/http-metrics.ts';
import { startPeople } from '../people/start-people.ts';
import { scheduleActivityPart, startRuns } from '../runs/start-runs.ts';
import { claimsPart } from '../spending/claim-keeper.ts';
import { boostsPart } from '../trade/trade-upkeep.ts';
import type { AgentSource } from '../agents/agent-source.ts';
import type { Log } from '../service/log.ts';
import { createRegistry } from '../service/metrics.ts';
import { createReadiness } from '../service/readiness.ts';
import type { Readiness } from '../service/readiness.ts';
import { openRedisLink } from '../world/redis-link.ts';
import type { RedisLink } from '../world/redis-link.ts';
import { openAgents } from './agents.ts';
import type { Agents } from './agents.ts';
import { startEconomy } from './economy.ts';
import { openListeners } from './listeners.ts';
import { waitForSchema } from './schema.ts';
import type { Listeners } from './listeners.ts';
import { worldSocket } from '../world/world-socket.ts';
import { openDatabases } from './databases.ts';
import { startVillageFacts } from './village-facts.ts';
import { startWorld } from './world.ts';
import type { RunningWorld } from './world.ts';


export interface RunningServer extends Pick<Listeners, 'peopleUrl' | 'agentsUrl' | 'metricsUrl'> {
  /** The world of this replica, to look at from within the process. */
  readonly world: Pick<RunningWorld, 'reader' | 'fanout' | 'state' | 'onUpdate'>;
  /** The metrics of this replica, as `/metrics` serves them. */
  readonly metrics: Pick<Registry, 'getMetricsAsArray'>;
  stop(): Promise<void>;
}

/** A copy of the world that cannot follow the log is worth nothing: the process ends, and the next one recovers. */
function endBroken(log: Log, error: unknown): never {
  log('error', 'this replica cannot follow the log of the world and ends', { error });
  process.exit(1);
}

export interface StartOptions {
  /** The clock that village time runs by, in ms; tests let it run fast. */
  readonly villageMs?: () => number;
  /** Parts of where agents come from, in the place of those that the configuration names. */
  readonly agents?: Partial<Agents>;
  /** The map of the village; the one of this version of Hamlet where it is left out. */
  readonly map?: WorldMap;
  /** Who answers for models; the scripted ones where it is left out. */
  readonly providers?: readonly ModelProvider[];
}

/** What a replica needs to serve; without Postgres and Redis the map stays readable. */
function readinessOf({ source, db, link }: { readonly source: AgentSource; readonly db: Db; readonly link: RedisLink }): Readiness {
  return createReadiness([
    { name: 'world', required: true, check: () => true },
    { name: 'agents', required: true, check: () => source.ready },
    { name: 'postgres', required: false, check: () => ping(db).then(() => true) },
    { name: 'redis', required: false, check: () => link.ping().then(() => true) },
  ]);
}

/** Starts an api replica on a schema that is up to date: world, listeners. Resolves once it serves. */
export async function startServer(config: Config, log: Log, options: StartOptions = {}): Promise<RunningServer> {
  const monotonicMs = (): number => performance.now();
  const replicaId = randomUUID();
  const databases = openDatabases(config.postgresUrl, log);
  const { db, writerDb, sealingDb } = databases;
  await waitForSchema(db, log);
  await loadApiKeys(db, config.apiKeysFile);
  const registry = createRegistry();
  const link = openRedisLink(config.redisUrl, log);
  const agents = { ...(await openAgents(config, db, log)), ...options.agents };
  const { source, reviewer } = agents;
  const local = new RateLimiter();
  const counted = startLimits({ config, db, source, local, registry, log, monotonicMs });
  const { limits } = counted;
  const facts = await startVillageFacts({ db, listenUrl: config.postgresUrl, replicaId, source, readBalances, parts: [scheduleActivityPart, claimsPart, boostsPart, villagePart], log, monotonicMs });
  const { presence, standing, hub, feed } = facts;
  const world = await startWorld({ db, writerDb, link, source, presence, standing, hub, registry, replicaId, map: options.map, migrateMapTo: config.migrateMapTo, log, monotonicMs, villageMs: options.villageMs ?? monotonicMs, onBroken: (error) => endBroken(log, error) });
  const board = await startBoard({ db, link, source, hub, reader: world.reader, onWorldEvent: world.onEvent, registry, monotonicMs, log });
  const readiness = readinessOf({ source, db, link });
  const economy = await startEconomy({ db, sealingDb, config, source, standing: facts.keeper, freeze: facts.freeze, registry, log, monotonicMs });
  const gateway = startGateway({ db, limits, meter: economy.meter, freeze: facts.freeze, registry, log, monotonicMs, ...(options.providers === undefined ? {} : { providers: options.providers }) });
  const authenticate = createAuthenticate({ db, source, reviewer, monotonicMs });
  const { bootstrapCodeFile, oidc } = config;
  const people = startPeople({ db, listenUrl: config.postgresUrl, onStanding: (hear) => standing.onChange(hear), monotonicMs, bootstrapCodeFile, oidc, log });
  const handlers = createHandlers({
    db, log, source, reviewer, hub, feed, readiness, board: board.board, reader: world.reader, mapAnswer: world.mapAnswer, people: people.people,
    standing: facts.keeper, readBalances, ...economy.services, schedules: agents.schedules, specWriter: agents.specWriter, limits, gateway,
  });
  const gate = createAddressGate({ limiter: local, trust: config.proxyTrust, requestsPerMinute: config.requestsPerMinute, socketsPerAddress: config.socketsPerAddress, monotonicMs });
  const requests = { db, log, monotonicMs, gate, metrics: createHttpMetrics(registry), strictAnswers: config.strictAnswers };
  const listeners = await openListeners({
    config, handlers, authenticate, registry,
    sockets: { '/ws/world': worldSocket({ fanout: world.fanout, size: world.mapAnswer }), '/ws/board': board.socket },
    mount: { ...requests, limitActor: counted.limitActor, guard: people.guard, authenticate },
  });
  const runs = startRuns({ db, listenUrl: config.postgresUrl, hub, log });
  const stopHousekeeping = startHousekeeping({ db, turnDays: config.turnDays, log });
  log('info', 'serving', { people: listeners.peopleUrl, agents: listeners.agentsUrl, metrics: listeners.metricsUrl, replica: replicaId });
  return {
    ...listeners, world, metrics: registry,
    stop: async () => {
      await stopHousekeeping();
      hub.closeAll();
      feed.close();
      await listeners.stop();
      await board.stop();
      await world.stop();
      await runs.stop();
      await people.stop();
      await gateway.stop();
      await economy.stop();
      await facts.close();
      await agents.close();
      link.close();
      counted.stop();
      await databases.close();
    },
  };
}
