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
import { openGateway } from '../gateway/start-gateway.ts';
import { createAddressGate } from '../http/admission/address-gate.ts';
import { RateLimiter } from '../http/admission/rate-limit.ts';
import { startLimits } from '../limits/start-limits.ts';
import type { Handlers } from '../http/handler.ts';
import { createHandlers } from '../routes/handlers.ts';
import { startBoard } from '../board/start-board.ts';
import { villagePart } from '../freeze/freeze-cache.ts';
import { createHttpMetrics, createRegistry } from '../service/metrics.ts';
import { startPeople } from '../people/start-people.ts';
import { scheduleActivityPart, startRuns } from '../runs/start-runs.ts';
import { startJobs } from '../service/jobs.ts';
import { claimsPart } from '../spending/claim-keeper.ts';
import { boostsPart } from '../trade/trade-upkeep.ts';
import type { AgentSource } from '../agents/agent-source.ts';
import type { Log } from '../service/log.ts';
import { createReadiness } from '../service/readiness.ts';
import type { Readiness } from '../service/readiness.ts';
import { openRedisLink } from '../service/redis-link.ts';
import type { RedisLink } from '../service/redis-link.ts';
import { openAgents } from './agents.ts';
import type { Agents } from './agents.ts';
import { startEconomy } from './economy.ts';
import { openListeners } from './listeners.ts';
import { retentionJobs } from './retention.ts';
import { waitForSchema } from './schema.ts';
import type { Listeners } from './listeners.ts';
import { worldSocket } from '../world/world-socket.ts';
import { openDatabases } from './databases.ts';
import { startVillageFacts } from './village-facts.ts';
import { startWorld } from './world.ts';
import type { RunningWorld } from './world.ts';

export interface RunningServer extends Pick<Listeners, 'peopleUrl' | 'agentsUrl' | 'metricsUrl'> {
  /** The world of this replica, for tests. */
  readonly world: Pick<RunningWorld, 'reader' | 'fanout' | 'state' | 'onUpdate'>;
  /** The metrics of this replica, as `/metrics` serves them. */
  readonly metrics: Pick<Registry, 'getMetricsAsArray'>;
  stop(): Promise<void>;
}

/** Ends the process when its world cannot follow the events; the next process recovers. */
function endBroken(log: Log, error: unknown): never {
  log('error', 'this replica cannot follow the events of the world and ends', { error });
  process.exit(1);
}

export interface StartOptions {
  /** The clock that village time runs by, in ms; tests let it run fast. */
  readonly villageMs?: () => number;
  /** Parts of where agents come from, in the place of those that the configuration names. */
  readonly agents?: Partial<Agents>;
  /** The map of the village; the one of this version of Hamlet where it is left out. */
  readonly map?: WorldMap;
  /** Providers of models; by default the scripted one. */
  readonly providers?: readonly ModelProvider[];
}

/** The readiness of a replica; without Postgres and Redis the map stays readable. */
function readinessOf({
  source,
  db,
  link,
}: {
  readonly source: AgentSource;
  readonly db: Db;
  readonly link: RedisLink;
}): Readiness {
  return createReadiness([
    { name: 'world', required: true, check: () => true },
    { name: 'agents', required: true, check: () => source.ready },
    { name: 'postgres', required: false, check: () => ping(db).then(() => true) },
    { name: 'redis', required: false, check: () => link.ping().then(() => true) },
  ]);
}

