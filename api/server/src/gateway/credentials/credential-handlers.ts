import { SUBSCRIPTION_NOTICE } from '@hamlet/models';
import { deleteCredential, inTransaction, readCredentials, readProviderTests } from '@hamlet/store';
import { recordAct } from '../../audit/record-act.ts';
import { plain, type Handlers } from '../../http/handler.ts';
import { accepted } from '../../http/outcome.ts';
import { testOf } from '../configured/models-to-test.ts';
import { readProviderUsers } from '../models/provider-users.ts';
import type { VillageModels } from '../models/village-models.ts';
import type { Subscriptions } from './subscriptions.ts';
import { configuredView, credentialView, neededCredentials, usersOfRow } from './credential-view.ts';
import { putModelCredential } from './put-credential.ts';
import type { StoredCredentials } from './stored-credentials.ts';
import { listOfferedModels } from './offered-models.ts';
import { testModel } from './test-model.ts';
import type { VillageKeys } from './village-keys.ts';
import type { Village } from '../../village.ts';

export interface CredentialParts {
  readonly stored: StoredCredentials;
  readonly villageKeys: VillageKeys;
  readonly subscriptions: Subscriptions;
  readonly models: VillageModels;
  readonly hasKey: (name: string) => boolean;
}

function listModelCredentials({ db, source, gateway }: Village): Handlers['listModelCredentials'] {
  const { villageKeys, hasKey, models, subscriptions } = gateway.credentials;
  const { config } = models;
  return plain(async () => {
    const usersOf = await readProviderUsers({ db, source, gateway });
    const rows = await readCredentials(db);
    const stored = await readProviderTests(db);
    const tests = gateway.tests.models().flatMap((model) => testOf(model, stored) ?? []);
    return accepted({
      enabled: villageKeys.current() !== null,
      subscription: { enabled: subscriptions.settings !== null, notice: SUBSCRIPTION_NOTICE },
      credentials: rows.map((row) => credentialView(row, usersOfRow(row, config, usersOf))),
      configured: configuredView(config, { hasKey, usersOf, tests }),
      needed: [...neededCredentials(config)].map(([name, providers]) => ({
        name,
        providers: [...providers],
        available: hasKey(name),
      })),
    });
  });
}

function deleteModelCredential({ db, gateway, log }: Village): Handlers['deleteModelCredential'] {
  const { stored, subscriptions } = gateway.credentials;
  return plain(async (request) => {
    const { name } = request.params;
    const agentId = request.query.agent_id ?? null;
    const connection = stored.connection(name, agentId);
    const isSignIn = connection?.provider.kind === 'openai-subscription';
    const tokens = isSignIn ? stored.connectionKey(connection) : null;
    const removed = await inTransaction(db, async (tx) => {
      if (!(await deleteCredential(tx, name, agentId))) return false;
      await recordAct(tx, request, { action: 'models.credential_delete', object: name, detail: { agent_id: agentId } });
      return true;
    });
    await stored.refresh();
    if (removed && isSignIn && !(await subscriptions.revoke(tokens)))
      log('warn', 'a removed subscription sign-in was not revoked: end it at the provider', {
        name,
        agent_id: agentId,
      });
    return accepted({ removed });
  });
}

export function credentialHandlers(village: Village) {
  return {
    putModelCredential: putModelCredential(village),
    listModelCredentials: listModelCredentials(village),
    deleteModelCredential: deleteModelCredential(village),
    listOfferedModels: listOfferedModels(village),
    testModel: testModel(village),
  } satisfies Partial<Handlers>;
}
