import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { WorldMap } from '@hamlet/core';
import { openDatabase, type DatabaseLimits, type Db } from '@hamlet/store';
import type { OutwardRoute } from '../egress/post-out.ts';
import { loadApiKeys } from '../auth/api-keys-file.ts';
import { Bots } from '../channels/bots.ts';
import type { VillageModels } from '../gateway/models/village-models.ts';
import { RateLimiter } from '../http/rate-limit.ts';
import { startLimits } from '../limits/start-limits.ts';
import type { Log } from '../service/log.ts';
import { createRegistry } from '../service/metrics.ts';
import { openNotifications } from '../service/notifications.ts';
import { openRedisLink } from '../service/redis-link.ts';
import { startVillageSettings } from '../settings/village-settings.ts';
import { startTracing } from '../tracing/start-tracing.ts';
import { openAgents, type Agents } from './agents.ts';
import type { Config } from './config.ts';
import { waitForSchema } from './schema.ts';

export interface StartOptions {
  /** The clock of village time, in ms; tests let it run fast. */
  readonly villageMs?: () => number;
  readonly agents?: Partial<Agents>;
  readonly map?: WorldMap;
  /** Sessions of Postgres for requests; default 16. */
  readonly sessions?: number;
  readonly models?: VillageModels;
  readonly outwardRoute?: OutwardRoute;
}

/** Limits for requests and upkeep. The store ends a statement after 10 s, so `answerMs` is longer. */
const OF_REQUESTS: DatabaseLimits = { answerMs: 15_000, idleInTransactionMs: 30_000, transactionMs: 60_000 };
/** The world's lease lasts 4 s, so the connection of a lost writer must not lock its row for much longer. */
const OF_WRITER: DatabaseLimits = { answerMs: 12_000, idleInTransactionMs: 5_000, transactionMs: 15_000 };
/** Limits for sealing. After a long pause, sealing reads the whole log, so a statement may take two minutes. */
const OF_SEALING: DatabaseLimits = { answerMs: 130_000, idleInTransactionMs: 30_000, transactionMs: 600_000 };

/** Opens separate pools, so that requests, the writer, sealing and the village's freeze do not wait for each other. Each connects at its first statement. */
function openDatabases(url: string, log: Log, sessions = 16) {
  const onError = (error: unknown): void => log('warn', 'an idle database connection was lost', { error });
  const open = (poolSize: number, limits: DatabaseLimits): Db => openDatabase({ url, poolSize, limits, onError });
  const pools = {
    db: open(sessions, OF_REQUESTS),
    writerDb: open(4, OF_WRITER),
    sealingDb: open(2, OF_SEALING),
    switchDb: open(4, OF_REQUESTS),
  };
  return {
    ...pools,
    close: async () => {
      await Promise.all(Object.values(pools).map((pool) => pool.destroy()));
    },
  };
}

export async function openBase(config: Config, log: Log, options: StartOptions) {
  const monotonicMs = (): number => performance.now();
  const { close: closeDatabases, ...databases } = openDatabases(config.postgresUrl, log, options.sessions);
  const { db } = databases;
  await waitForSchema(db, log);
  await loadApiKeys(db, config.apiKeysFile);
  const registry = createRegistry();
  const link = openRedisLink(config.redisUrl, log);
  const notifications = openNotifications(config.postgresUrl, log);
  const settings = await startVillageSettings({ db, notifications, config, log });
  const agents = { ...(await openAgents(config, { db, notifications, log })), ...options.agents };
  const { source } = agents;
  const local = new RateLimiter();
  const counted = startLimits({ config, db, source, local, registry, log, monotonicMs });
  const replicaId = randomUUID();
  const tracing = startTracing({ config, db, notifications, registry, log, monotonicMs, replicaId });
  const shared = {
    ...databases,
    config,
    source,
    link,
    registry,
    log,
    monotonicMs,
    replicaId,
    tracing,
    notifications,
    settings,
  };
  return {
    shared,
    agents,
    bots: new Bots({ ...shared, channelTokens: agents.channelTokens }),
    local,
    counted,
    close: async () => {
      await settings.close();
      await agents.close();
      link.close();
      await counted.stop();
      await closeDatabases();
    },
  };
}

export type Base = Awaited<ReturnType<typeof openBase>>;
