import { readFile } from 'node:fs/promises';
import { replaceApiKeys, type ApiKey, type Db } from '@hamlet/store';
import { z } from 'zod';
import { hashOf } from './secrets.ts';

const KEY_MIN_CHARS = 16;
const Key = z.string().min(KEY_MIN_CHARS, `write an API key of at least ${KEY_MIN_CHARS} characters`);

const ApiKeysFile = z.strictObject({
  adminToken: Key.optional(),
  memberToken: Key.optional(),
  operatorToken: Key.optional(),
  brokerToken: Key.optional(),
  agentTokens: z.record(z.string(), Key).optional(),
});

/** Replaces all API keys in the database with those in a file. Without a file, deletes them all. */
export async function loadApiKeys(db: Db, file: string | undefined): Promise<void> {
  const keys = ApiKeysFile.parse(file === undefined ? {} : JSON.parse(await readFile(file, 'utf8')));
  const named = (
    role: ApiKey['role'],
    token: string | undefined,
    agentId: string | null = null,
  ): readonly (ApiKey & { hash: Buffer })[] =>
    token === undefined ? [] : [{ name: agentId ?? role, role, agentId, hash: hashOf(token) }];
  await replaceApiKeys(db, [
    ...named('admin', keys.adminToken),
    ...named('member', keys.memberToken),
    ...named('operator', keys.operatorToken),
    ...named('broker', keys.brokerToken),
    ...Object.entries(keys.agentTokens ?? {}).flatMap(([agentId, token]) => named('agent', token, agentId)),
  ]);
}
