import { readJson } from '@hamlet/core';
import type { OAuthTokens, OAuthTokenStore } from '@hamlet/models';
import { holdCredential, inOneTry, resealCredential, type CredentialRow, type Db } from '@hamlet/store';
import { z } from 'zod';
import { ownerOf, type Connection } from '../connections/connection.ts';
import { openText, sealText } from './envelope.ts';
import type { StoredCredentials } from './stored-credentials.ts';
import type { VillageKeys } from './village-keys.ts';

const Tokens = z.strictObject({
  accessToken: z.string(),
  refreshToken: z.string(),
  accountId: z.string(),
  expiresAtMs: z.number().nullable(),
});

export function tokensOf(text: string | null): OAuthTokens | null {
  return Tokens.safeParse(readJson(text ?? '')).data ?? null;
}

export interface TokenPorts {
  readonly db: Db;
  readonly stored: Pick<StoredCredentials, 'connectionKey' | 'refresh'>;
  readonly keys: VillageKeys;
}

function openedBy(row: CredentialRow | null, keys: VillageKeys): OAuthTokens | null {
  const key = row?.envelope === null || row === null ? null : keys.find(row.envelope.keyId);
  return row === null || row.envelope === null || key === null
    ? null
    : tokensOf(openText(row.envelope, ownerOf(row), key));
}

/** The tokens of a connected subscription. A refresh locks the row, so replicas refresh one after another. */
export function storedTokens(
  { db, stored, keys }: TokenPorts,
  connection: Pick<Connection, 'name' | 'agentId'>,
): OAuthTokenStore {
  const { name, agentId } = connection;
  return {
    load: async () => tokensOf(stored.connectionKey(connection)),
    replace: async (next) => {
      const after = await inOneTry(db, async (tx) => {
        const row = await holdCredential(tx, name, agentId);
        const before = openedBy(row, keys);
        const key = keys.current();
        if (row === null || before === null || key === null) return null;
        const renewed = await next(before);
        if (renewed !== before) await resealCredential(tx, row, sealText(JSON.stringify(renewed), ownerOf(row), key));
        return renewed;
      });
      await stored.refresh();
      return after;
    },
  };
}
