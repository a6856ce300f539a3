import { createCredit, type Credit, formatAiDollars, NOTE_MAX_CHARS } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { type FormDraft, useFormDraft } from '../../client/drafts.ts';
import { useIntent } from '../../client/query/use-intent.ts';
import { ActionForm, TextField } from '../../ui/fields.tsx';
import { Notice } from '../../ui/notices.tsx';
import { moneyLabel, readAmount } from '../../client/money-labels.ts';
import { AgentField } from '../agent-list/agent-field.tsx';
import { useAgentName, useVillage } from '../village-context.ts';
import { type CreditDraft, type CreditProblems, creditProblems } from './payment-labels.ts';

const EMPTY: CreditDraft = { agent: '', provider: 'paypal', transaction: '', amount: '', note: '' };

export function CreditForm({ onSent }: { readonly onSent: () => void }): ReactElement {
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

type FieldsProps = Readonly<{ of: FormDraft<CreditDraft>['of']; problems: CreditProblems }>;

function Fields({ of, problems }: FieldsProps): ReactElement {
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

function Sent({ credit }: { readonly credit: Credit }): ReactElement {
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
