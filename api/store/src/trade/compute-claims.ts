import type { ClaimRefusal } from '@hamlet/contract';
import { type Selectable, sql } from 'kysely';
import { type Db, lockName, type Tx } from '../connection/database.ts';
import { firstRow } from '../connection/result-rows.ts';
import type { Tables } from '../connection/tables.generated.ts';

/** The hold that pays for an agent's pod, and its meter. Amounts in micro-aiDollars. */
export interface ClaimHold {
  readonly tier: string;
  readonly holdId: string;
  readonly perHour: bigint;
  readonly amount: bigint;
  readonly until: Date;
  /** True if the API refused to renew the hold and notified the operator; the hold ends at `until`. */
  readonly renewalRefused: boolean;
  readonly usedMs: number;
  /** The pod whose time is charged, and the start of that time; null while no pod runs. */
  readonly pod: { readonly uid: string; readonly since: Date } | null;
  readonly imageDigest: string | null;
  readonly traceparent: string | null;
}

/** A tier for which the API refused a hold. `payable` is the highest lower tier that the agent can pay. */
export interface RefusedTier {
  readonly tier: string;
  readonly reason: Exclude<ClaimRefusal, 'HoldPending'>;
  readonly payable: string | null;
}

export interface ClaimRow {
  readonly agentId: string;
  readonly uid: string;
  readonly version: number;
  readonly cycle: number;
  readonly askedAt: Date;
  readonly hold: ClaimHold | null;
  readonly refused: RefusedTier | null;
}

type Raw = Selectable<Tables['compute_claim']>;

function holdOf({ tier, hold_id: holdId, per_hour: perHour, amount, until, ...raw }: Raw): ClaimHold | null {
  if (tier === null || holdId === null || perHour === null || amount === null || until === null) return null;
  const { running_since: since, pod_uid: uid } = raw;
  return {
    tier,
    holdId,
    perHour: BigInt(perHour),
    amount: BigInt(amount),
    until,
    renewalRefused: raw.told,
    usedMs: raw.used_ms,
    pod: since === null || uid === null ? null : { uid, since },
    imageDigest: raw.image_digest,
    traceparent: raw.traceparent,
  };
}

function refusedOf({ refused_tier: tier, refused_reason: reason, payable_tier: payable }: Raw): RefusedTier | null {
  return tier === null || reason === null ? null : { tier, reason, payable };
}

function rowOf(raw: Raw): ClaimRow {
  return {
    agentId: raw.agent_id,
    uid: raw.uid,
    version: raw.version,
    cycle: raw.cycle,
    askedAt: raw.asked_at,
    hold: holdOf(raw),
    refused: refusedOf(raw),
  };
}

/** Reads the claim of an agent and locks it until the transaction ends, even if it does not exist yet. */
export async function lockClaim(tx: Tx, agentId: string): Promise<ClaimRow | null> {
  await lockName(tx, `claim ${agentId}`);
  const raw = await tx.selectFrom('compute_claim').selectAll().where('agent_id', '=', agentId).executeTakeFirst();
  return raw === undefined ? null : rowOf(raw);
}

export async function readClaims(db: Db, agentIds?: readonly string[]): Promise<readonly ClaimRow[]> {
  const raws = await db
    .selectFrom('compute_claim')
    .selectAll()
    .$if(agentIds !== undefined, (query) => query.where(sql<boolean>`agent_id = any(${agentIds})`))
    .orderBy('agent_id')
    .execute();
  return raws.map(rowOf);
}

/** The next version of an agent's claim, which the caller has locked. */
export async function nextClaimVersion(tx: Tx): Promise<number> {
  const { rows } = await sql<{ version: number }>`select nextval('compute_claim_version') as version`.execute(tx);
  return firstRow(rows, 'the database returned no version of a claim').version;
}

const NO_HOLD = {
  tier: null,
  hold_id: null,
  per_hour: null,
  amount: null,
  until: null,
  told: false,
  used_ms: 0,
  running_since: null,
  pod_uid: null,
  image_digest: null,
  traceparent: null,
} as const;

function holdColumns(hold: ClaimHold): Pick<Raw, keyof typeof NO_HOLD> {
  return {
    tier: hold.tier,
    hold_id: hold.holdId,
    per_hour: Number(hold.perHour),
    amount: Number(hold.amount),
    until: hold.until,
    told: hold.renewalRefused,
    used_ms: hold.usedMs,
    running_since: hold.pod?.since ?? null,
    pod_uid: hold.pod?.uid ?? null,
    image_digest: hold.imageDigest,
    traceparent: hold.traceparent,
  };
}

/** The caller has locked the claim. */
export async function writeClaim(
  tx: Tx,
  { agentId, uid, version, cycle, askedAt, hold, refused }: ClaimRow,
): Promise<void> {
  const values: Omit<Raw, 'agent_id'> = {
    uid,
    version,
    cycle,
    asked_at: askedAt,
    ...(hold === null ? NO_HOLD : holdColumns(hold)),
    refused_tier: refused?.tier ?? null,
    refused_reason: refused?.reason ?? null,
    payable_tier: refused?.payable ?? null,
  };
  await tx
    .insertInto('compute_claim')
    .values({ agent_id: agentId, ...values })
    .onConflict((conflict) => conflict.column('agent_id').doUpdateSet(values))
    .execute();
}

/** Deletes a claim without a hold; the caller has locked the claim. */
export async function forgetClaim(tx: Tx, agentId: string): Promise<void> {
  await tx.deleteFrom('compute_claim').where('agent_id', '=', agentId).execute();
}

/** A hold for compute without a claim, or a claim whose hold has ended. */
interface ClaimFault {
  readonly fault: 'hold_without_claim' | 'claim_without_hold';
  readonly holdId: string;
  readonly agentId: string;
}

/** Mismatches of holds and claims, which only a bug can cause. */
export async function readClaimFaults(db: Db): Promise<readonly ClaimFault[]> {
  return db.selectFrom('compute_claim_fault').select(['fault', 'hold_id as holdId', 'agent_id as agentId']).execute();
}
