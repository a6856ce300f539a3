import type { Credit, CreditState } from '@hamlet/contract';
import { approveCredit, CREDIT_REASON_MAX_CHARS, CREDIT_STATES, listCredits, rejectCredit } from '@hamlet/contract';
import { useState } from 'react';
import { useIntent, usePages } from '../../client/query/use-live.ts';
import { Badge, Button, PagedList, RefusedNotice, Time, useNow } from '../../ui/controls.tsx';
import { Choices } from '../../ui/fields.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { moneyLabel } from '../../client/labels.ts';
import { ActorName } from '../actor-name.tsx';
import { useAgentName, useViewerId } from '../village-context.ts';
import { ReasonForm } from '../standing/reason-form.tsx';
import { CREDIT_LABELS, mayApprove } from './payment-labels.ts';

export function CreditList({ version }: { readonly version: number }) {
  const [state, setState] = useState<CreditState | null>(null);
  const live = usePages(
    listCredits,
    { query: state === null ? {} : { state } },
    { list: 'credits', id: 'credit_id', everyMs: 5000, version },
  );
  const limit = live.first?.approval_limit ?? null;
  return (
    <section className="card payment-card" aria-label="Credits">
      <header className="list-head">
        <h2>Credits</h2>
        <Choices
          label="State"
          keys={[null, ...CREDIT_STATES]}
          value={state}
          wordOf={(key) => (key === null ? 'All' : key === 'proposed' ? 'Waiting' : CREDIT_LABELS[key].word)}
          onChange={setState}
          small
        />
      </header>
      {limit !== null && (
        <p className="hint">
          One admin may credit up to {moneyLabel(limit)} a day. Above that, a second admin must approve.
        </p>
      )}
      <PagedList pages={live} className="list-rows" empty={emptyLabel(state)} older="Older credits">
        {(credit) => <CreditRow key={credit.credit_id} credit={credit} onDecided={live.again} />}
      </PagedList>
    </section>
  );
}

function emptyLabel(state: CreditState | null): string {
  if (state === null) return 'No credits yet. Every credited deposit appears here.';
  return state === 'proposed' ? 'No credit waits for a second admin.' : 'No credits in this state.';
}

function CreditRow({ credit, onDecided }: { readonly credit: Credit; readonly onDecided: () => void }) {
  const now = useNow(15_000);
  const name = useAgentName(credit.agent_id);
  const { word, tone } = CREDIT_LABELS[credit.state];
  return (
    <li className="credit-row" data-credit={credit.credit_id} data-state={credit.state}>
      <p className="credit-line">
        <b>{moneyLabel(credit.amount)}</b>
        <span>to {name}</span>
        <Badge tone={tone}>{word}</Badge>
      </p>
      <p className="credit-facts">
        <code>{credit.provider_transaction_id}</code> {credit.provider},{' '}
        {credit.origin === 'webhook' ? (
          'reported by the provider'
        ) : (
          <>
            by <ActorName id={credit.requested_by} role="admin" />
          </>
        )}
        , <Time at={credit.requested_at} word={timeAgo(credit.requested_at, now)} />
      </p>
      {credit.note !== '' && <p className="credit-facts">“{credit.note}”</p>}
      {credit.state === 'credited' && credit.net !== credit.amount && (
        <p className="credit-facts entry-taken">
          {moneyLabel(credit.net)} of it remains. The rest was refunded or is disputed.
        </p>
      )}
      {credit.decided_by !== null && (
        <p className="credit-facts">
          {credit.state === 'rejected' ? 'Rejected' : 'Approved'} by <ActorName id={credit.decided_by} role="admin" />
          {credit.decision_reason !== null && <>: “{credit.decision_reason}”</>}
        </p>
      )}
      {credit.state === 'proposed' && <Decide credit={credit} onDecided={onDecided} />}
    </li>
  );
}

function Decide({ credit, onDecided }: { readonly credit: Credit; readonly onDecided: () => void }) {
  const approving = useIntent();
  const [open, setOpen] = useState(false);
  const may = mayApprove(credit, useViewerId());
  const params = { credit_id: credit.credit_id };
  const approve = async (): Promise<void> => {
    const data = await approving.call(approveCredit, { params, body: {} });
    if (data !== null) onDecided();
  };
  const word = may ? 'Reject' : 'Withdraw';
  return (
    <div className="credit-decide">
      <div className="button-row">
        {may && (
          <Button
            className="button-go"
            word="Approve"
            aria-disabled={approving.busy}
            onClick={() => void approve()}
            data-action="approve"
          />
        )}
        <Button word={`${word}…`} aria-expanded={open} onClick={() => setOpen(!open)} />
        {!may && <span className="hint">You proposed it. Another admin must approve it.</span>}
      </div>
      {approving.refused !== null && <RefusedNotice refused={approving.refused} />}
      {open && (
        <ReasonForm
          draft={`reject-${credit.credit_id}`}
          label={word}
          word={word}
          send={(intent, { reason }) => intent.call(rejectCredit, { params, body: { reason } })}
          onDone={onDecided}
          maxLength={CREDIT_REASON_MAX_CHARS}
          danger
        />
      )}
    </div>
  );
}
