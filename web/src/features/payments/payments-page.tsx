import { createPayPalOrder, getPayPalTerms, type PayPalTerms, roleMay } from '@hamlet/contract';
import { type ReactElement, useCallback, useState } from 'react';
import './payments.css';
import { readJsonDraft } from '../../client/ask/json-draft.ts';
import { useDraft } from '../../client/ask/use-draft.ts';
import { useLive } from '../../client/ask/use-live.ts';
import { useSend } from '../../client/ask/use-send.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { Page } from '../navigation/page.tsx';
import { useAgentNames } from '../people/use-agent-names.ts';
import { useRole, useVillage } from '../village-context.ts';
import { CreditForm } from './credit-form.tsx';
import { CreditList } from './credit-list.tsx';
import { approvalAddress, EMPTY_PAYMENT, PAY_DRAFT, type PayDraft, readPayment, worthOf } from './pay-labels.ts';
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

const REFRESH_MS = 60_000;

/** Pays in for an agent by PayPal; says so where the village takes no payments. */
function PayCard(): ReactElement {
  const { api } = useVillage();
  const terms = useLive(
    useCallback((signal: AbortSignal) => api.call(getPayPalTerms, { signal }), [api]),
    REFRESH_MS,
  );
  return (
    <section className="card payment-card pay-card" aria-label="Pay in by PayPal" data-paypal={terms.data?.paypal}>
      <h2>Pay in by PayPal</h2>
      {terms.data === null ? (
        terms.refused === null ? (
          <p className="empty">Reading…</p>
        ) : (
          <RefusedNotice refused={terms.refused} />
        )
      ) : (
        <Pay terms={terms.data} />
      )}
    </section>
  );
}

function Pay({ terms }: { readonly terms: PayPalTerms }): ReactElement {
  if (terms.paypal === 'off' || terms.currency === null)
    return <p className="hint">This village takes no payments by PayPal. An admin can credit a deposit by hand.</p>;
  return (
    <>
      <PayForm terms={terms} currency={terms.currency} />
      {terms.paypal === 'sandbox' && <p className="hint">This village uses PayPal's sandbox: no real money moves.</p>}
    </>
  );
}

/** Agent and amount; the button leads to PayPal, and what is written stays until the payment was captured. */
function PayForm({ terms, currency }: { readonly terms: PayPalTerms; readonly currency: string }): ReactElement {
  const { api } = useVillage();
  const agents = useAgentNames();
  const sending = useSend();
  const [kept, keep] = useDraft(PAY_DRAFT);
  const draft = readJsonDraft(kept, EMPTY_PAYMENT);
  const [strange, setStrange] = useState(false);
  const reading = readPayment(draft);
  const worth = reading.ok ? worthOf(reading.amount, terms) : null;
  const write = (change: Partial<PayDraft>): void => {
    keep(JSON.stringify({ ...draft, ...change }));
    setStrange(false);
    sending.changed();
  };
  const pay = async (): Promise<void> => {
    if (!reading.ok) return;
    const reply = await sending.send(() =>
      api.call(createPayPalOrder, { body: { agent_id: draft.agent, amount: reading.amount } }),
    );
    if (reply?.ok !== true) return;
    const address = approvalAddress(reply.data.approval_url);
    if (address === null) setStrange(true);
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
      <label>
        Agent
        <select name="agent" value={draft.agent} onChange={(event) => write({ agent: event.target.value })}>
          <option value="">Choose one</option>
          {agents.map(({ id, name }) => (
            <option key={id} value={id}>
              {name === id ? id : `${name} (${id})`}
            </option>
          ))}
        </select>
      </label>
      <label>
        Amount in {currency}
        <input
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          maxLength={10}
          value={draft.amount}
          onChange={(event) => write({ amount: event.target.value })}
          placeholder="10.00"
        />
      </label>
      {draft.amount !== '' && !reading.ok && (
        <p className="field-problem" role="alert">
          {reading.problem}
        </p>
      )}
      {worth !== null && (
        <p className="preview">
          {agents.find(({ id }) => id === draft.agent)?.name ?? draft.agent} gets {worth}. PayPal asks you to approve
          it, and sends you back here.
        </p>
      )}
      {strange && (
        <p className="notice notice-bad" role="alert">
          PayPal named an address that is not safe to open. Nothing was paid. Try again later.
        </p>
      )}
    </ActionForm>
  );
}
