import type { ModelsSettings } from './models/models-environment.ts';
import type { Services } from '../service/services.ts';
import { startStoredCredentials } from './credentials/stored-credentials.ts';
import type { StoredCredentials } from './credentials/stored-credentials.ts';
import { villageKeys } from './credentials/village-keys.ts';
import type { VillageKeys } from './credentials/village-keys.ts';
import { keyFiles } from '../service/key-files.ts';
import { configuredModels } from './models/village-models.ts';
import type { VillageModels } from './models/village-models.ts';

export interface StartedModels {
  readonly models: VillageModels;
  readonly stored: StoredCredentials;
  readonly villageKeys: VillageKeys;
}

/**
 * The configured models with their keys: a stored key goes before one of the Secret.
 *
 * @param given replaces the configured models.
 */
export async function startModels(
  ports: Pick<Services, 'db' | 'log' | 'monotonicMs'> & { readonly config: { readonly models: ModelsSettings } },
  given?: VillageModels,
): Promise<StartedModels> {
  const { db, log, monotonicMs } = ports;
  const { config, keysFolder, sealingFolder } = ports.config.models;
  const keys = villageKeys(keyFiles(sealingFolder, monotonicMs));
  const stored = await startStoredCredentials({ db, keys, log });
  const files = keyFiles(keysFolder, monotonicMs);
  const fallback = given?.key ?? ((name) => files(name));
  const models = given ?? configuredModels(config, fallback);
  const key: VillageModels['key'] = (name, agentId) => stored.key(name, agentId) ?? fallback(name, agentId);
  return { models: { ...models, key }, stored, villageKeys: keys };
}
