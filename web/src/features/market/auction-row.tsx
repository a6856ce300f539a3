import { type AuctionView, cancelAuction, getAuction, roleMay } from '@hamlet/contract';
import { type ReactElement } from 'react';
import { useLive } from '../../client/query/use-live.ts';
import { Badge } from '../../ui/badge.tsx';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { minuteTime, lengthLabel, timeAgo, timeAhead } from '../../ui/time-labels.ts';
import { useNow } from '../../ui/time.tsx';
import { moneyLabel } from '../money/money-labels.ts';
import { actorLabel } from '../../client/actor-labels.ts';
import { ReasonForm } from '../standing/reason-form.tsx';
import { useRole, useViewerId, useVillage, useVillageState } from '../village-context.ts';
import { AUCTION_LABELS, BID_LABELS } from './auction-labels.ts';

const REFRESH_MS = 3000;
const REASON_MAX = 500;

interface RowProps {
  readonly auction: AuctionView;
  readonly open: boolean;
  readonly onOpen: (on: boolean) => void;
  readonly onChanged: () => void;
}

/**
 * One auction in a line. When open, it shows the bids of an ended auction, and lets admins cancel one that has not
 * ended.
 */
export function AuctionRow({ auction, open, onOpen, onChanged }: RowProps): ReactElement {
  const now = useNow(1000);
  const { word, tone } = AUCTION_LABELS[auction.state];
  const startMs = Date.parse(auction.starts_at);
  return (
    <li className="auction" data-auction={auction.auction_id} data-state={auction.state}>
      <button type="button" className="auction-line" aria-expanded={open} onClick={() => onOpen(!open)}>
        <Badge tone={tone}>{word}</Badge>
        <span className="purchase-what">
          <b>{auction.gpu.lane}</b> {minuteTime(auction.starts_at)}, for{' '}
          {lengthLabel(Date.parse(auction.ends_at) - startMs)}
          <small>{stateLine(auction, now)}</small>
        </span>
        <span className="purchase-price">
          <Outcome auction={auction} />
        </span>
      </button>
      {open && <Details auction={auction} onChanged={onChanged} />}
    </li>
  );
}

function Outcome({ auction }: { readonly auction: AuctionView }): ReactElement {
  const winner = useVillageState((state) => state.details.get(auction.winner ?? '')?.display_name ?? auction.winner);
  if (auction.price !== null)
    return (
      <>
        <b>{moneyLabel(auction.price)}</b>
        <small>{winner}</small>
      </>
    );
  return (
    <>
      <small>from</small> <b>{moneyLabel(auction.reserve)}</b>
    </>
  );
}

function stateLine(
  { state, bidders, closes_at: closes, ended_at: ended, end_reason: reason }: AuctionView,
  nowMs: number,
): string {
  const count = bidders === 1 ? '1 bidder' : `${bidders} bidders`;
  if (state === 'open')
    return Date.parse(closes) > nowMs
      ? `${count}; bidding ends ${timeAhead(Date.parse(closes), nowMs)}`
      : `${count}; the village settles it now`;
  return `${count}${ended === null ? '' : `, ended ${timeAgo(ended, nowMs)}`}${reason === null || reason === '' ? '' : `: ${reason}`}`;
}

function Details({ auction, onChanged }: Readonly<{ auction: AuctionView; onChanged: () => void }>): ReactElement {
  const viewer = useViewerId();
  const details = useVillageState((state) => state.details);
  const mayRun = roleMay(useRole(), 'auction:run');
  const live = useLive(getAuction, { params: { auction_id: auction.auction_id } }, REFRESH_MS);
  const bids = live.data?.bids ?? [];
  return (
    <div className="auction-details">
      <p className="hint">
        Opened by {actorLabel(auction.created_by.id, auction.created_by.role, viewer)}, {minuteTime(auction.created_at)}
        ; {auction.gpu.count} × {auction.gpu.resource_name}.{auction.note !== '' && <> “{auction.note}”</>}
      </p>
      {live.refused !== null && <RefusedNotice refused={live.refused} />}
      {auction.state === 'open' && <p className="hint">Bids are sealed. They appear when the auction has ended.</p>}
      {bids.length > 0 && (
        <table className="times">
          <thead>
            <tr>
              <th scope="col">Bid</th>
              <th scope="col">Agent</th>
              <th scope="col">Outcome</th>
            </tr>
          </thead>
          <tbody>
            {bids.map((bid) => (
              <tr key={bid.bid_id}>
                <td>{moneyLabel(bid.amount)}</td>
                <td>{details.get(bid.agent_id)?.display_name ?? bid.agent_id}</td>
                <td>{BID_LABELS[bid.outcome]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {auction.state === 'open' && mayRun && <CancelForm auction={auction} onDone={onChanged} />}
    </div>
  );
}

function CancelForm({ auction, onDone }: { readonly auction: AuctionView; readonly onDone: () => void }): ReactElement {
  const { api } = useVillage();
  const params = { auction_id: auction.auction_id };
  return (
    <details className="call-off">
      <summary>Cancel the auction…</summary>
      <ReasonForm
        draft={`cancel-auction-${auction.auction_id}`}
        label="Cancel the auction"
        word="Cancel and return all bids"
        send={({ reason }, idempotencyKey) => api.call(cancelAuction, { params, body: { reason }, idempotencyKey })}
        onDone={onDone}
        maxLength={REASON_MAX}
        danger
      />
    </details>
  );
}
