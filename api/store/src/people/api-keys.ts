import { sql } from 'kysely';
import { byHash } from '../connection/result-rows.ts';
import { type Db, inTransaction } from '../connection/database.ts';
import { prepared } from '../connection/guarded-pool.ts';
import type { Row } from '../connection/tables.generated.ts';
import { type AgentBar, BAR_COLUMNS, type BarColumns, barOf, hardestBar } from '../standing/measures.ts';

export type ApiKey = Pick<Row<'api_key'>, 'name' | 'role' | 'agentId'>;

/** Replaces the valid keys with those of the configuration: adds new ones and revokes others. */
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
        .onConflict((conflict) =>
          conflict.column('key_hash').doUpdateSet({ name, role, agent_id: agentId, revoked_at: null }),
        )
        .execute();
    }
  });
}

/** `bar`: the most severe measure against the agent of the key. */
export type FoundApiKey = ApiKey & { readonly bar: AgentBar | null };

/** The keys with these hashes, in the order of the hashes; null for an unknown or revoked key. */
export async function findApiKeys(db: Db, hashes: readonly Buffer[]): Promise<readonly (FoundApiKey | null)[]> {
  const { rows } = await sql<ApiKey & BarColumns & { readonly hash: Buffer }>`${prepared('api_key')}
    select key.key_hash as hash, key.name, key.role, key.agent_id as "agentId", ${BAR_COLUMNS}
    from api_key as key left join lateral ${hardestBar(sql`key.agent_id`)} on true
    where key.key_hash = any(${hashes}) and key.revoked_at is null`.execute(db);
  return byHash(hashes, rows).map((row) => {
    if (row === null) return null;
    const { name, role, agentId } = row;
    return { name, role, agentId, bar: barOf(row) };
  });
}
