import {
  deleteExpiredModelTexts,
  forgetOldModelRequests,
  inTransaction,
  markLostModelRequests,
  recordAudits,
} from '@hamlet/store';
import type { Registry } from 'prom-client';
import { job, type Job } from '../service/jobs.ts';
import { lostLine } from './texts/call-seal.ts';
import { requestLife, type GatewayPorts } from './admit-request.ts';
import { createGatewayMetrics } from './gateway-metrics.ts';
import type { CredentialParts } from './credentials/credential-handlers.ts';
import { type StoredCredentials, startStoredCredentials } from './credentials/stored-credentials.ts';
import { type VillageKeys, villageKeys } from './credentials/village-keys.ts';
import { type Subscriptions, createSubscriptions } from './credentials/subscriptions.ts';
import { ProviderQueue } from './provider-queue.ts';
import { startStreamBrakes, type BrakePorts } from './stream-brakes.ts';
import { openCatalog, type VillageModels, configuredModels, type ConnectionSource } from './models/village-models.ts';
import { createProviderTests, type ProviderTests } from './configured/provider-tests.ts';
import { createModelServers, type ModelServers } from './servers/model-servers.ts';
import { ModelHealth } from './models/model-health.ts';
import type { ModelsSettings } from './models/models-environment.ts';
import type { Services } from '../service/services.ts';
import { keyFiles } from '../service/key-files.ts';
import { createOutboundFetch } from './connections/outbound-fetch.ts';

const EVERY_MS = 30_000;
const TEXTS_AT_ONCE = 5_000;

interface GatewayStart
  extends Omit<GatewayPorts, 'catalog' | 'queue' | 'answerTimes' | 'metrics' | 'health' | 'brakes'>, BrakePorts {
  readonly registry: Registry;
  readonly models: VillageModels;
  /** True if the models come from the configuration, which the API then tests. */
  readonly isConfigured: boolean;
  readonly stored: StoredCredentials;
  readonly villageKeys: VillageKeys;
  readonly subscriptions: Subscriptions;
}

export interface Gateway extends GatewayPorts {
  readonly credentials: CredentialParts;
  readonly servers: Pick<ModelServers, 'list'>;
  readonly tests: Pick<ProviderTests, 'models'>;
  readonly jobs: readonly Job[];
  stop(): Promise<void>;
}

/** Opens the gateway. Its job marks a request as lost if the request's replica has died. */
export function openGateway({
  registry,
  models,
  isConfigured,
  stored,
  villageKeys,
  subscriptions,
  freeze,
  standing,
  ...ports
}: GatewayStart): Gateway {
  const { db, log } = ports;
  const { firstByteMs, idleMs, totalMs } = models.config.limits;
  const answerTimes = { firstPieceMs: firstByteMs, idleMs, totalMs };
  async function sweep(): Promise<void> {
    const lost = await inTransaction(db, async (tx) => {
      const requests = await markLostModelRequests(tx, requestLife(answerTimes));
      await recordAudits(tx, requests.map(lostLine));
      return requests.length;
    });
    if (lost > 0) log('warn', 'model requests were lost with their replica', { lost });
    await forgetOldModelRequests(db);
    const deleted = await deleteExpiredModelTexts(db, TEXTS_AT_ONCE);
    if (deleted > 0) log('info', 'prompts and answers of models have expired and were deleted', { deleted });
  }
  const servers = createModelServers(models, models.ports.nowMs);
  const brakes = startStreamBrakes({ freeze, standing });
  const tests = createProviderTests({ ...ports, models, brakes });
  const jobs = [
    job({ name: 'lost-model-requests', everyMs: EVERY_MS, run: sweep }),
    servers.job,
    ...(isConfigured ? [tests.job] : []),
  ];
  const catalog = openCatalog(models);
  const placesOf = (provider: string): number | undefined => catalog.placesOf(provider);
  const queue = new ProviderQueue({ placesOf, ...models.config.queue });
  return {
    ...ports,
    catalog,
    queue,
    answerTimes,
    credentials: { stored, villageKeys, subscriptions, models, hasKey: (name) => models.key(name, null) !== null },
    brakes,
    metrics: createGatewayMetrics(registry, queue),
    health: new ModelHealth(ports),
    servers,
    tests,
    jobs,
    stop: () => stored.stop(),
  };
}

/**
 * The configured models with their keys, and the providers that admins have connected. A stored key takes precedence
 * over one of the Secret.
 *
 * @param given replaces the configured models.
 */
export async function startModels(
  ports: Pick<Services, 'db' | 'notifications' | 'log' | 'monotonicMs'> & {
    readonly config: { readonly models: ModelsSettings };
  },
  given?: VillageModels,
) {
  const { db, notifications, log, monotonicMs } = ports;
  const { config, keysFolder, sealingFolder, subscription, textDays } = ports.config.models;
  const keys = villageKeys(keyFiles(sealingFolder, monotonicMs));
  const files = keyFiles(keysFolder, monotonicMs);
  const fallback = given?.key ?? ((name) => files(name));
  const models = given ?? configuredModels(config, fallback);
  const stored = await startStoredCredentials({ db, notifications, keys, log, shared: models.config });
  const key: VillageModels['key'] = (name, agentId) => stored.key(name, agentId) ?? fallback(name, agentId);
  const subscriptions = createSubscriptions({
    db,
    stored,
    keys,
    settings: subscription,
    config: models.config,
    ports: models.ports,
  });
  const connected: ConnectionSource = {
    of: (agentId) => stored.connections(agentId),
    named: (name) => stored.named(name),
    key: (connection) => stored.connectionKey(connection),
    subscription: (connection) => subscriptions.tokens(connection),
    ports: { ...models.ports, fetch: createOutboundFetch() },
  };
  return {
    models: { ...models, key, connected },
    isConfigured: given === undefined,
    stored,
    villageKeys: keys,
    subscriptions,
    textDays,
  };
}
