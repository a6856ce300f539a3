import { type Credit, type CreditState, type Difference, type DifferenceKind, ProviderTransactionId, type WaitingPayment } from '@hamlet/contract';
import { moneyWords, readAmount } from '../money/money-labels.ts';

export const CREDIT_WORDS: Readonly<
  Record<CreditState, { readonly word: string; readonly tone: 'good' | 'waiting' | 'bad' }>
> = {
  proposed: { word: 'Waits for a second admin', tone: 'waiting' },
  credited: { word: 'Credited', tone: 'good' },
  rejected: { word: 'Rejected', tone: 'bad' },
};

/** The three lists of a reconciliation: what each holds, and what to do about it. */
export const DIFFERENCE_WORDS: Readonly<
  Record<DifferenceKind, { readonly title: string; readonly what: string; readonly none: string }>
> = {
  only_ours: {
    title: 'Only in our books',
    what: 'Credited here, and the provider knows no such payment. Look for a mistyped transaction id, or a payment that was never made.',
    none: 'Every credit has its payment.',
  },
  only_theirs: {
    title: 'Only at the provider',
    what: 'Paid, and nobody was credited. Credit it to its agent, or explain what it was.',
    none: 'Every payment was credited.',
  },
  amount_differs: {
    title: 'Amounts differ',
    what: 'Both know the payment and disagree about how much. A refund that came later is the usual cause.',
    none: 'Every amount agrees.',
  },
};

/** What a list of differences says: an empty one is good news only where a provider's list was compared with ours. */
export function verdictOf(differences: number, comparedProviders: number): 'differs' | 'agrees' | 'not compared' {
  if (differences > 0) return 'differs';
  return comparedProviders > 0 ? 'agrees' : 'not compared';
}

const WAITING_WORDS: Readonly<Record<string, string>> = {
  not_completed: 'not completed at the provider',
  no_such_agent: 'names no agent of this village',
  other_currency: 'in another currency than is taken',
  differs_from_event: 'the provider says something else than its message did',
};

/** Why a payment is not credited yet, in words; a reason that this page does not know as it is. */
export function waitingWords({ why }: Pick<WaitingPayment, 'why'>): string {
  return WAITING_WORDS[why] ?? why.replaceAll('_', ' ');
}

/** Ours and theirs beside each other, as two short texts. */
export function sidesOf({ ours, theirs }: Pick<Difference, 'ours' | 'theirs'>): {
  readonly ours: string;
  readonly theirs: string;
} {
  return {
    ours: ours === null ? 'nothing' : moneyWords(ours),
    theirs: theirs === null ? 'nothing' : `${theirs.amount} ${theirs.currency}`,
  };
}

/** Whether an admin may decide about a proposal: not the one who made it. Taking back one's own is always possible. */
export function mayApprove(credit: Pick<Credit, 'state' | 'requested_by'>, viewer: string | null): boolean {
  return credit.state === 'proposed' && viewer !== null && credit.requested_by !== `account ${viewer}`;
}

/** A deposit while it is written. */
export interface CreditDraft {
  readonly agent: string;
  readonly provider: string;
  readonly transaction: string;
  readonly amount: string;
  readonly note: string;
}
export type CreditProblems = Readonly<Partial<Record<'agent' | 'transaction' | 'amount', string>>>;

/** What of a deposit is missing or wrong, each at its field. */
export function creditProblems({ agent, transaction, amount }: CreditDraft): CreditProblems {
  const micro = readAmount(amount);
  return {
    ...(agent === '' ? { agent: 'Choose an agent' } : {}),
    ...(ProviderTransactionId.safeParse(transaction).success
      ? {}
      : {
          transaction:
            transaction.trim() === ''
              ? 'Write the id of the payment as the provider shows it'
              : 'Letters, digits, dots, - and _, at most 64',
        }),
    ...(micro !== null && micro > 0n
      ? {}
      : { amount: 'Write an amount above 0 with at most six places, such as 25.00' }),
  };
}
