import { formatAiDollars, type LedgerEntry } from '@hamlet/contract';
import {
  attempt,
  findAgentAccount,
  findCredit,
  findEntry,
  findTransfer,
  lockName,
  openAgentAccount,
  postTransfer,
  reverseTransfer,
  villageAccount,
  type AgentAccount,
  type Circumstance,
  type KeyedTransfer,
  type LedgerActor,
  type LedgerRefusal,
  type PostOutcome,
  type Tx,
} from '@hamlet/store';
import { entryView } from './entry-view.ts';
import type { BalanceTiers } from '../../standing/balance-tier-sync.ts';

/** Name of a source of money, part of every key: `manual`, `paypal`. */
const SOURCE = /^[a-z][a-z0-9_]{0,30}$/;
/** Ids of a provider: printable and without spaces, because a space separates the words of a key. */
const PROVIDER_ID = /^[!-~]{1,120}$/;
const TAKEN_BACK_MAX = 100;

/** Money from outside the village, as its source reports it. The API credits each pair of source and transaction id once, permanently. */
export interface Income {
  readonly source: string;
  /** The id of the payment at its source. On the wire it is the entry's `source`. */
  readonly transactionId: string;
  readonly agentId: string;
  /** Micro-aiDollars, above zero. The adapter of the source converts other currencies. */
  readonly amount: bigint;
  readonly note: string;
  readonly actor: LedgerActor;
  /** The time of the payment at its source; by default the present time. */
  readonly eventAt?: Date;
  readonly about?: Circumstance;
}

export interface TakenBack extends Pick<Income, 'source' | 'transactionId' | 'note' | 'actor' | 'about'> {
  /** The id of the refund at its source: the API books a refund once. */
  readonly refundId: string;
  /** Micro-aiDollars, above zero; by default the rest of the income. An amount above the rest takes the rest. */
  readonly amount?: bigint;
}

/**
 * The reason why the API booked nothing. `key_reused`: the payment or refund is known with another amount or agent.
 * `nothing_left`: the whole income was refunded before. `account_closed`: the agent is gone; only a refund of the whole
 * income is still possible.
 */
type IncomeRefusal = 'no_such_agent' | 'account_closed' | 'key_reused' | 'no_such_income' | 'nothing_left';

/** The booking of an income. `replayed`: an earlier call booked it, and this call booked nothing. */
interface Booked {
  readonly ok: true;
  readonly entry: LedgerEntry;
  readonly replayed: boolean;
}

export type IncomeOutcome = Booked | { readonly ok: false; readonly reason: IncomeRefusal };

/**
 * Every source of money (an admin, a payment provider, a marketplace) is an adapter that calls this port.
 * Both methods run in the caller's transaction and lock the income first. Call them late: they compute the tier and
 * take the lock that orders internal events. The caller writes its own rows and the audit in the same transaction.
 */
export interface IncomePort {
  /** Credits an agent from `deposits`. Refuses with no_such_agent, account_closed, key_reused. */
  credit(tx: Tx, income: Income): Promise<IncomeOutcome>;
  /**
   * Takes money back, even if the agent has spent it: its balance then falls below zero, and it cannot spend until the
   * balance is positive again. For a partial refund, the API reverses the credit and credits the rest again. Refuses
   * with no_such_income, nothing_left, and, if a rest would go to a closed account, account_closed.
   */
  takeBack(tx: Tx, taken: TakenBack): Promise<IncomeOutcome>;
}

interface IncomePorts {
  readonly tiers: BalanceTiers;
  /** True if the Agent object exists, even if its first life has not begun. */
  readonly lives: (agentId: string) => boolean;
}

const creditKey = ({ source, transactionId }: Pick<Income, 'source' | 'transactionId'>, after: string | null): string =>
  `income ${source} ${transactionId}${after === null ? '' : ` after ${after}`}`;
const refundKey = ({
  source,
  transactionId,
  refundId,
}: Pick<TakenBack, 'source' | 'transactionId' | 'refundId'>): string => `refund ${source} ${transactionId} ${refundId}`;

function ensureNames(names: { readonly source: string; readonly ids: readonly string[] }): void {
  if (!SOURCE.test(names.source)) throw new RangeError(`invalid name of a source of money: ${names.source}`);
  for (const id of names.ids)
    if (!PROVIDER_ID.test(id)) throw new RangeError(`invalid payment id: ${JSON.stringify(id)}`);
}

async function accountOf(tx: Tx, agentId: string, lives: IncomePorts['lives']): Promise<AgentAccount | null> {
  const account = await findAgentAccount(tx, agentId);
  if (account !== null || !lives(agentId)) return account;
  await openAgentAccount(tx, agentId);
  return findAgentAccount(tx, agentId);
}

