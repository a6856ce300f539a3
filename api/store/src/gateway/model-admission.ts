import { MEASURES, type Measure } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { prepared } from '../connection/guarded-pool.ts';
import { firstRow } from '../connection/result-rows.ts';
import type { Funds } from '../ledger/balances.ts';
import { type LedgerRefusal, refusalOfCode } from '../ledger/refusal.ts';
import { type Circumstance, circumstanceJson } from '../ledger/transfer-request.ts';
import { HAS_BEGUN } from '../runs/run-row.ts';
import type { AgentBar } from '../standing/measures.ts';
import type { ModelHour, ModelRequestRow, RequestLife } from './model-requests.ts';

/** The money to hold until the request has ended. */
interface ModelPayment {
  /** Micro-aiDollars; zero holds nothing. */
  readonly amount: bigint;
  readonly lastsMs: number;
  readonly note: string;
  readonly about: Circumstance;
}

/** The token of a cached caller, for the admission to verify. */
export interface CallerProof {
  /** SHA-256 of the token. */
  readonly tokenHash: Uint8Array;
  /** The cycle of the token; for an API key, the agent's present cycle. */
  readonly cycle: number;
}

/** A request for admission. `reservedTokens`: tokens of the hour that are set aside until it ends. */
export interface AskedAdmission extends Pick<
  ModelRequestRow,
  'agentId' | 'agentUid' | 'podUid' | 'runId' | 'tier' | 'model' | 'provider' | 'reservedTokens'
> {
  readonly inFlightMax: number;
  /** Tokens that the agent may use in an hour. */
  readonly quota: number;
  readonly life: RequestLife;
  /** Null if the caller was read for this request. */
  readonly proof: CallerProof | null;
  /** Null if the request has to wait and pays later. */
  readonly payment: ModelPayment | null;
}

/**
 * `hour`: the agent's use before the request. An unpaid request is stored as ended. `in_run`: nothing is stored, because the request names no
 * run but its agent works on one, whose budgets count; find that run and ask again.
 */
export type Admission =
  | {
      readonly verdict: 'admitted';
      readonly requestId: string;
      /** Null without a hold. */
      readonly holdId: string | null;
      readonly hour: ModelHour;
    }
  | { readonly verdict: 'too_many_in_flight' | 'token_quota_exhausted'; readonly hour: ModelHour }
  | { readonly verdict: 'barred'; readonly bar: AgentBar }
  | { readonly verdict: 'no_account' | 'token_invalid' | 'stale_cycle' | 'in_run' }
  | { readonly verdict: 'unpaid'; readonly reason: LedgerRefusal; readonly funds: Pick<Funds, 'balance' | 'held'> };

interface AdmissionRow extends ModelHour {
  /** Null for `in_run`. */
  readonly verdict: string | null;
  readonly requestId: string;
  readonly holdId: string | null;
  readonly measure: Measure;
  readonly reason: string;
  readonly expiresAt: Date | null;
  readonly balance: string;
  readonly held: string;
}

function admissionOf(row: AdmissionRow): Admission {
  const { verdict, requestId, holdId, used, resetsInS, inFlight, balance, held } = row;
  switch (verdict) {
    case null:
      return { verdict: 'in_run' };
    case 'admitted':
      return { verdict, requestId, holdId, hour: { used, resetsInS, inFlight } };
    case 'too_many_in_flight':
    case 'token_quota_exhausted':
      return { verdict, hour: { used, resetsInS, inFlight } };
    case 'barred':
      return { verdict, bar: { measure: row.measure, reason: row.reason, expiresAt: row.expiresAt } };
    case 'no_account':
    case 'token_invalid':
    case 'stale_cycle':
      return { verdict };
    default: {
      const reason = refusalOfCode(verdict);
      if (reason === null) throw new Error(`unexpected admission verdict from the database: ${verdict}`);
      return { verdict: 'unpaid', reason, funds: { balance: BigInt(balance), held: BigInt(held) } };
    }
  }
}

/**
 * Admits a request in one statement that locks the agent's hour: looks for a run of the agent unless one is given, verifies
 * the caller's proof, checks limits and measures, holds the money and stores the request. A request fits if fewer than
 * `inFlightMax` are under way and its tokens are left in the hour. Throws during a freeze of the village. The commit does not
 * wait for the disk.
 */
export async function admitModelRequest(db: Db, asked: AskedAdmission): Promise<Admission> {
  const { agentId, agentUid, podUid, runId, tier, model, provider, reservedTokens, inFlightMax, quota, life } = asked;
  const { payment, proof } = asked;
  const [name, caller] =
    proof === null
      ? (['admit_model_request', sql``] as const)
      : (['admit_model_caller', sql`${Buffer.from(proof.tokenHash)}, ${proof.cycle},`] as const);
  // Postgres does not merge a query with a volatile function into the one around it, so the function runs once.
  const { rows } = await sql<AdmissionRow>`${prepared(name)}
    select (a).verdict, (a).request_id as "requestId", (a).used, (a).resets_in_s as "resetsInS", (a).in_flight as "inFlight",
      (a).hold_id as "holdId", (a).measure, (a).reason, (a).expires_at as "expiresAt", (a).balance::text, (a).held::text
    from (select case
      when ${runId}::uuid is not null
        or not exists (select from run where run.agent_id = ${agentId} and run.agent_uid = ${agentUid} and ${HAS_BEGUN})
      then ${sql.raw(name)}(${caller}
        ${agentId}, ${agentUid}, ${podUid}, ${runId}, ${tier}, ${model}, ${provider}, ${reservedTokens}, ${inFlightMax}, ${quota}, ${life.limitS},
        ${payment !== null}, ${String(payment?.amount ?? 0n)}, ${payment?.lastsMs ?? 0}, ${payment?.note ?? ''}, ${circumstanceJson(payment?.about)},
        ${MEASURES}) end as a) admission`.execute(db);
  return admissionOf(firstRow(rows, 'the database returned no admission'));
}
