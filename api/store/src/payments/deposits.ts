import type { CreditState } from '@hamlet/contract';
import { type RawBuilder, sql, type UpdateObject } from 'kysely';
import { type Db, lockName, type Tx } from '../connection/database.ts';
import { COLUMNS, type Row, type Tables } from '../connection/tables.generated.ts';
import type { LedgerActor } from '../ledger/transfer-request.ts';

type Raw = Row<'deposit'>;

/**
 * A payment from outside and the state of its credit. Amounts in micro-aiDollars; `net` is the amount after refunds and
 * reversals. `leg` numbers the credits: it grows when reversed money returns.
 */
export type Deposit = Readonly<Omit<Raw, 'amount' | 'net'>> & { readonly amount: bigint; readonly net: bigint };

const depositOf = (raw: Raw): Deposit => ({ ...raw, amount: BigInt(raw.amount), net: BigInt(raw.net) });

type NewDeposit = Pick<Deposit, 'provider' | 'transactionId' | 'agentId' | 'amount' | 'origin' | 'note'> & {
  readonly actor: LedgerActor;
};

/** Proposes a deposit; null if the payment already has one that was not rejected. Waits for concurrent proposals. */
export async function proposeDeposit(
  tx: Tx,
  { provider, transactionId, agentId, amount, origin, note, actor }: NewDeposit,
): Promise<Deposit | null> {
  const row = await tx
    .insertInto('deposit')
    .values({
      provider,
      transaction_id: transactionId,
      agent_id: agentId,
      amount: String(amount),
      state: 'proposed',
      origin,
      note,
      requested_role: actor.role,
      requested_by: actor.id,
    })
    .onConflict((conflict) =>
      conflict.columns(['provider', 'transaction_id']).where('state', '<>', 'rejected').doNothing(),
    )
    .returning(COLUMNS.deposit)
    .executeTakeFirst();
  return row === undefined ? null : depositOf(row);
}

export function lockDeposit(tx: Tx, depositId: string): Promise<Deposit | null> {
  return lockWhere(tx, sql<boolean>`deposit_id = ${depositId}`);
}

/** Locks the deposit of a payment until `tx` ends; null if there is none or it was rejected. */
export function lockDepositOf(tx: Tx, provider: string, transactionId: string): Promise<Deposit | null> {
  return lockWhere(
    tx,
    sql<boolean>`provider = ${provider} and transaction_id = ${transactionId} and state <> 'rejected'`,
  );
}

async function lockWhere(tx: Tx, which: RawBuilder<boolean>): Promise<Deposit | null> {
  const row = await tx.selectFrom('deposit').select(COLUMNS.deposit).where(which).forUpdate().executeTakeFirst();
  return row === undefined ? null : depositOf(row);
}

type Decided = UpdateObject<Tables, 'deposit'>;

async function decide(tx: Tx, depositId: string, decided: Decided): Promise<Deposit> {
  const row = await tx
    .updateTable('deposit')
    .set({ ...decided, changed_at: sql<Date>`now()` })
    .where('deposit_id', '=', depositId)
    .returning(COLUMNS.deposit)
    .executeTakeFirstOrThrow();
  return depositOf(row);
}

export function noteCredited(
  tx: Tx,
  depositId: string,
  credited: {
    readonly net: bigint;
    readonly transferId: string;
    readonly approver: LedgerActor | null;
    readonly reason: string | null;
  },
): Promise<Deposit> {
  const { net, transferId, approver, reason } = credited;
  const decided = { state: 'credited', net: String(net), transfer_id: transferId, decision_reason: reason } as const;
  return decide(tx, depositId, { ...decided, ...decidedBy(approver) });
}

function decidedBy(admin: LedgerActor | null): Decided {
  return {
    decided_role: admin?.role ?? null,
    decided_by: admin?.id ?? null,
    decided_at: admin === null ? null : sql<Date>`now()`,
  };
}

/** Rejects a proposal; its payment can then be proposed again. */
export function noteRejected(
  tx: Tx,
  depositId: string,
  { actor, reason }: { readonly actor: LedgerActor; readonly reason: string },
): Promise<Deposit> {
  return decide(tx, depositId, { state: 'rejected', decision_reason: reason, ...decidedBy(actor) });
}

/** Records the amount of a deposit that remains after the provider took money back or returned it. */
export async function noteNet(
  tx: Tx,
  depositId: string,
  { net, leg }: { readonly net: bigint; readonly leg: number },
): Promise<void> {
  await tx
    .updateTable('deposit')
    .set({ net: String(net), leg, changes: sql<number>`changes + 1`, changed_at: sql<Date>`now()` })
    .where('deposit_id', '=', depositId)
    .execute();
}

/** Micro-aiDollars that an admin credited alone in 24 hours. Locks the admin, so that concurrent credits count each other. */
export async function creditedAlone(tx: Tx, adminId: string): Promise<bigint> {
  await lockName(tx, `credits of ${adminId}`);
  const { rows } = await sql<{ total: string }>`
    select coalesce(sum(amount), 0)::text as total from deposit
    where requested_by = ${adminId} and origin = 'manual' and state = 'credited' and decided_by is null and requested_at > now() - interval '24 hours'
  `.execute(tx);
  return BigInt(rows[0]?.total ?? '0');
}

interface DepositQuery {
  readonly state: CreditState | null;
  readonly agentId: string | null;
  readonly before: string | null;
  readonly limit: number;
}

export async function readDeposits(
  db: Db,
  { state, agentId, before, limit }: DepositQuery,
): Promise<readonly Deposit[]> {
  const rows = await db
    .selectFrom('deposit')
    .select(COLUMNS.deposit)
    .$if(state !== null, (query) => query.where('state', '=', state ?? 'proposed'))
    .$if(agentId !== null, (query) => query.where('agent_id', '=', agentId ?? ''))
    .$if(before !== null, (query) => query.where('deposit_id', '<', before ?? ''))
    .orderBy('deposit_id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(depositOf);
}

/** Agents with a balance below zero, lowest first, at most 100. */
export async function readDebtors(db: Db): Promise<readonly { readonly agentId: string; readonly balance: bigint }[]> {
  const { rows } = await sql<{ agentId: string; balance: string }>`
    select owner as "agentId", balance::text from ledger.account where book = 'agent' and balance < 0 order by balance limit 100
  `.execute(db);
  return rows.map(({ agentId, balance }) => ({ agentId, balance: BigInt(balance) }));
}
