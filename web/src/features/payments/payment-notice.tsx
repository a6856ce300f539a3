import type { ReactElement } from 'react';
import { Icon } from '../../ui/icon.tsx';
import { useVillage, useVillageState } from '../village-context.ts';
import { OUTCOME_LABELS } from './pay-labels.ts';

/** The outcome of a payment for a payer who returned from PayPal, until they dismiss it. */
export function PaymentNotice(): ReactElement | null {
  const { store } = useVillage();
  const outcome = useVillageState((state) => state.payment);
  if (outcome === null) return null;
  const { text, tone } = OUTCOME_LABELS[outcome];
  return (
    <p className={`notice notice-${tone}`} role="status" data-notice="payment" data-outcome={outcome}>
      <Icon name={tone === 'good' ? 'check' : 'alert'} size={16} />
      <span>{text}</span>
      <button
        type="button"
        className="icon-button"
        onClick={() => store.set((state) => ({ ...state, payment: null }))}
        aria-label="Dismiss"
      >
        <Icon name="close" size={14} />
      </button>
    </p>
  );
}
