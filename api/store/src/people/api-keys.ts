import { sql } from 'kysely';
import { inTransaction } from '../connection/database.ts';
import type { Db } from '../connection/database.ts';

export interface ApiKey {
  readonly name: string;
  readonly role: 'member' | 'admin' | 'agent' | 'operator';
  readonly agentId: string | null;
}

/** Makes the keys of the configuration the only ones that count: new ones enter, others are revoked. */
export async function replaceApiKeys(db: Db, keys: readonly (ApiKey & { readonly hash: Uint8Array })[]): Promise<void> {
  await inTransaction(db, async (tx) => {
    const hashes = keys.map(({ hash }) => Buffer.from(hash));
    await tx
      .updateTable('api_key')
      .set({ revoked_at: sql`now()` })
      .where('revoked_at', 'is', null)
      .$if(hashes.length > 0, (query) => query.where('key_hash', 'not in', hashes))
      .execute();
    for (const { hash, name, role, agentId } of keys) {
      await tx
        .insertInto('api_key')
        .values({ key_hash: Buffer.from(hash), name, role, agent_id: agentId })
        .onConflict((conflict) => conflict.column('key_hash').doUpdateSet({ name, role, agent_id: agentId, revoked_at: null }))
        .execute();
    }
  });
}

export async function findApiKey(db: Db, hash: Uint8Array): Promise<ApiKey | null> {
  const row = await db.selectFrom('api_key').select(['name', 'role', 'agent_id as agentId']).where('key_hash', '=', Buffer.from(hash)).where('revoked_at', 'is', null).executeTakeFirst();
  return row ?? null;
}
