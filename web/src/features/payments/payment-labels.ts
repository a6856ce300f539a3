import type { Credit, CreditState, Difference, DifferenceKind, WaitingPayment } from '@hamlet/contract';
import { ProviderTransactionId } from '@hamlet/contract';
import type { Tone } from '../../ui/controls.tsx';
import { moneyLabel, readAmount } from '../../client/labels.ts';

export const CREDIT_LABELS: Readonly<Record<CreditState, { readonly word: string; readonly tone: Tone }>> = {
  proposed: { word: 'Waits for a second admin', tone: 'waiting' },
  credited: { word: 'Credited', tone: 'good' },
  rejected: { word: 'Rejected', tone: 'bad' },
};

export const DIFFERENCE_LABELS: Readonly<
  Record<DifferenceKind, { readonly title: string; readonly advice: string; readonly none: string }>
> = {
  only_ours: {
    title: 'Only in our ledger',
    advice:
      'An admin credited a payment that the provider does not list. Check the transaction id, and whether the payment was made.',
    none: 'Every credit has its payment.',
  },
  only_theirs: {
    title: 'Only at the provider',
    advice: 'The provider lists a payment that is not credited. Credit it to its agent, or explain it.',
    none: 'Every payment is credited.',
  },
  amount_differs: {
    title: 'Amounts differ',
    advice: 'Ledger and provider list different amounts. A later refund is the usual cause.',
    none: 'Every amount agrees.',
  },
};

/** The result of one list. An empty list counts as agreement only if the ledger was compared with a statement. */
export function comparisonOf(differences: number, comparedProviders: number): 'differs' | 'agrees' | 'not compared' {
  if (differences > 0) return 'differs';
  return comparedProviders > 0 ? 'agrees' : 'not compared';
}

const WAITING_LABELS: Readonly<Record<string, string>> = {
  not_completed: 'not completed at the provider',
  no_such_agent: 'names an agent that this village does not have',
  other_currency: 'in a currency that the village does not take',
  differs_from_event: 'the provider lists other details than its message contained',
};

/** The reason why a payment is not credited yet; an unknown reason is shown with spaces for underscores. */
export function waitingLabel({ why }: Pick<WaitingPayment, 'why'>): string {
  return WAITING_LABELS[why] ?? why.replaceAll('_', ' ');
}

export function sidesOf({ ours, theirs }: Pick<Difference, 'ours' | 'theirs'>): {
  readonly ours: string;
  readonly theirs: string;
} {
  return {
    ours: ours === null ? 'nothing' : moneyLabel(ours),
    theirs: theirs === null ? 'nothing' : `${theirs.amount} ${theirs.currency}`,
  };
}

/** True if the admin may approve the proposal: its author may only withdraw it. */
export function mayApprove(credit: Pick<Credit, 'state' | 'requested_by'>, viewer: string | null): boolean {
  return credit.state === 'proposed' && viewer !== null && credit.requested_by !== `account ${viewer}`;
}

export interface CreditDraft {
  readonly agent: string;
  readonly provider: string;
  readonly transaction: string;
  readonly amount: string;
  readonly note: string;
}
export type CreditProblems = Readonly<Partial<Record<'agent' | 'transaction' | 'amount', string>>>;

export function creditProblems({ agent, transaction, amount }: CreditDraft): CreditProblems {
  const micro = readAmount(amount);
  return {
    ...(agent === '' ? { agent: 'Choose an agent' } : {}),
    ...(ProviderTransactionId.safeParse(transaction).success
      ? {}
      : {
          transaction:
            transaction.trim() === ''
              ? 'Copy the transaction id from the provider'
              : 'Use at most 64 letters, digits, dots, - and _',
        }),
    ...(micro !== null && micro > 0n
      ? {}
      : { amount: 'Write an amount above 0 with at most six decimal places, such as 25.00' }),
  };
}
