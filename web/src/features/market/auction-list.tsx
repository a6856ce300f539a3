import {
  AUCTION_STATES,
  type AuctionState,
  formatAiDollars,
  type GpuLane,
  listAuctions,
  openAuction,
  roleMay,
} from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { useFormDraft } from '../../client/drafts.ts';
import { usePages } from '../../client/query/use-pages.ts';
import { useIntent } from '../../client/query/use-intent.ts';
import { Button } from '../../ui/button.tsx';
import { ActionForm } from '../../ui/action-form.tsx';
import { SelectField, TextField } from '../../ui/fields.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { useNow } from '../../ui/time.tsx';
import { readAmount } from '../money/money-labels.ts';
import { useRole, useVillage } from '../village-context.ts';
import { AUCTION_LABELS, type AuctionDraft, localField, readAuction } from './auction-labels.ts';
import { AuctionRow } from './auction-row.tsx';

/** Auctions of exclusive GPU windows. Bids are sealed; the winner pays the second highest bid. */
export function AuctionList({ lanes }: { readonly lanes: readonly GpuLane[] }): ReactElement {
  const mayRun = roleMay(useRole(), 'auction:run');
  const [state, setState] = useState<AuctionState | ''>('');
  const [writing, setWriting] = useState(false);
  const [opened, setOpened] = useState<string | null>(null);
  const live = usePages(listAuctions, (cursor) => ({ query: { ...(state === '' ? {} : { state }), ...cursor } }), {
    everyMs: 3000,
    pageOf: ({ auctions: rows, next_cursor: next }) => ({ rows, next }),
    idOf: ({ auction_id: id }) => id,
  });
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

/**
 * Offers a GPU window in an auction, which reserves the window at once. The draft stays in this tab until it is sent.
 */
function AuctionForm({ lanes, onDone }: AuctionFormProps): ReactElement {
  const { api } = useVillage();
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
    const reply = await sending.send((idempotencyKey) =>
      api.call(openAuction, {
        body: { lane: draft.lane, ...times, reserve: formatAiDollars(reserve), note: draft.note.trim() },
        idempotencyKey,
      }),
    );
    if (reply?.ok !== true) return;
    forget();
    onDone(reply.data.auction_id);
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
