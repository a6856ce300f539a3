import {
  deleteExpiredModelTexts,
  forgetOldModelRequests,
  inTransaction,
  markLostModelRequests,
  recordAudits,
} from '@hamlet/store';
import type { Registry } from 'prom-client';
import { job } from '../service/jobs.ts';
import type { Job } from '../service/jobs.ts';
import { lostLine } from './texts/call-seal.ts';
import { requestLife } from './admit-request.ts';
import type { GatewayPorts } from './admit-request.ts';
import { createGatewayMetrics } from './gateway-metrics.ts';
import type { CredentialParts } from './credentials/credential-handlers.ts';
import type { StoredCredentials } from './credentials/stored-credentials.ts';
import type { VillageKeys } from './credentials/village-keys.ts';
import type { Subscriptions } from './credentials/subscriptions.ts';
import { ProviderQueue } from './provider-queue.ts';
import { startStreamBrakes } from './stream-brakes.ts';
import type { BrakePorts } from './stream-brakes.ts';
import { openCatalog } from './models/village-models.ts';
import type { VillageModels } from './models/village-models.ts';

const EVERY_MS = 30_000;
const TEXTS_AT_ONCE = 5_000;

export interface GatewayStart
  extends Omit<GatewayPorts, 'catalog' | 'queue' | 'answerTimes' | 'metrics' | 'brakes'>, BrakePorts {
  readonly registry: Registry;
  readonly models: VillageModels;
  readonly stored: StoredCredentials;
  readonly villageKeys: VillageKeys;
  readonly subscriptions: Subscriptions;
}

export interface Gateway extends GatewayPorts {
  readonly credentials: CredentialParts;
  readonly jobs: readonly Job[];
  stop(): Promise<void>;
}

/** Opens the gateway. Its job marks a request as lost if the request's replica ended first. */
export function openGateway({
  registry,
  models,
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
  const jobs = [job({ name: 'lost-model-requests', everyMs: EVERY_MS, run: sweep })];
  const catalog = openCatalog(models);
  const placesOf = (provider: string): number | undefined => catalog.placesOf(provider);
  const queue = new ProviderQueue({ placesOf, ...models.config.queue });
  return {
    ...ports,
    catalog,
    queue,
    answerTimes,
    credentials: { stored, villageKeys, subscriptions, models, hasKey: (name) => models.key(name, null) !== null },
    brakes: startStreamBrakes({ freeze, standing }),
    metrics: createGatewayMetrics(registry, queue),
    jobs,
    stop: () => stored.stop(),
  };
}