/** Opens what every part of a replica works with: the configuration's databases, Redis, agents and limits. */
async function openBase(config: Config, log: Log, options: StartOptions) {
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

type Base = Awaited<ReturnType<typeof openBase>>;

/** Starts the parts of the village, each with those before it. */
async function startParts({ shared, counted: { limits } }: Base, options: StartOptions) {
  const { config, db, listenUrl, registry, log, monotonicMs } = shared;
  const { migrateMapTo, bootstrapCodeFile, oidc } = config;
  const parts = [scheduleActivityPart, claimsPart, boostsPart, villagePart];
  const facts = await startVillageFacts({ ...shared, readBalances, parts });
  const { presence, standing, keeper, freeze, hub } = facts;
  const { map, villageMs = monotonicMs, providers } = options;
  const onBroken = (error: unknown): never => endBroken(log, error);
  const world = await startWorld({ ...shared, presence, standing, hub, map, migrateMapTo, villageMs, onBroken });
  const board = await startBoard({ ...shared, hub, reader: world.reader, onWorldEvent: world.onEvent });
  const economy = await startEconomy({ ...shared, standing: keeper, freeze });
  const asked = { db, limits, meter: economy.meter, freeze, registry, log, monotonicMs };
  const gateway = openGateway(providers === undefined ? asked : { ...asked, providers });
  const onStanding = (hear: (agentIds: readonly string[]) => void): void => standing.onChange(hear);
  const people = startPeople({ db, listenUrl, onStanding, monotonicMs, bootstrapCodeFile, oidc, log });
  return { facts, world, board, economy, gateway, people };
}

type Parts = Awaited<ReturnType<typeof startParts>>;

/** The handlers of all routes, on the parts that serve them. */
function handlersOn(
  { shared, agents, counted: { limits } }: Base,
  { facts, world, board, economy, gateway, people }: Parts,
): Handlers {
  const { db, log, source, link } = shared;
  const { reviewer, schedules, specWriter } = agents;
  const services = { db, log, source, reviewer, schedules, specWriter, limits, gateway, readBalances };
  return createHandlers({
    ...economy.services,
    ...services,
    hub: facts.hub,
    feed: facts.feed,
    standing: facts.keeper,
    readiness: readinessOf({ source, db, link }),
    board: board.board,
    reader: world.reader,
    mapAnswer: world.mapAnswer,
    people: people.people,
  });
}

/** Opens the listeners for people, agents and metrics. */
function serve(base: Base, parts: Parts): Promise<Listeners> {
  const { config, db, source, registry, log, monotonicMs } = base.shared;
  const { proxyTrust: trust, requestsPerMinute, socketsPerAddress, strictAnswers } = config;
  const { world, board, people } = parts;
  const gate = createAddressGate({ limiter: base.local, trust, requestsPerMinute, socketsPerAddress, monotonicMs });
  const authenticate = createAuthenticate({ db, source, reviewer: base.agents.reviewer, monotonicMs });
  const { limitActor } = base.counted;
  const metrics = createHttpMetrics(registry);
  return openListeners({
    config,
    handlers: handlersOn(base, parts),
    authenticate,
    registry,
    sockets: { '/ws/world': worldSocket({ fanout: world.fanout, size: world.mapAnswer }), '/ws/board': board.socket },
    mount: { db, log, monotonicMs, gate, metrics, strictAnswers, limitActor, guard: people.guard, authenticate },
  });
}

/** Starts an api replica on a schema that is up to date: world, listeners. Resolves once it serves. */
export async function startServer(config: Config, log: Log, options: StartOptions = {}): Promise<RunningServer> {
  const base = await openBase(config, log, options);
  const { db, link, listenUrl, registry, replicaId } = base.shared;
  const parts = await startParts(base, options);
  const { facts, world, board, economy, gateway, people } = parts;
  const listeners = await serve(base, parts);
  const runs = startRuns({ db, listenUrl, hub: facts.hub, log });
  const own = retentionJobs({ db, turnDays: config.turnDays, log });
  const jobs = [facts, board, economy, gateway, people, runs].flatMap((part) => part.jobs);
  const { redisUrl, namespace } = config;
  const stopJobs = startJobs({ redisUrl, namespace, jobs: [...jobs, ...own], link, registry, log });
  const { peopleUrl, agentsUrl, metricsUrl } = listeners;
  log('info', 'serving', { people: peopleUrl, agents: agentsUrl, metrics: metricsUrl, replica: replicaId });
  return {
    ...listeners,
    world,
    metrics: registry,
    stop: async () => {
      await stopJobs();
      facts.hub.closeAll();
      facts.feed.close();
      await listeners.stop();
      await board.stop();
      await world.stop();
      await runs.stop();
      await people.stop();
      await economy.stop();
      await facts.close();
      await base.close();
    },
  };
}
