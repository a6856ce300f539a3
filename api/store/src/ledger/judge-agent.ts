import { sql } from 'kysely';
import type { Subject } from '../board/flags.ts';
import type { Tx } from '../connection/database.ts';
import { asMoment, type Moment, firstRow } from '../connection/result-rows.ts';
import type { EntryRow } from './entries.ts';
import { type LedgerRefusal, refusalOfCode } from './refusal.ts';
import { circumstanceJson, type TransferRequest } from './transfer-request.ts';

/** A reward from the treasury or a penalty to the treasury, by a person. */
export interface AgentJudgement extends Pick<
  TransferRequest,
  'amount' | 'key' | 'source' | 'note' | 'actor' | 'about'
> {
  readonly kind: 'reward' | 'penalty';
  readonly agentId: string;
  /** True to open an account for an agent without one. */
  readonly opens: boolean;
  /** The day (`2026-11-22`) whose allowance pays, and the limit of that day in micro-aiDollars. */
  readonly allowance: { readonly day: string; readonly limit: bigint } | null;
  readonly subject: Subject | null;
}

export type AgentJudged =
  | { readonly ok: true; readonly replayed: boolean; readonly entry: EntryRow }
  /** `available`: micro-aiDollars that the account or the allowance still has; 0 for other reasons. */
  | { readonly ok: false; readonly reason: LedgerRefusal | 'allowance_exceeded'; readonly available: bigint };

interface JudgedRow {
  readonly refusal: string | null;
  readonly available: string | null;
  readonly transferId: string;
  readonly replayed: boolean;
  readonly version: number;
  readonly amount: string;
  readonly balanceAfter: string;
  readonly createdAt: Moment;
}

/** The SQLSTATE of ledger.judge for an insufficient allowance of the day. */
const ALLOWANCE_EXCEEDED = 'JD001';

function reasonOf(refusal: string): LedgerRefusal | 'allowance_exceeded' {
  const reason = refusal === ALLOWANCE_EXCEEDED ? 'allowance_exceeded' : refusalOfCode(refusal);
  if (reason === null) throw new Error(`the ledger refused a judgement with the unknown code ${refusal}`);
  return reason;
}

function judgedOf(row: JudgedRow, { kind, source, note, about }: AgentJudgement): AgentJudged {
  if (row.refusal !== null) return { ok: false, reason: reasonOf(row.refusal), available: BigInt(row.available ?? 0) };
  const { transferId, replayed, version, createdAt } = row;
  // The ledger refuses a different request with the same key, so these fields are also right for a replayed entry.
  const said = { reason: kind, source, note, relatedPostId: about?.relatedPostId ?? null };
  return {
    ok: true,
    replayed,
    entry: {
      ...said,
      transferId,
      version,
      createdAt,
      amount: BigInt(row.amount),
      balanceAfter: BigInt(row.balanceAfter),
    },
  };
}

/** Moves the money, and counts it towards the allowance and the post or reply. A `subject` needs a viewer (setViewer). */
export async function judgeAgent(tx: Tx, judgement: AgentJudgement): Promise<AgentJudged> {
  const { kind, agentId, opens, amount, key, source, note, actor, about, allowance, subject } = judgement;
  const { rows } = await sql<JudgedRow>`
    select refusal, available::text, transfer_id as "transferId", replayed, version, amount::text, balance_after::text as "balanceAfter", ${asMoment(sql`created_at`)} as "createdAt"
    from ledger.judge(${kind}, ${agentId}, ${opens}, ${String(amount)}, ${key}, ${source}, ${note}, ${actor.role}, ${actor.id}, ${circumstanceJson(about)},
      ${allowance?.day ?? null}, ${allowance === null ? null : String(allowance.limit)}, ${subject?.postId ?? null}, ${subject?.replyId ?? null})
  `.execute(tx);
  return judgedOf(firstRow(rows, 'the ledger returned no row'), judgement);
}