function refusalOf(reason: LedgerRefusal): { readonly ok: false; readonly reason: IncomeRefusal } {
  if (reason !== 'account_closed' && reason !== 'key_reused')
    throw new Error(`the ledger refused to book an income: ${reason}`);
  return { ok: false, reason };
}

interface Credit extends Pick<Income, 'source' | 'transactionId' | 'amount' | 'note' | 'actor' | 'eventAt' | 'about'> {
  readonly accountId: number;
  /** For a credit of the rest: the id of the preceding refund. Null for the first credit. */
  readonly after: string | null;
}

async function postCredit(tx: Tx, { accountId, after, ...income }: Credit): Promise<PostOutcome> {
  const { amount, note, actor, transactionId: source, eventAt, about } = income;
  return postTransfer(tx, {
    payer: await villageAccount(tx, 'deposits'),
    payee: accountId,
    amount,
    key: creditKey(income, after),
    reason: 'deposit_credit',
    source,
    note,
    actor,
    ...(eventAt === undefined ? {} : { eventAt }),
    ...(about === undefined ? {} : { about }),
  });
}

async function standingCredit(
  tx: Tx,
  income: Pick<Income, 'source' | 'transactionId'>,
): Promise<{ readonly first: KeyedTransfer | null; readonly left: KeyedTransfer | null }> {
  const first = await findCredit(tx, creditKey(income, null));
  let left = first;
  for (let refunds = 0; left !== null && left.reversedBy !== null; refunds += 1) {
    if (refunds >= TAKEN_BACK_MAX)
      throw new Error(`more than ${TAKEN_BACK_MAX} refunds of ${income.source} ${income.transactionId}`);
    left = await findCredit(
      tx,
      creditKey(income, left.reversedBy.slice(refundKey({ ...income, refundId: '' }).length)),
    );
  }
  return { first, left };
}

async function undo(
  tx: Tx,
  taken: TakenBack,
  { left, accountId }: { readonly left: KeyedTransfer; readonly accountId: number },
): Promise<PostOutcome> {
  const { transactionId, note, actor, amount = left.amount, about } = taken;
  return attempt(tx, async () => {
    const back = await reverseTransfer(tx, {
      transferId: left.transferId,
      key: refundKey(taken),
      reason: 'refund',
      source: transactionId,
      note,
      actor,
      forced: true,
      ...(about === undefined ? {} : { about }),
    });
    if (!back.ok || amount >= left.amount) return back;
    const rest = left.amount - amount;
    const words = `${formatAiDollars(rest)} aiDollars are left of the payment ${transactionId}`;
    const again = await postCredit(tx, { ...taken, note: words, amount: rest, accountId, after: taken.refundId });
    return again.ok ? back : again;
  });
}

export function createIncomePort({ tiers, lives }: IncomePorts): IncomePort {
  async function book(
    tx: Tx,
    { agentId, accountId }: { readonly agentId: string; readonly accountId: number },
    outcome: PostOutcome,
  ): Promise<IncomeOutcome> {
    if (!outcome.ok) return refusalOf(outcome.reason);
    const entry = entryView(agentId, await findEntry(tx, accountId, outcome.transferId));
    if (!outcome.replayed) await tiers.recompute(tx, [agentId]);
    return { ok: true, entry, replayed: outcome.replayed };
  }

  return {
    credit: async (tx, income) => {
      ensureNames({ source: income.source, ids: [income.transactionId] });
      await lockName(tx, creditKey(income, null));
      const { agentId } = income;
      const account = await accountOf(tx, agentId, lives);
      if (account === null) return { ok: false, reason: 'no_such_agent' };
      const { accountId } = account;
      return book(tx, { agentId, accountId }, await postCredit(tx, { ...income, accountId, after: null }));
    },

    takeBack: async (tx, taken) => {
      ensureNames({ source: taken.source, ids: [taken.transactionId, taken.refundId] });
      await lockName(tx, creditKey(taken, null));
      const { first, left } = await standingCredit(tx, taken);
      if (first === null) return { ok: false, reason: 'no_such_income' };
      const { agentId } = first;
      const account = await findAgentAccount(tx, agentId);
      if (account === null) throw new Error(`agent ${agentId} was credited but has no account`);
      const { accountId } = account;
      const before = await findTransfer(tx, refundKey(taken));
      if (before !== null) return book(tx, { agentId, accountId }, { ok: true, transferId: before, replayed: true });
      if (left === null) return { ok: false, reason: 'nothing_left' };
      return book(tx, { agentId, accountId }, await undo(tx, taken, { left, accountId }));
    },
  };
}
