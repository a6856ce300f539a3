import {
  AUCTION_STATES,
  type AuctionState,
  type AuctionView,
  type GpuLane,
  listAuctions,
  roleMay,
} from '@hamlet/contract';
import { type ReactElement, useCallback, useState } from 'react';
import type { Reply } from '../../../client/api.ts';
import type { PageOf } from '../../../client/ask/pages-state.ts';
import { usePages } from '../../../client/ask/use-pages.ts';
import { Icon } from '../../../ui/icon.tsx';
import { MoreButton } from '../../../ui/more-button.tsx';
import { RefusedNotice } from '../../../ui/notices/refused-notice.tsx';
import { useRole, useVillage } from '../../village-context.ts';
import { AuctionForm } from './auction-form.tsx';
import { AuctionRow } from './auction-row.tsx';
import { AUCTION_WORDS } from './auction-words.ts';

const PAGES = { everyMs: 3000, idOf: (auction: AuctionView): string => auction.auction_id };

/** Auctions of exclusive GPU windows: bids are sealed, the winner pays what the second has bid. */
export function AuctionList({ lanes }: { readonly lanes: readonly GpuLane[] }): ReactElement {
  const { api } = useVillage();
  const mayRun = roleMay(useRole(), 'auction:run');
  const [state, setState] = useState<AuctionState | null>(null);
  const [writing, setWriting] = useState(false);
  const [opened, setOpened] = useState<string | null>(null);
  const read = useCallback(
    async (cursor: string | null, signal?: AbortSignal): Promise<Reply<PageOf<AuctionView>>> => {
      const reply = await api.call(listAuctions, {
        ...(signal === undefined ? {} : { signal }),
        query: { ...(state === null ? {} : { state }), ...(cursor === null ? {} : { cursor }) },
      });
      return reply.ok ? { ok: true, data: { rows: reply.data.auctions, next: reply.data.next_cursor } } : reply;
    },
    [api, state],
  );
  const live = usePages(read, { ...PAGES, question: state ?? 'all' });
  return (
    <section className="card market-list" aria-label="Auctions">
      <header className="list-head">
        <h2>Auctions</h2>
        <label className="pick">
          State
          <select
            value={state ?? ''}
            onChange={(event) => setState(AUCTION_STATES.find((known) => known === event.target.value) ?? null)}
          >
            <option value="">All</option>
            {AUCTION_STATES.map((known) => (
              <option key={known} value={known}>
                {AUCTION_WORDS[known].word}
              </option>
            ))}
          </select>
        </label>
        {mayRun && (
          <button
            type="button"
            className="button button-small"
            aria-expanded={writing}
            onClick={() => setWriting(!writing)}
            data-action="new-auction"
          >
            <Icon name="gavel" size={15} />
            Offer a window
          </button>
        )}
      </header>
      <p className="hint">
        An exclusive GPU window goes to whoever bids the most, for what the second has bid. Agents bid; their money is
        held until the auction ends.
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
      {live.refused !== null && <RefusedNotice refused={live.refused} />}
      {live.rows?.length === 0 && (
        <p className="empty">{state === null ? 'No window has been offered yet.' : 'No auctions in this state.'}</p>
      )}
      <ul className="list-rows">
        {live.rows?.map((auction) => (
          <AuctionRow
            key={auction.auction_id}
            auction={auction}
            open={opened === auction.auction_id}
            onOpen={(on) => setOpened(on ? auction.auction_id : null)}
            onChanged={live.again}
          />
        ))}
      </ul>
      <MoreButton more={live.more} word="Older auctions" />
    </section>
  );
}
