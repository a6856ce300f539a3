import type { AuctionState, AuctionView, GpuLane } from '@hamlet/contract';
import {
  AUCTION_STATES,
  cancelAuction,
  formatAiDollars,
  getAuction,
  listAuctions,
  openAuction,
  roleMay,
} from '@hamlet/contract';
import { useState } from 'react';
import { useFormDraft } from '../../client/drafts.ts';
import { useIntent, useLive, usePages } from '../../client/query/use-live.ts';
import { Badge, Button, PagedList, RefusedNotice, useNow } from '../../ui/controls.tsx';
import { ActionForm, SelectField, TextField } from '../../ui/fields.tsx';
import { moneyLabel, readAmount } from '../../client/labels.ts';
import { ActorName } from '../actor-name.tsx';
import { useRole, useVillageState } from '../village-context.ts';
import { AUCTION_LABELS, type AuctionDraft, BID_LABELS, localField, readAuction } from './auction-labels.ts';
import { lengthLabel, minuteTime, timeAgo, timeAhead } from '../../ui/time-labels.ts';
import { ReasonForm } from '../standing/reason-form.tsx';

export function AuctionList({ lanes }: { readonly lanes: readonly GpuLane[] }) {
  const mayRun = roleMay(useRole(), 'auction:run');
  const [state, setState] = useState<AuctionState | ''>('');
  const [writing, setWriting] = useState(false);
  const [opened, setOpened] = useState<string | null>(null);
  const live = usePages(
    listAuctions,
    { query: state === '' ? {} : { state } },
    { list: 'auctions', id: 'auction_id', everyMs: 3000 },
  );
  return (
    <section className="card market-list" aria-label="Auctions">
      <header className="list-head">
        <h2>Auctions</h2>
        <SelectField<AuctionState | ''>
          className="pick"
          label="State"
          name="auction-state"
          value={state}
          options={[['', 'All'], ...AUCTION_STATES.map((known) => [known, AUCTION_LABELS[known].word] as const)]}
          onChange={setState}
        />
        {mayRun && (
          <Button
            icon="gavel"
            iconPx={15}
            word="New auction"
            aria-expanded={writing}
            onClick={() => setWriting(!writing)}
            data-action="new-auction"
          />
        )}
      </header>
      <p className="hint">
        The agent with the highest bid gets the GPU alone for the window, and pays the second highest bid. The village
        holds the money of all bids until the auction ends.
      </p>
      {writing && (
        <AuctionForm
          lanes={lanes}
          onDone={(made) => {
            setWriting(false);
            if (made !== null) {
              setOpened(made);
              live.again();
            }
          }}
        />
      )}
      <PagedList
        pages={live}
        className="list-rows"
        empty={state === '' ? 'No auctions yet. An admin offers a GPU window here.' : 'No auctions in this state.'}
        older="Older auctions"
      >
        {(auction) => (
          <AuctionRow
            key={auction.auction_id}
            auction={auction}
            open={opened === auction.auction_id}
            onOpen={(on) => setOpened(on ? auction.auction_id : null)}
            onChanged={live.again}
          />
        )}
      </PagedList>
    </section>
  );
}

const HOUR_MS = 3_600_000;
const NOTE_MAX = 500;

type AuctionFormProps = Readonly<{ lanes: readonly GpuLane[]; onDone: (made: string | null) => void }>;

/** Opening an auction reserves the window at once. */
function AuctionForm({ lanes, onDone }: AuctionFormProps) {
  const sending = useIntent();
  const now = useNow(5000);
  const [empty] = useState<AuctionDraft>(() => ({
    lane: lanes[0]?.lane ?? '',
    startsAt: localField(Date.now() + 2 * HOUR_MS),
    hours: '1',
    closesAt: localField(Date.now() + HOUR_MS),
    reserve: '1',
    note: '',
  }));
  const { draft, of, forget } = useFormDraft('auction', empty, sending.changed);
  const reading = readAuction(draft, now);
  const reserve = readAmount(draft.reserve);
  const send = async (): Promise<void> => {
    if (!reading.ok || reserve === null) return;
    const { ok: _, ...times } = reading;
    const data = await sending.call(openAuction, {
      body: { lane: draft.lane, ...times, reserve: formatAiDollars(reserve), note: draft.note.trim() },
    });
    if (data === null) return;
    forget();
    onDone(data.auction_id);
  };
  return (
    <ActionForm
      label="New auction"
      sending={sending}
      ready={reading.ok && reserve !== null && reserve > 0n}
      word="Open the auction"
      onCancel={() => onDone(null)}
      onSend={() => void send()}
    >
      <div className="field-grid">
        <SelectField label="GPU" name="lane" {...of('lane')} options={lanes.map(({ lane }) => [lane, lane])} />
        <TextField label="Window begins" name="starts-at" type="datetime-local" {...of('startsAt')} />
        <TextField label="Hours" name="hours" inputMode="numeric" {...of('hours')} />
        <TextField label="Bidding ends" name="closes-at" type="datetime-local" {...of('closesAt')} />
        <TextField label="Lowest bid in aiDollars" name="reserve" inputMode="decimal" {...of('reserve')} />
        <TextField label="Note" name="note" maxLength={NOTE_MAX} {...of('note')} />
      </div>
      {!reading.ok && <p className="field-problem">{reading.problem}</p>}
    </ActionForm>
  );
}

const REFRESH_MS = 3000;
const REASON_MAX = 500;

type RowProps = Readonly<{ auction: AuctionView; open: boolean; onOpen: (on: boolean) => void; onChanged: () => void }>;

function AuctionRow({ auction, open, onOpen, onChanged }: RowProps) {
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

function Outcome({ auction }: { readonly auction: AuctionView }) {
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

function Details({ auction, onChanged }: Readonly<{ auction: AuctionView; onChanged: () => void }>) {
  const details = useVillageState((state) => state.details);
  const mayRun = roleMay(useRole(), 'auction:run');
  const live = useLive(getAuction, { params: { auction_id: auction.auction_id } }, REFRESH_MS);
  const bids = live.data?.bids ?? [];
  return (
    <div className="auction-details">
      <p className="hint">
        Opened by <ActorName {...auction.created_by} />, {minuteTime(auction.created_at)}; {auction.gpu.count} ×{' '}
        {auction.gpu.resource_name}.{auction.note !== '' && <> “{auction.note}”</>}
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

function CancelForm({ auction, onDone }: { readonly auction: AuctionView; readonly onDone: () => void }) {
  const params = { auction_id: auction.auction_id };
  return (
    <details className="call-off">
      <summary>Cancel the auction…</summary>
      <ReasonForm
        draft={`cancel-auction-${auction.auction_id}`}
        label="Cancel the auction"
        word="Cancel and return all bids"
        send={(intent, { reason }) => intent.call(cancelAuction, { params, body: { reason } })}
        onDone={onDone}
        maxLength={REASON_MAX}
        danger
      />
    </details>
  );
}
