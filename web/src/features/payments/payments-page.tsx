import { createPayPalOrder, getPayPalTerms, type PayPalTerms, roleMay } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import './payments.css';
import { Notice, Unread } from '../../ui/notices.tsx';
import { useFormDraft } from '../../client/drafts.ts';
import { useLive } from '../../client/query/use-live.ts';
import { useIntent } from '../../client/query/use-intent.ts';
import { ActionForm, TextField } from '../../ui/fields.tsx';
import { Page } from '../navigation/page.tsx';
import { AgentField } from '../agent-list/agent-field.tsx';
import { useAgentName, useRole } from '../village-context.ts';
import { CreditForm } from './credit-form.tsx';
import { CreditList } from './credit-list.tsx';
import { approvalAddress, EMPTY_PAYMENT, PAY_DRAFT, readPayment, worthOf } from './pay-labels.ts';
import { Reconciliation } from './reconciliation.tsx';

export function PaymentsPage(): ReactElement {
  return (
    <Page
      title="Payments"
      intro="Payments from outside become aiDollars of an agent, each transaction id once."
      needs="payments:pay"
    >
      <PayCard />
      {roleMay(useRole(), 'payments:manage') && <AdminPart />}
    </Page>
  );
}

function AdminPart(): ReactElement {
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

const REFRESH_MS = 60_000;

function PayCard(): ReactElement {
  const terms = useLive(getPayPalTerms, {}, REFRESH_MS);
  return (
    <section className="card payment-card pay-card" aria-label="Pay in by PayPal" data-paypal={terms.data?.paypal}>
      <h2>Pay in by PayPal</h2>
      {terms.data === null ? <Unread refused={terms.refused} /> : <Pay terms={terms.data} />}
    </section>
  );
}

function Pay({ terms }: { readonly terms: PayPalTerms }): ReactElement {
  const mayCredit = roleMay(useRole(), 'payments:manage');
  if (terms.paypal === 'off' || terms.currency === null)
    return (
      <p className="hint">
        This village takes no payments by PayPal.{' '}
        {mayCredit ? 'Credit a deposit below instead.' : 'Ask an admin to credit your deposit.'}
      </p>
    );
  return (
    <>
      <PayForm terms={terms} currency={terms.currency} />
      {terms.paypal === 'sandbox' && (
        <p className="hint">This village uses the sandbox of PayPal: no real money moves.</p>
      )}
    </>
  );
}

function PayForm({ terms, currency }: { readonly terms: PayPalTerms; readonly currency: string }): ReactElement {
  const sending = useIntent();
  const [unsafe, setUnsafe] = useState(false);
  const { draft, of } = useFormDraft(PAY_DRAFT, EMPTY_PAYMENT, () => {
    setUnsafe(false);
    sending.changed();
  });
  const name = useAgentName(draft.agent);
  const reading = readPayment(draft);
  const worth = reading.ok ? worthOf(reading.amount, terms) : null;
  const pay = async (): Promise<void> => {
    if (!reading.ok) return;
    const data = await sending.call(createPayPalOrder, { body: { agent_id: draft.agent, amount: reading.amount } });
    if (data === null) return;
    const address = approvalAddress(data.approval_url);
    if (address === null) setUnsafe(true);
    else window.location.assign(address);
  };
  return (
    <ActionForm
      label="Pay in by PayPal"
      sending={sending}
      ready={reading.ok}
      word={reading.ok ? `Pay ${reading.amount} ${currency} at PayPal` : 'Pay at PayPal'}
      onSend={() => void pay()}
    >
      <AgentField {...of('agent')} />
      <TextField
        label={`Amount in ${currency}`}
        name="amount"
        inputMode="decimal"
        maxLength={10}
        {...of('amount')}
        problem={draft.amount === '' || reading.ok ? undefined : reading.problem}
        placeholder="10.00"
      />
      {worth !== null && (
        <p className="preview">
          {name} gets {worth}. PayPal asks you to approve the payment, then sends you back here.
        </p>
      )}
      {unsafe && (
        <Notice tone="bad" icon={null}>
          PayPal sent an unsafe address, so this page did not open it. Nothing was paid. Try again later.
        </Notice>
      )}
    </ActionForm>
  );
}
