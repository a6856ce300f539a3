import type { ReactElement } from 'react';
import type { FormDraft } from '../../client/drafts.ts';
import { SelectField } from '../../ui/fields.tsx';
import { AllowanceLine, useAllowance } from '../money/allowance-line.tsx';
import { AmountField } from '../money/amount-field.tsx';
import { readAmount } from '../money/money-labels.ts';
import { OFFER_TIMES, type OfferDraft } from './offer-draft.ts';
import './offers.css';

/** Optional fields of a task: money for its result, and the time until the offer expires. */
export function OfferFields({ draft, of }: Pick<FormDraft<OfferDraft>, 'draft' | 'of'>): ReactElement {
  return (
    <details className="offer-fields" open={draft.amount !== ''}>
      <summary>Offer money for the result</summary>
      <div className="offer-form">
        <AmountField label="Offer in aiDollars" {...of('amount')} />
        <SelectField label="The offer expires after" name="offer-hours" options={OFFER_TIMES} {...of('hours')} />
        <OfferTerms amount={draft.amount} />
      </div>
    </details>
  );
}

function OfferTerms({ amount }: { readonly amount: string }): ReactElement {
  const allowance = useAllowance();
  return (
    <>
      <p className="hint">
        The money is held now. The agent receives it if you accept the result; you get it back if you refuse, if the run
        fails, or if the offer expires.
      </p>
      <AllowanceLine allowance={allowance.data} asked={readAmount(amount)} />
    </>
  );
}
