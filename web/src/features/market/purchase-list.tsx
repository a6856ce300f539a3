import { listPurchases, type PurchaseView } from '@hamlet/contract';
import { type ReactElement, useCallback, useState } from 'react';
import type { Reply } from '../../client/api.ts';
import type { PageOf } from '../../client/ask/pages-state.ts';
import { usePages } from '../../client/ask/use-pages.ts';
import { Choices } from '../../ui/choices.tsx';
import { MoreButton } from '../../ui/more-button.tsx';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { useVillage } from '../village-context.ts';
import { PURCHASE_WORDS, PurchaseRow } from './purchase-row.tsx';

const PAGES = { everyMs: 5000, idOf: (purchase: PurchaseView): string => purchase.purchase_id };
const STATES = ['active', 'ahead', 'ended'] as const;

/** What agents bought, newest first. `version` changes when something was bought here. */
export function PurchaseList({ version }: { readonly version: number }): ReactElement {
  const { api } = useVillage();
  const [state, setState] = useState<(typeof STATES)[number] | null>(null);
  const read = useCallback(
    async (cursor: string | null, signal?: AbortSignal): Promise<Reply<PageOf<PurchaseView>>> => {
      const reply = await api.call(listPurchases, {
        ...(signal === undefined ? {} : { signal }),
        query: { ...(state === null ? {} : { state }), ...(cursor === null ? {} : { cursor }) },
      });
      return reply.ok ? { ok: true, data: { rows: reply.data.purchases, next: reply.data.next_cursor } } : reply;
    },
    [api, state],
  );
  const live = usePages(read, { ...PAGES, question: state ?? 'all', version });
  return (
    <section className="card market-list" aria-label="Purchases">
      <header className="list-head">
        <h2>Purchases</h2>
        <Choices
          label="State"
          keys={[null, ...STATES]}
          chosen={state}
          wordOf={(key) => (key === null ? 'All' : PURCHASE_WORDS[key].word)}
          onChoose={setState}
          small
        />
      </header>
      {live.refused !== null && <RefusedNotice refused={live.refused} />}
      {live.rows?.length === 0 && (
        <p className="empty">{state === null ? 'Nothing has been bought yet.' : 'No purchases in this state.'}</p>
      )}
      <ul className="list-rows">
        {live.rows?.map((purchase) => (
          <PurchaseRow key={purchase.purchase_id} purchase={purchase} withAgent />
        ))}
      </ul>
      <MoreButton more={live.more} word="Older purchases" />
    </section>
  );
}
