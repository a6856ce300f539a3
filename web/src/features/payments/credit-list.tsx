import {
  approveCredit,
  type Credit,
  CREDIT_REASON_MAX_CHARS,
  CREDIT_STATES,
  type CreditState,
  listCredits,
  rejectCredit,
} from '@hamlet/contract';
import { type ReactElement, useCallback, useState } from 'react';
import type { Reply } from '../../client/api.ts';
import type { PageOf } from '../../client/ask/pages-state.ts';
import { usePages } from '../../client/ask/use-pages.ts';
import { useSend } from '../../client/ask/use-send.ts';
import { Choices } from '../../ui/choices.tsx';
import { ActionForm } from '../../ui/action-form.tsx';
import { MoreButton } from '../../ui/more-button.tsx';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { timeAgo } from '../../ui/time-words.ts';
import { useNow } from '../../ui/use-now.ts';
import { moneyWords } from '../money/money-labels.ts';
import { actorWords } from '../people/actor-words.ts';
import { useViewerId, useVillage, useVillageState } from '../village-context.ts';
import { CREDIT_WORDS, mayApprove } from './payment-labels.ts';

const PAGES = { everyMs: 5000, idOf: (credit: Credit): string => credit.credit_id };

/** Credits and proposals, newest first; what waits for a second admin can be decided here. `version` changes when one was sent. */
export function CreditList({ version }: { readonly version: number }): ReactElement {
  const { api } = useVillage();
  const [state, setState] = useState<CreditState | null>(null);
  const [limit, setLimit] = useState<string | null>(null);
  const read = useCallback(
    async (cursor: string | null, signal?: AbortSignal): Promise<Reply<PageOf<Credit>>> => {
      const reply = await api.call(listCredits, {
        ...(signal === undefined ? {} : { signal }),
        query: { ...(state === null ? {} : { state }), ...(cursor === null ? {} : { cursor }) },
      });
      if (!reply.ok) return reply;
      setLimit(reply.data.approval_limit);
      return { ok: true, data: { rows: reply.data.credits, next: reply.data.next_cursor } };
    },
    [api, state],
  );
  const live = usePages(read, { ...PAGES, question: state ?? 'all', version });
  return (
    <section className="card payment-card" aria-label="Deposits">
      <header className="list-head">
        <h2>Deposits</h2>
        <Choices
          label="State"
          keys={[null, ...CREDIT_STATES]}
          chosen={state}
          wordOf={(key) => (key === null ? 'All' : key === 'proposed' ? 'Waiting' : CREDIT_WORDS[key].word)}
          onChoose={setState}
          small
        />
      </header>
      {limit !== null && (
        <p className="hint">
          One admin alone credits up to {moneyWords(limit)} in a day; above it a second one decides.
        </p>
      )}
      {live.refused !== null && <RefusedNotice refused={live.refused} />}
      {live.rows === null && live.refused === null && <p className="empty">Reading…</p>}
      {live.rows?.length === 0 && <p className="empty">{noneWords(state)}</p>}
      <ul className="list-rows">
        {live.rows?.map((credit) => (
          <CreditRow key={credit.credit_id} credit={credit} onDecided={live.again} />
        ))}
      </ul>
      <MoreButton more={live.more} word="Older deposits" />
    </section>
  );
}

function noneWords(state: CreditState | null): string {
  if (state === null) return 'No deposits yet.';
  return state === 'proposed' ? 'No deposits wait for a second admin.' : 'No deposits in this state.';
}

function CreditRow({ credit, onDecided }: { readonly credit: Credit; readonly onDecided: () => void }): ReactElement {
  const now = useNow(15_000);
  const viewer = useViewerId();
  const name = useVillageState((state) => state.details.get(credit.agent_id)?.display_name ?? credit.agent_id);
  const { word, tone } = CREDIT_WORDS[credit.state];
  return (
    <li className="credit-row" data-credit={credit.credit_id} data-state={credit.state}>
      <p className="credit-line">
        <b>{moneyWords(credit.amount)}</b>
        <span>to {name}</span>
        <span className={`badge badge-${tone}`}>
          <span className={`mark mark-${tone}`} aria-hidden="true" />
          {word}
        </span>
      </p>
      <p className="credit-facts">
        <code>{credit.provider_transaction_id}</code> {credit.provider},{' '}
        {credit.origin === 'webhook'
          ? 'told by the provider'
          : `by ${actorWords(credit.requested_by, 'admin', viewer)}`}
        ,{' '}
        <time dateTime={credit.requested_at} title={credit.requested_at}>
          {timeAgo(credit.requested_at, now)}
        </time>
      </p>
      {credit.note !== '' && <p className="credit-facts">“{credit.note}”</p>}
      {credit.state === 'credited' && credit.net !== credit.amount && (
        <p className="credit-facts entry-taken">
          {moneyWords(credit.net)} of it stands: the rest was refunded or is disputed.
        </p>
      )}
      {credit.decided_by !== null && (
        <p className="credit-facts">
          {credit.state === 'rejected' ? 'Rejected' : 'Approved'} by {actorWords(credit.decided_by, 'admin', viewer)}
          {credit.decision_reason !== null && <>: “{credit.decision_reason}”</>}
        </p>
      )}
      {credit.state === 'proposed' && <Decide credit={credit} onDecided={onDecided} />}
    </li>
  );
}

/** Approving another admin's proposal, or rejecting one with a reason; one's own can only be taken back. */
function Decide({ credit, onDecided }: { readonly credit: Credit; readonly onDecided: () => void }): ReactElement {
  const { api } = useVillage();
  const viewer = useViewerId();
  const approving = useSend();
  const rejecting = useSend();
  const [open, setOpen] = useState(false);
  const [reason, setReason] = useState('');
  const may = mayApprove(credit, viewer);
  const params = { credit_id: credit.credit_id };
  const approve = async (): Promise<void> => {
    const reply = await approving.send((idempotencyKey) =>
      api.call(approveCredit, { params, body: {}, idempotencyKey }),
    );
    if (reply?.ok === true) onDecided();
  };
  const reject = async (): Promise<void> => {
    const reply = await rejecting.send((idempotencyKey) =>
      api.call(rejectCredit, { params, body: { reason: reason.trim() }, idempotencyKey }),
    );
    if (reply?.ok === true) onDecided();
  };
  return (
    <div className="credit-decide">
      <div className="button-row">
        {may && (
          <button
            type="button"
            className="button button-small button-go"
            aria-disabled={approving.busy}
            onClick={() => void approve()}
            data-action="approve"
          >
            Approve: credit it
          </button>
        )}
        <button type="button" className="button button-small" aria-expanded={open} onClick={() => setOpen(!open)}>
          {may ? 'Reject…' : 'Take it back…'}
        </button>
        {!may && <span className="hint">You proposed it: another admin has to approve.</span>}
      </div>
      {approving.refused !== null && <RefusedNotice refused={approving.refused} />}
      {open && (
        <ActionForm
          label="Reject"
          sending={rejecting}
          ready={reason.trim() !== ''}
          word={may ? 'Reject' : 'Take it back'}
          danger
          onSend={() => void reject()}
        >
          <label>
            Reason
            <input
              name="reason"
              maxLength={CREDIT_REASON_MAX_CHARS}
              value={reason}
              onChange={(event) => {
                setReason(event.target.value);
                rejecting.changed();
              }}
            />
          </label>
        </ActionForm>
      )}
    </div>
  );
}
