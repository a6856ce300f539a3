import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';

/** A sealed key of a provider. `agentId` is null for the village's. */
export interface CredentialRow {
  readonly name: string;
  readonly agentId: string | null;
  readonly keyId: string;
  readonly sealedDataKey: Buffer;
  readonly sealed: Buffer;
  readonly createdAt: Date;
  readonly createdBy: string;
}

/** Most credentials of a village. */
export const CREDENTIALS_MAX = 1_000;

/** All credentials, by name; those of the village before those of agents. */
export async function readCredentials(db: Db): Promise<readonly CredentialRow[]> {
  const { rows } = await sql<CredentialRow>`
    select name, nullif(agent_id, '') as "agentId", key_id as "keyId", sealed_data_key as "sealedDataKey", sealed,
      created_at as "createdAt", created_by as "createdBy"
    from model_credential order by name, agent_id limit ${CREDENTIALS_MAX}`.execute(db);
  return rows;
}

/** Stores a credential in place of an earlier one. False if the village has its most already. */
export async function putCredential(tx: Tx, row: Omit<CredentialRow, 'createdAt'>): Promise<boolean> {
  const { name, agentId, keyId, sealedDataKey, sealed, createdBy } = row;
  const { rows } = await sql`
    insert into model_credential as stored (name, agent_id, key_id, sealed_data_key, sealed, created_by)
    select ${name}, ${agentId ?? ''}, ${keyId}, ${sealedDataKey}, ${sealed}, ${createdBy}
    where (select count(*) from model_credential) < ${CREDENTIALS_MAX}
      or exists (select 1 from model_credential where name = ${name} and agent_id = ${agentId ?? ''})
    on conflict (name, agent_id) do update set key_id = excluded.key_id, sealed_data_key = excluded.sealed_data_key,
      sealed = excluded.sealed, created_at = clock_timestamp(), created_by = excluded.created_by, rotated_at = null
    returning name`.execute(tx);
  return rows.length > 0;
}

/** False if there is none. */
export async function deleteCredential(tx: Tx, name: string, agentId: string | null): Promise<boolean> {
  const { rows } = await sql`
    delete from model_credential where name = ${name} and agent_id = ${agentId ?? ''} returning name`.execute(tx);
  return rows.length > 0;
}

/** Replaces the sealed data key of a credential, unless it was replaced since it was read. */
export async function rotateCredential(
  tx: Tx,
  before: CredentialRow,
  { keyId, sealedDataKey }: Pick<CredentialRow, 'keyId' | 'sealedDataKey'>,
): Promise<boolean> {
  const { rows } = await sql`
    update model_credential set key_id = ${keyId}, sealed_data_key = ${sealedDataKey}, rotated_at = clock_timestamp()
    where name = ${before.name} and agent_id = ${before.agentId ?? ''} and sealed_data_key = ${before.sealedDataKey}
    returning name`.execute(tx);
  return rows.length > 0;
}
