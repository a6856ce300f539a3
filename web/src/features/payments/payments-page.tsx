import { roleMay } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import './payments.css';
import { Page } from '../navigation/page.tsx';
import { useRole } from '../village-context.ts';
import { CreditForm } from './credit-form.tsx';
import { CreditList } from './credit-list.tsx';
import { PayCard } from './pay/pay-card.tsx';
import { Reconciliation } from './reconciliation.tsx';

/** Money from outside: members pay in; admins credit deposits, approve, and see how our books compare with the provider's. */
export function PaymentsPage(): ReactElement {
  return (
    <Page
      title="Payments"
      intro="Money that came in outside becomes aiDollars here: each payment once, by its transaction id."
      needs="payments:pay"
    >
      <PayCard />
      {roleMay(useRole(), 'payments:manage') && <Books />}
    </Page>
  );
}

function Books(): ReactElement {
  const [version, setVersion] = useState(0);
  return (
    <>
      <div className="payment-columns">
        <CreditForm onSent={() => setVersion((count) => count + 1)} />
        <CreditList version={version} />
      </div>
      <Reconciliation />
    </>
  );
}
