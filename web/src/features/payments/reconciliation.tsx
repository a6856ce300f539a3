import type { Difference, DifferenceKind, ReconciliationView } from '@hamlet/contract';
import { changeDifference, DIFFERENCE_KINDS, EXPLANATION_MAX_CHARS, getReconciliation } from '@hamlet/contract';
import { useState } from 'react';
import { useIntent, useLive } from '../../client/query/use-live.ts';
import { useFormDraft } from '../../client/drafts.ts';
import { Badge, Icon, LinkButton, RefusedNotice, Unread } from '../../ui/controls.tsx';
import { ActionForm, CheckField, TextField } from '../../ui/fields.tsx';
import { lengthLabel, minuteTime, timeAgo } from '../../ui/time-labels.ts';
import { moneyLabel } from '../../client/labels.ts';
import { ActorName } from '../actor-name.tsx';
import { useShowAgent, useViewerId, useVillageState } from '../village-context.ts';
import { comparisonOf, DIFFERENCE_LABELS, sidesOf, waitingLabel } from './payment-labels.ts';

const REFRESH_MS = 10_000;
const PAYPAL_LABELS: Readonly<Record<ReconciliationView['paypal'], string>> = {
  off: 'PayPal is not connected: admins credit payments here.',
  sandbox: 'PayPal runs in its sandbox: no real money moves.',
  live: 'PayPal is live.',
};

export function Reconciliation() {
  const live = useLive(getReconciliation, {}, REFRESH_MS);
  return (
    <section className="reconciliation" aria-label="Reconciliation">
      <h2 className="page-section">Reconciliation</h2>
      {live.data !== null && live.refused !== null && <RefusedNotice refused={live.refused} />}
      {live.data === null && <Unread refused={live.refused} word="Loading the comparison…" />}
      {live.data !== null && <Compared view={live.data} onChanged={live.again} />}
    </section>
  );
}

function Compared({ view, onChanged }: Readonly<{ view: ReconciliationView; onChanged: () => void }>) {
  return (
    <>
      <p className="summary">
        {PAYPAL_LABELS[view.paypal]}{' '}
        {view.providers.length === 0
          ? 'No statement of a provider has come in yet. Differences appear here after the first one.'
          : view.providers.map(({ provider, compared_through: through, compared_at: at }) => (
              <span key={provider}>
                <b>{provider}</b> compared {timeAgo(at, Date.now())}, up to {minuteTime(through)}.{' '}
              </span>
            ))}
      </p>
      <div className="differences">
        {DIFFERENCE_KINDS.map((kind) => (
          <DifferenceList key={kind} kind={kind} view={view} onChanged={onChanged} />
        ))}
      </div>
      <WaitingList view={view} />
      <DebtList view={view} />
    </>
  );
}

type ListProps = Readonly<{ kind: DifferenceKind; view: ReconciliationView; onChanged: () => void }>;

function DifferenceList({ kind, view, onChanged }: ListProps) {
  const { title } = DIFFERENCE_LABELS[kind];
  const rows = view[kind];
  const open = rows.filter(({ explanation }) => explanation === null).length;
  return (
    <section className="card difference-list" aria-label={title} data-list={kind} data-count={rows.length}>
      <h3>
        {title} <span className="count">{rows.length}</span>
        {open > 0 && <Badge tone="waiting">{open} to explain</Badge>}
      </h3>
      <ListAdvice kind={kind} view={view} />
      <ul>
        {rows.map((difference) => (
          <DifferenceRow key={difference.difference_id} difference={difference} onChanged={onChanged} />
        ))}
      </ul>
    </section>
  );
}

/** Advice about the differences of one list; an all-clear only if a comparison found no differences. */
function ListAdvice({ kind, view }: Pick<ListProps, 'kind' | 'view'>) {
  const { advice, none } = DIFFERENCE_LABELS[kind];
  const comparison = comparisonOf(view[kind].length, view.providers.length);
  if (comparison === 'differs') return <p className="hint">{advice}</p>;
  return comparison === 'agrees' ? (
    <p className="difference-none">
      <Icon name="check" size={16} />
      {none}
    </p>
  ) : (
    <p className="hint" data-not-compared>
      Not compared yet.
    </p>
  );
}

