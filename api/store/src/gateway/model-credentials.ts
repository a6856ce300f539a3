import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';

export const MODEL_CREDENTIALS_CHANNEL = 'model_credential';

/** A sealed text, as `model_credential` stores it. */
export interface SealedText {
  readonly keyId: string;
  readonly sealedDataKey: Buffer;
  readonly sealed: Buffer;
}

export interface CredentialTest {
  readonly at: Date;
  readonly ok: boolean;
  readonly ms: number;
  readonly code: string | null;
  readonly message: string | null;
}

/** A sealed key, or a connected provider with its key. `agentId` is null for the village's. */
export interface CredentialRow {
  readonly name: string;
  readonly agentId: string | null;
  /** Null for a provider without a key. */
  readonly envelope: SealedText | null;
  /** First digits of the SHA-256 of the key; null for a key from an older version. */
  readonly fingerprint: string | null;
  /** Kind, address and models of a connected provider, unparsed; null for a plain key. */
  readonly provider: unknown;
  /** Prices of a connected provider, unparsed. */
  readonly prices: unknown;
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly test: CredentialTest | null;
  /** The tested abilities by model, unparsed; null before the first test. */
  readonly tested: unknown;
}

/** Maximum number of credentials of a village. */
export const CREDENTIALS_MAX = 1_000;

type Flat = Pick<
  CredentialRow,
  'name' | 'agentId' | 'fingerprint' | 'provider' | 'prices' | 'createdAt' | 'createdBy' | 'tested'
> & { readonly [field in keyof SealedText]: SealedText[field] | null } & {
  readonly testedAt: Date | null;
  readonly testOk: boolean | null;
  readonly testMs: number | null;
  readonly testCode: string | null;
  readonly testMessage: string | null;
};

function envelopeOf({ keyId, sealedDataKey, sealed }: Flat): SealedText | null {
  return keyId === null || sealedDataKey === null || sealed === null ? null : { keyId, sealedDataKey, sealed };
}

function testOf({
  testedAt: at,
  testOk: ok,
  testMs: ms,
  testCode: code,
  testMessage: message,
}: Flat): CredentialTest | null {
  return at === null || ok === null || ms === null ? null : { at, ok, ms, code, message };
}

function rowOf(flat: Flat): CredentialRow {
  const { name, agentId, fingerprint, provider, prices, createdAt, createdBy, tested } = flat;
  const facts = { name, agentId, fingerprint, provider, prices, createdAt, createdBy, tested };
  return { ...facts, envelope: envelopeOf(flat), test: testOf(flat) };
}

const COLUMNS = sql`name, nullif(agent_id, '') as "agentId", key_id as "keyId", sealed_data_key as "sealedDataKey", sealed,
  fingerprint, provider, prices, created_at as "createdAt", created_by as "createdBy", tested_at as "testedAt",
  test_ok as "testOk", test_ms as "testMs", test_code as "testCode", test_message as "testMessage",
  tested_models as "tested"`;

/** All credentials, by name; those of the village before those of agents. */
export async function readCredentials(db: Db): Promise<readonly CredentialRow[]> {
  const { rows } = await sql<Flat>`
    select ${COLUMNS} from model_credential order by name, agent_id limit ${CREDENTIALS_MAX}`.execute(db);
  return rows.map(rowOf);
}

export async function holdCredential(tx: Tx, name: string, agentId: string | null): Promise<CredentialRow | null> {
  const { rows } = await sql<Flat>`
    select ${COLUMNS} from model_credential where name = ${name} and agent_id = ${agentId ?? ''} for update`.execute(
    tx,
  );
  return rows[0] === undefined ? null : rowOf(rows[0]);
}

export type NewCredential = Pick<
  CredentialRow,
  'name' | 'agentId' | 'envelope' | 'fingerprint' | 'provider' | 'prices' | 'createdBy'
>;

const jsonOf = (value: unknown): string | null =>
  value === null || value === undefined ? null : JSON.stringify(value);

