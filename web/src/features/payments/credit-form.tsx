import { type Credit, createCredit, formatAiDollars, NOTE_MAX_CHARS } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { readJsonDraft } from '../../client/ask/json-draft.ts';
import { useDraft } from '../../client/ask/use-draft.ts';
import { useSend } from '../../client/ask/use-send.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { Icon } from '../../ui/icon.tsx';
import { moneyWords, readAmount } from '../money/money-labels.ts';
import { useAgentNames } from '../people/use-agent-names.ts';
import { useVillage, useVillageState } from '../village-context.ts';
import { type CreditDraft, creditProblems, type CreditProblems } from './payment-labels.ts';

const EMPTY: CreditDraft = { agent: '', provider: 'paypal', transaction: '', amount: '', note: '' };

/**
 * Credits a deposit: agent, transaction id, amount. Says before it is sent who gets it, and after it whether a second admin must approve. What is
 * written stays in this tab until it is credited.
 */
export function CreditForm({ onSent }: { readonly onSent: () => void }): ReactElement {
  const { api, village } = useVillage();
  const sending = useSend();
  const [kept, keep] = useDraft('credit');
  const draft = readJsonDraft(kept, EMPTY);
  const [tried, setTried] = useState(false);
  const [done, setDone] = useState<Credit | null>(null);
  const problems = creditProblems(draft);
  const write = (change: Partial<CreditDraft>): void => {
    keep(JSON.stringify({ ...draft, ...change }));
    setDone(null);
    sending.changed();
  };
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
    const reply = await sending.send((idempotencyKey) => api.call(createCredit, { body, idempotencyKey }));
    if (reply?.ok !== true) return;
    keep('');
    setTried(false);
    setDone(reply.data.credit);
    onSent();
    void village.refreshAgent(reply.data.credit.agent_id);
  };
  return (
    <section className="card payment-card" aria-label="Credit a deposit">
      <h2>Credit a deposit</h2>
      <ActionForm label="Credit a deposit" sending={sending} ready word={buttonWord(draft)} onSend={() => void send()}>
        <Fields draft={draft} problems={tried ? problems : {}} write={write} />
        {done !== null && <Sent credit={done} />}
      </ActionForm>
    </section>
  );
}

function buttonWord({ agent, amount }: CreditDraft): string {
  const micro = readAmount(amount);
  return micro === null || micro <= 0n || agent === ''
    ? 'Credit it'
    : `Credit ${moneyWords(formatAiDollars(micro))} to ${agent}`;
}

interface FieldsProps {
  readonly draft: CreditDraft;
  readonly problems: CreditProblems;
  readonly write: (change: Partial<CreditDraft>) => void;
}

function Fields({ draft, problems, write }: FieldsProps): ReactElement {
  const agents = useAgentNames();
  return (
    <>
      <label>
        Agent
        <select
          name="agent"
          value={draft.agent}
          onChange={(event) => write({ agent: event.target.value })}
          aria-invalid={problems.agent !== undefined}
        >
          <option value="">Choose one</option>
          {agents.map(({ id, name }) => (
            <option key={id} value={id}>
              {name === id ? id : `${name} (${id})`}
            </option>
          ))}
        </select>
        <Problem text={problems.agent} />
      </label>
      <div className="payment-pair">
        <label>
          Transaction id
          <input
            name="transaction"
            className="mono"
            autoComplete="off"
            spellCheck={false}
            value={draft.transaction}
            onChange={(event) => write({ transaction: event.target.value })}
            aria-invalid={problems.transaction !== undefined}
            placeholder="5O190127TN364715T"
          />
          <Problem text={problems.transaction} />
        </label>
        <label>
          Provider
          <input
            name="provider"
            list="providers"
            autoComplete="off"
            value={draft.provider}
            onChange={(event) => write({ provider: event.target.value })}
          />
          <datalist id="providers">
            <option value="paypal" />
            <option value="bank" />
          </datalist>
        </label>
      </div>
      <label>
        Amount in aiDollars
        <input
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          value={draft.amount}
          onChange={(event) => write({ amount: event.target.value })}
          aria-invalid={problems.amount !== undefined}
          placeholder="25.00"
        />
        <Problem text={problems.amount} />
      </label>
      <label>
        Note
        <input
          name="note"
          maxLength={NOTE_MAX_CHARS}
          value={draft.note}
          onChange={(event) => write({ note: event.target.value })}
          placeholder="Whose money, what for"
        />
      </label>
    </>
  );
}

function Problem({ text }: { readonly text: string | undefined }): ReactElement | null {
  return text === undefined ? null : (
    <span className="field-problem" role="alert">
      {text}
    </span>
  );
}

function Sent({ credit }: { readonly credit: Credit }): ReactElement {
  const name = useVillageState((state) => state.details.get(credit.agent_id)?.display_name ?? credit.agent_id);
  if (credit.state === 'proposed')
    return (
      <p className="notice notice-waiting" role="status">
        <Icon name="clock" size={16} />
        <span>
          <b>Proposed.</b> {moneyWords(credit.amount)} for {name} is more than one admin may credit alone: another admin
          has to approve it.
        </span>
      </p>
    );
  return (
    <p className="notice notice-good" role="status">
      <Icon name="check" size={16} />
      <span>
        <b>Credited.</b> {name} has {moneyWords(credit.amount)} more.
      </span>
    </p>
  );
}
