import type { CallData, listModelCredentials, ModelCredential, ProviderUsers } from '@hamlet/contract';
import { FoundAbilities } from '@hamlet/contract';
import type { ModelsConfig } from '@hamlet/models';
import type { CredentialRow, CredentialTest, ProviderTestRow } from '@hamlet/store';
import { storedProvider, testedModels } from '../connections/connection.ts';
import type { readProviderUsers } from '../models/provider-users.ts';

type UsersOf = Awaited<ReturnType<typeof readProviderUsers>>;
type Listed = CallData<typeof listModelCredentials>;

export const NO_USERS: ProviderUsers = { agents: [], total: 0 };

function testView(test: CredentialTest | null): ModelCredential['last_test'] {
  return test === null ? null : { ...test, at: test.at.toISOString() };
}

/** The tests of the models of one provider. */
function testsView(
  rows: readonly ProviderTestRow[],
): Pick<Listed['configured'][number], 'last_test' | 'tested_models'> {
  const newest = rows.toSorted((one, other) => other.at.getTime() - one.at.getTime())[0];
  const tested = rows.flatMap(({ model, abilities }) => {
    const found = FoundAbilities.safeParse(abilities);
    return found.success ? [{ model, ...found.data }] : [];
  });
  if (newest === undefined) return { last_test: null, tested_models: [] };
  const { at, ms, code, message } = newest;
  return { last_test: testView({ at, ms, code, message, ok: code === null }), tested_models: tested };
}

/** A stored credential as the API returns it. A provider that this version cannot read is shown as a key only. Pure. */
export function credentialView(row: CredentialRow, users: ProviderUsers): ModelCredential {
  const { name, agentId, envelope, fingerprint, createdAt, createdBy, test } = row;
  return {
    name,
    agent_id: agentId,
    key_id: envelope?.keyId ?? null,
    fingerprint,
    created_at: createdAt.toISOString(),
    created_by: createdBy,
    provider: storedProvider(row),
    last_test: testView(test),
    tested_models: testedModels(row),
    used_by: users,
  };
}

export function usersOfRow(
  row: CredentialRow,
  { providers }: Pick<ModelsConfig, 'providers'>,
  usersOf: UsersOf,
): ProviderUsers {
  const { name, agentId } = row;
  if (row.provider !== null)
    return usersOf(({ connection }) => connection?.name === name && connection.agentId === agentId);
  return usersOf(({ connection, provider }) => {
    const settings = providers[provider];
    return connection === null && settings !== undefined && 'credential' in settings && settings.credential === name;
  });
}

export function neededCredentials({
  providers,
}: Pick<ModelsConfig, 'providers'>): ReadonlyMap<string, readonly string[]> {
  const needed = new Map<string, string[]>();
  for (const [provider, settings] of Object.entries(providers)) {
    const name = 'credential' in settings ? settings.credential : undefined;
    if (name !== undefined) needed.set(name, [...(needed.get(name) ?? []), provider]);
  }
  return needed;
}

export function isConfiguredName(name: string, config: Pick<ModelsConfig, 'providers'>): boolean {
  return Object.hasOwn(config.providers, name) || neededCredentials(config).has(name);
}

interface AboutConfigured {
  readonly hasKey: (name: string) => boolean;
  readonly usersOf: UsersOf;
  readonly tests: readonly ProviderTestRow[];
}

export function configuredView(
  { providers }: Pick<ModelsConfig, 'providers'>,
  { hasKey, usersOf, tests }: AboutConfigured,
): Listed['configured'] {
  return Object.entries(providers).map(([name, settings]) => {
    const credential = ('credential' in settings ? settings.credential : undefined) ?? null;
    return {
      name,
      kind: settings.kind,
      base_url: 'baseUrl' in settings ? settings.baseUrl : null,
      credential,
      available: credential === null || hasKey(credential),
      ...testsView(tests.filter(({ provider }) => provider === name)),
      used_by: usersOf((used) => used.connection === null && used.provider === name),
    };
  });
}