/** Stores or replaces a credential and clears its test result. Null if the village already has the maximum number. */
export async function putCredential(tx: Tx, row: NewCredential): Promise<CredentialRow | null> {
  const { name, agentId, envelope, fingerprint, provider, prices, createdBy } = row;
  const { rows } = await sql<Flat>`
    insert into model_credential as stored
      (name, agent_id, key_id, sealed_data_key, sealed, fingerprint, provider, prices, created_by)
    select ${name}, ${agentId ?? ''}, ${envelope?.keyId ?? null}, ${envelope?.sealedDataKey ?? null}::bytea,
      ${envelope?.sealed ?? null}::bytea, ${fingerprint}, ${jsonOf(provider)}::jsonb, ${jsonOf(prices)}::jsonb, ${createdBy}
    where (select count(*) from model_credential) < ${CREDENTIALS_MAX}
      or exists (select 1 from model_credential where name = ${name} and agent_id = ${agentId ?? ''})
    on conflict (name, agent_id) do update set key_id = excluded.key_id, sealed_data_key = excluded.sealed_data_key,
      sealed = excluded.sealed, fingerprint = excluded.fingerprint, provider = excluded.provider, prices = excluded.prices,
      created_at = clock_timestamp(), created_by = excluded.created_by, rotated_at = null, tested_at = null, test_ok = null,
      test_ms = null, test_code = null, test_message = null, tested_models = null
    returning ${COLUMNS}`.execute(tx);
  return rows[0] === undefined ? null : rowOf(rows[0]);
}

export async function resealCredential(
  tx: Tx,
  { name, agentId }: Pick<CredentialRow, 'name' | 'agentId'>,
  { keyId, sealedDataKey, sealed }: SealedText,
): Promise<void> {
  await sql`
    update model_credential set key_id = ${keyId}, sealed_data_key = ${sealedDataKey}, sealed = ${sealed}
    where name = ${name} and agent_id = ${agentId ?? ''}`.execute(tx);
}

export async function priceProvider(
  tx: Tx,
  { name, agentId }: Pick<CredentialRow, 'name' | 'agentId'>,
  prices: object,
): Promise<boolean> {
  const { rows } = await sql`
    update model_credential set prices = ${JSON.stringify(prices)}::jsonb
    where name = ${name} and agent_id = ${agentId ?? ''} and provider is not null returning name`.execute(tx);
  return rows.length > 0;
}

interface NewCredentialTest extends Omit<CredentialTest, 'at'> {
  /** By default now. */
  readonly at?: Date;
  /** The abilities of all tested models; null leaves them as they are. */
  readonly tested: object | null;
}

/** Records the outcome of a test, unless the credential was replaced since it was read. */
export async function recordCredentialTest(
  tx: Tx,
  { name, agentId, createdAt }: Pick<CredentialRow, 'name' | 'agentId' | 'createdAt'>,
  { at, ok, ms, code, message, tested }: NewCredentialTest,
): Promise<void> {
  await sql`
    update model_credential set tested_at = coalesce(${at ?? null}::timestamptz, clock_timestamp()), test_ok = ${ok}, test_ms = ${ms}, test_code = ${code},
      test_message = ${message}, tested_models = coalesce(${jsonOf(tested)}::jsonb, tested_models)
    where name = ${name} and agent_id = ${agentId ?? ''} and date_trunc('milliseconds', created_at) = ${createdAt}`.execute(
    tx,
  );
}

export async function deleteCredential(tx: Tx, name: string, agentId: string | null): Promise<boolean> {
  const { rows } = await sql`
    delete from model_credential where name = ${name} and agent_id = ${agentId ?? ''} returning name`.execute(tx);
  return rows.length > 0;
}

/** Replaces the sealed data key of a credential, unless it was replaced since it was read. */
export async function rotateCredential(
  tx: Tx,
  before: Pick<CredentialRow, 'name' | 'agentId'> & { readonly envelope: SealedText },
  { keyId, sealedDataKey }: Pick<SealedText, 'keyId' | 'sealedDataKey'>,
): Promise<boolean> {
  const { rows } = await sql`
    update model_credential set key_id = ${keyId}, sealed_data_key = ${sealedDataKey}, rotated_at = clock_timestamp()
    where name = ${before.name} and agent_id = ${before.agentId ?? ''}
      and sealed_data_key = ${before.envelope.sealedDataKey}
    returning name`.execute(tx);
  return rows.length > 0;
}