function WaitingList({ view }: { readonly view: ReconciliationView }) {
  if (view.waiting.length === 0) return null;
  return (
    <section className="card difference-list" aria-label="Waiting payments">
      <h3>
        Waiting payments <span className="count">{view.waiting.length}</span>
      </h3>
      <ul>
        {view.waiting.map(
          ({ provider, provider_transaction_id: id, agent_id: agent, amount, currency, why, since }) => (
            <li key={`${provider} ${id}`} className="difference">
              <p className="credit-line">
                <b>
                  {amount ?? '?'} {currency ?? ''}
                </b>
                <span>{agent === null ? 'names no agent' : `for ${agent}`}</span>
              </p>
              <p className="credit-facts">
                <code>{id}</code> {provider}: {waitingLabel({ why })}, {timeAgo(since, Date.now())}
              </p>
            </li>
          ),
        )}
      </ul>
    </section>
  );
}

function DebtList({ view }: { readonly view: ReconciliationView }) {
  const showAgent = useShowAgent();
  const details = useVillageState((state) => state.details);
  if (view.in_debt.length === 0) return null;
  return (
    <section className="card difference-list" aria-label="Agents in debt">
      <h3>
        Agents in debt <span className="count">{view.in_debt.length}</span>
      </h3>
      <p className="hint">
        A refund took back money that they had already spent. They cannot spend until their balance is above zero.
      </p>
      <ul>
        {view.in_debt.map(({ agent_id: id, balance }) => (
          <li key={id} className="difference">
            <LinkButton word={details.get(id)?.display_name ?? id} onClick={() => showAgent(id, { tab: 'money' })} />{' '}
            <b className="entry-taken">{moneyLabel(balance)}</b>
          </li>
        ))}
      </ul>
    </section>
  );
}

function DifferenceRow({ difference, onChanged }: Readonly<{ difference: Difference; onChanged: () => void }>) {
  const [open, setOpen] = useState(false);
  const { ours, theirs } = sidesOf(difference);
  return (
    <li className="difference" data-difference={difference.difference_id} data-overdue={difference.overdue}>
      <p className="credit-line">
        <span>
          ledger <b>{ours}</b>
        </span>
        <span>
          provider <b>{theirs}</b>
        </span>
        {difference.overdue && <Badge tone="bad">Overdue</Badge>}
      </p>
      <p className="credit-facts">
        <code>{difference.provider_transaction_id}</code> {difference.provider}
        {difference.agent_id !== null && `, ${difference.agent_id}`}; owner:{' '}
        <ActorName id={difference.owner} role="admin" />; {lengthLabel(difference.age_s * 1000)} old
      </p>
      {difference.explanation !== null && (
        <p className="credit-facts">
          “{difference.explanation}”
          {difference.explained_by !== null && (
            <>
              , <ActorName id={difference.explained_by} role="admin" />
            </>
          )}
        </p>
      )}
      <LinkButton
        word={difference.explanation === null ? 'Explain' : 'Change the explanation'}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      />
      {open && (
        <Explain
          difference={difference}
          onDone={() => {
            setOpen(false);
            onChanged();
          }}
        />
      )}
    </li>
  );
}

function Explain({ difference, onDone }: Readonly<{ difference: Difference; onDone: () => void }>) {
  const viewer = useViewerId();
  const sending = useIntent();
  const { draft, of, forget } = useFormDraft(
    `explain-${difference.difference_id}`,
    { explanation: '' },
    sending.changed,
  );
  const explanation = draft.explanation.trim();
  const own = viewer === null ? null : `account ${viewer}`;
  const [take, setTake] = useState(true);
  const send = async (): Promise<void> => {
    const body = {
      ...(explanation === '' ? {} : { explanation }),
      ...(take && own !== null ? { owner: own } : {}),
    };
    const data = await sending.call(changeDifference, { params: { difference_id: difference.difference_id }, body });
    if (data === null) return;
    forget();
    onDone();
  };
  return (
    <ActionForm
      label="Explain"
      sending={sending}
      ready={explanation !== '' || (take && difference.owner !== own)}
      word="Save"
      onSend={() => void send()}
    >
      <TextField
        label="Explanation"
        name="explanation"
        rows={2}
        maxLength={EXPLANATION_MAX_CHARS}
        {...of('explanation')}
        placeholder="Refunded on Monday; tomorrow’s statement will list it"
      />
      <CheckField
        label="I am the owner of this difference"
        value={take}
        onChange={(on) => {
          setTake(on);
          sending.changed();
        }}
      />
    </ActionForm>
  );
}
