import type { ModelsSettings } from './models/models-environment.ts';
import type { Services } from '../service/services.ts';
import { startStoredCredentials } from './credentials/stored-credentials.ts';
import type { StoredCredentials } from './credentials/stored-credentials.ts';
import { villageKeys } from './credentials/village-keys.ts';
import type { VillageKeys } from './credentials/village-keys.ts';
import { keyFiles } from '../service/key-files.ts';
import { configuredModels } from './models/village-models.ts';
import type { ConnectionSource, VillageModels } from './models/village-models.ts';
import { createSubscriptions } from './credentials/subscriptions.ts';
import type { Subscriptions } from './credentials/subscriptions.ts';
import { createOutboundFetch } from './connections/outbound-fetch.ts';

export interface StartedModels {
  readonly models: VillageModels;
  readonly stored: StoredCredentials;
  readonly villageKeys: VillageKeys;
  readonly subscriptions: Subscriptions;
  readonly textDays: number;
}

/**
 * The configured models with their keys, and the providers that admins have connected: a stored key goes before one of
 * the Secret.
 *
 * @param given replaces the configured models.
 */
export async function startModels(
  ports: Pick<Services, 'db' | 'listenUrl' | 'log' | 'monotonicMs'> & {
    readonly config: { readonly models: ModelsSettings };
  },
  given?: VillageModels,
): Promise<StartedModels> {
  const { db, listenUrl, log, monotonicMs } = ports;
  const { config, keysFolder, sealingFolder, subscription, textDays } = ports.config.models;
  const keys = villageKeys(keyFiles(sealingFolder, monotonicMs));
  const files = keyFiles(keysFolder, monotonicMs);
  const fallback = given?.key ?? ((name) => files(name));
  const models = given ?? configuredModels(config, fallback);
  const stored = await startStoredCredentials({ db, listenUrl, keys, log, shared: models.config });
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
    stored,
    villageKeys: keys,
    subscriptions,
    textDays,
  };
}
