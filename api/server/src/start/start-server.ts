import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { isConnectionError, migrate, openDatabase, ping, readBalances } from '@hamlet/store';
import { loadApiKeys } from '../auth/api-keys-file.ts';
import { createAuthenticate } from '../auth/authenticate.ts';
import type { Config } from '../config.ts';
import type { Actor } from '../http/actor.ts';
import { RateLimiter } from '../http/admission/rate-limit.ts';
import { startLimits } from '../limits/start-limits.ts';
import { createIncomePort } from '../spending/income.ts';
import { createTokenMeter } from '../spending/token-meter.ts';
import { createHandlers } from '../routes/handlers.ts';
import { startLedgerUpkeep } from '../economy/upkeep.ts';
import { startHousekeeping } from '../service/housekeeping.ts';
import { createHttpMetrics } from '../service/http-metrics.ts';
import { scheduleActivityPart, startRuns } from '../runs/start-runs.ts';
import type { Log } from '../service/log.ts';
import { createRegistry } from '../service/metrics.ts';
import { createReadiness } from '../service/readiness.ts';
import { openRedisLink } from '../world/redis-link.ts';
import { openAgents } from './agents.ts';
import type { Agents } from './agents.ts';
import { openListeners } from './listeners.ts';
import type { Listeners } from './listeners.ts';
import { startVillageFacts } from './village-facts.ts';
import { startPayments } from '../payments/start-payments.ts';
import { startSealing } from '../log/start-sealing.ts';
import { startWorld } from './world.ts';

const POOL_SIZE = 16;
const WINDOW_S = 60;
const PATIENCE_MS = 120_000;

export interface RunningServer extends Pick<Listeners, 'peopleUrl' | 'agentsUrl' | 'metricsUrl'> {
  stop(): Promise<void>;
}

/** Waits for a Postgres that is still starting, then brings its schema up to date. */
async function migrateWhenUp(config: Config, log: Log): Promise<void> {
  const giveUpMs = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      const done = await migrate({ ownerUrl: config.postgresOwnerUrl, appUrl: config.postgresUrl });
      if (done.length > 0) log('info', 'migrated', { migrations: done });
      return;
    } catch (error) {
      if (!isConnectionError(error) || performance.now() > giveUpMs) throw error;
      log('info', 'waiting for the database', { error: error instanceof Error ? error.message : error });
      await sleep(500);
    }
  }
}

/** The quota of an actor: what its tier allows an agent, the configured one for everybody else. */
function policyFor(config: Config, agents: Agents): (actor: Actor) => RatePolicy {
  const common: RatePolicy = { name: 'actor', quota: config.requestsPerMinute, windowS: WINDOW_S };
  return (actor) => {
    if (actor.role !== 'agent') return common;
    const tier = agents.source.get(actor.agentId)?.status.tier;
    const quota = tier === undefined ? undefined : agents.source.entitlement(tier)?.limits.requestsPerMinute;
    return quota === undefined ? common : { name: tier ?? 'tier', quota, windowS: WINDOW_S };
  };
}

/** A copy of the world that cannot follow the log is worth nothing: the process ends, and the next one recovers. */
function endBroken(log: Log, error: unknown): never {
  log('error', 'this replica cannot follow the log of the world and ends', { error });
  process.exit(1);
}

export interface StartOptions {
  /** The clock that village time runs by, in ms; tests let it run fast. */
  readonly villageMs?: () => number;
}

/** Starts an api replica: migrations, world, listeners. Resolves once it serves. */
export async function startServer(config: Config, log: Log, options: StartOptions = {}): Promise<RunningServer> {
  const monotonicMs = (): number => performance.now();
  const replicaId = randomUUID();
  await migrateWhenUp(config, log);
  const db = openDatabase({ url: config.postgresUrl, poolSize: POOL_SIZE, onError: (error) => log('warn', 'an idle database connection was lost', { error }) });
  await loadApiKeys(db, config.apiKeysFile);
  const registry = createRegistry();
  const link = openRedisLink(config.redisUrl, log);
  const agents = await openAgents(config, db, log);
  const { source, reviewer } = agents;
  const facts = await startVillageFacts({ db, listenUrl: config.postgresUrl, replicaId, source, readBalances, parts: [scheduleActivityPart], log, monotonicMs });
  const { presence, standing, hub, feed } = facts;
  const world = await startWorld({ db, link, source, presence, standing, hub, registry, replicaId, log, monotonicMs, villageMs: options.villageMs ?? monotonicMs, onBroken: (error) => endBroken(log, error) });
  const readiness = createReadiness([
    { name: 'world', required: true, check: () => true },
    { name: 'agents', required: true, check: () => source.ready },
    { name: 'postgres', required: false, check: () => ping(db).then(() => true) },
    { name: 'redis', required: false, check: () => link.ping().then(() => true) },
  ]);
  const authenticate = createAuthenticate({ db, source, reviewer, monotonicMs });
  const handlers = createHandlers({
    sealing,
    db, log, source, reviewer, hub, feed, readiness, board: board.board, reader: world.reader, mapAnswer: world.mapAnswer, people: people.people,
    standing: facts.keeper, readBalances, economy: config.economy, prices: config.prices, payments, claims, schedules: agents.schedules, specWriter: agents.specWriter, limits, gateway,
  });
  const { bootstrapCodeFile, oidc } = config;
  const people = startPeople({ db, listenUrl: config.postgresUrl, onStanding: (hear) => standing.onChange(hear), monotonicMs, bootstrapCodeFile, oidc, log });
  const claims = new ClaimDesk({ source, standing: facts.keeper, terms: CLAIM_TERMS });
  const income = createIncomePort({ standing: facts.keeper, lives: (agentId) => source.get(agentId) !== null });
  const payments = await startPayments({ db, income, config: config.payments, timeZone: config.economy.timeZone, registry, log, monotonicMs });
  const sealing = await startSealing({ db, registry, log, settings: config.sealing });
  const listeners = await openListeners({
    config, handlers, authenticate, registry,
    socket: { fanout: world.fanout, size: world.mapAnswer, log },
    mount: {
      db, log, monotonicMs,
      metrics: createHttpMetrics(registry),
      limiter: new RateLimiter(),
      addressPolicy: { name: 'address', quota: config.requestsPerMinute, windowS: WINDOW_S },
      policyOf: policyFor(config, agents),
      authenticate: (request, listener) => authenticate({ headers: request.headers, address: request.ip ?? '', listener }),
      strictAnswers: config.strictAnswers,
    },
  });
  const runs = startRuns({ db, listenUrl: config.postgresUrl, hub, log });
  const stopHousekeeping = startHousekeeping(db, log);
  const stopLedgerUpkeep = startLedgerUpkeep({ db, registry, log });
  log('info', 'serving', { people: listeners.peopleUrl, agents: listeners.agentsUrl, metrics: listeners.metricsUrl, replica: replicaId });
  return {
    ...listeners,
    stop: async () => {
      stopHousekeeping();
      hub.closeAll();
      feed.close();
      await listeners.stop();
      await world.stop();
      await runs.stop();
      await stopLedgerUpkeep();
      await facts.close();
      await agents.close();
      link.close();
      await db.destroy();
    },
  };
}
      await people.stop();
      await claimKeeper.stop();
      await payments.stop();
