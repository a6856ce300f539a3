import type { Credit, PayPalTerms } from '@hamlet/contract';
import {
  createCredit,
  createPayPalOrder,
  formatAiDollars,
  getPayPalTerms,
  NOTE_MAX_CHARS,
  roleMay,
} from '@hamlet/contract';
import { useState } from 'react';
import './payments.css';
import { Notice, Unread } from '../../ui/controls.tsx';
import { type FormDraft, useFormDraft } from '../../client/drafts.ts';
import { useIntent, useLive } from '../../client/query/use-live.ts';
import { ActionForm, TextField } from '../../ui/fields.tsx';
import { Page } from '../navigation/page.tsx';
import { AgentField } from '../agent-field.tsx';
import { useAgentName, useRole, useVillage } from '../village-context.ts';
import { CreditList } from './credit-list.tsx';
import { approvalAddress, EMPTY_PAYMENT, PAY_DRAFT, readPayment, worthOf } from './pay-labels.ts';
import { Reconciliation } from './reconciliation.tsx';
import { moneyLabel, readAmount } from '../../client/labels.ts';
import { type CreditDraft, type CreditProblems, creditProblems } from './payment-labels.ts';

const EMPTY: CreditDraft = { agent: '', provider: 'paypal', transaction: '', amount: '', note: '' };

function CreditForm({ onSent }: { readonly onSent: () => void }) {
  const { agents } = useVillage();
  const sending = useIntent();
  const [tried, setTried] = useState(false);
  const [done, setDone] = useState<Credit | null>(null);
  const form = useFormDraft('credit', EMPTY, () => {
    setDone(null);
    sending.changed();
  });
  const { draft } = form;
  const problems = creditProblems(draft);
  const send = async (): Promise<void> => {
    setTried(true);
    const micro = readAmount(draft.amount);
    if (Object.keys(problems).length > 0 || micro === null) return;
    const body = {
      agent_id: draft.agent,
      provider: draft.provider.trim(),
      provider_transaction_id: draft.transaction.trim(),
      amount: formatAiDollars(micro),
      note: draft.note.trim(),
    };
    const data = await sending.call(createCredit, { body });
    if (data === null) return;
    form.forget();
    setTried(false);
    setDone(data.credit);
    onSent();
    void agents.refresh(data.credit.agent_id);
  };
  return (
    <section className="card payment-card" aria-label="Credit a deposit">
      <h2>Credit a deposit</h2>
      <ActionForm label="Credit a deposit" sending={sending} ready word={buttonWord(draft)} onSend={() => void send()}>
        <Fields of={form.of} problems={tried ? problems : {}} />
        {done !== null && <Sent credit={done} />}
      </ActionForm>
    </section>
  );
}

function buttonWord({ agent, amount }: CreditDraft): string {
  const micro = readAmount(amount);
  return micro === null || micro <= 0n || agent === ''
    ? 'Credit the deposit'
    : `Credit ${moneyLabel(formatAiDollars(micro))} to ${agent}`;
}

function Fields({ of, problems }: Readonly<{ of: FormDraft<CreditDraft>['of']; problems: CreditProblems }>) {
  return (
    <>
      <AgentField {...of('agent')} problem={problems.agent} />
      <div className="payment-pair">
        <TextField
          label="Transaction id"
          name="transaction"
          className="mono"
          spellCheck={false}
          {...of('transaction')}
          problem={problems.transaction}
          placeholder="5O190127TN364715T"
        />
        <TextField label="Provider" name="provider" suggestions={['paypal', 'bank']} {...of('provider')} />
      </div>
      <TextField
        label="Amount in aiDollars"
        name="amount"
        inputMode="decimal"
        {...of('amount')}
        problem={problems.amount}
        placeholder="25.00"
      />
      <TextField label="Note" name="note" maxLength={NOTE_MAX_CHARS} {...of('note')} placeholder="Payer and purpose" />
    </>
  );
}

function Sent({ credit }: { readonly credit: Credit }) {
  const name = useAgentName(credit.agent_id);
  if (credit.state === 'proposed')
    return (
      <Notice tone="waiting">
        <b>Proposed.</b> {moneyLabel(credit.amount)} for {name} is more than one admin may credit alone. Ask another
        admin to approve it.
      </Notice>
    );
  return (
    <Notice tone="good">
      <b>Credited.</b> {name} has {moneyLabel(credit.amount)} more.
    </Notice>
  );
}

export function PaymentsPage() {
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

function AdminPart() {
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

function PayCard() {
  const terms = useLive(getPayPalTerms, {}, REFRESH_MS);
  return (
    <section className="card payment-card pay-card" aria-label="Pay in with PayPal" data-paypal={terms.data?.paypal}>
      <h2>Pay in with PayPal</h2>
      {terms.data === null ? <Unread refused={terms.refused} /> : <Pay terms={terms.data} />}
    </section>
  );
}

function Pay({ terms }: { readonly terms: PayPalTerms }) {
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

function PayForm({ terms, currency }: { readonly terms: PayPalTerms; readonly currency: string }) {
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
      label="Pay in with PayPal"
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
