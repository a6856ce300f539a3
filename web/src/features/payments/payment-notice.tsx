import type { ReactElement } from 'react';
import { IconButton } from '../../ui/button.tsx';
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
      <IconButton
        icon="close"
        iconPx={14}
        label="Dismiss"
        onClick={() => store.set((state) => ({ ...state, payment: null }))}
      />
    </p>
  );
}
