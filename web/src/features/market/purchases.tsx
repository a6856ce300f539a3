import { listPurchases, type PurchaseView } from '@hamlet/contract';
import { useState } from 'react';
import { usePages } from '../../client/query/use-live.ts';
import { Avatar, Badge, Icon, PagedList, useNow } from '../../ui/controls.tsx';
import { Choices } from '../../ui/fields.tsx';
import { lengthLabel, minuteTime, timeAgo, timeAhead } from '../../ui/time-labels.ts';
import { moneyLabel } from '../../client/labels.ts';
import { ActorName } from '../actor-name.tsx';
import { useAgentName } from '../village-context.ts';
import { itemLabel, KIND_LABELS } from './item-labels.ts';

const STATES = ['active', 'ahead', 'ended'] as const;

export function PurchaseList({ version }: { readonly version: number }) {
  const [state, setState] = useState<(typeof STATES)[number] | null>(null);
  const live = usePages(
    listPurchases,
    { query: state === null ? {} : { state } },
    { list: 'purchases', id: 'purchase_id', everyMs: 5000, version },
  );
  return (
    <section className="card market-list" aria-label="Purchases">
      <header className="list-head">
        <h2>Purchases</h2>
        <Choices
          label="State"
          keys={[null, ...STATES]}
          value={state}
          wordOf={(key) => (key === null ? 'All' : PURCHASE_LABELS[key].word)}
          onChange={setState}
          small
        />
      </header>
      <PagedList
        pages={live}
        className="list-rows"
        empty={
          state === null ? 'No purchases yet. Everything that agents buy appears here.' : 'No purchases in this state.'
        }
        older="Older purchases"
      >
        {(purchase) => <PurchaseRow key={purchase.purchase_id} purchase={purchase} withAgent />}
      </PagedList>
    </section>
  );
}

const PURCHASE_LABELS = {
  active: { word: 'Active', tone: 'good' },
  ahead: { word: 'Planned', tone: 'waiting' },
  ended: { word: 'Ended', tone: 'sleep' },
} as const;

export function PurchaseRow({ purchase, withAgent }: Readonly<{ purchase: PurchaseView; withAgent: boolean }>) {
  const now = useNow(5000);
  const name = useAgentName(purchase.agent_id);
  const { word, tone } = PURCHASE_LABELS[purchase.state];
  return (
    <li
      className="purchase-row"
      data-purchase={purchase.purchase_id}
      data-state={purchase.state}
      data-kind={purchase.item.kind}
    >
      {withAgent && (
        <span className="entry-who">
          <Avatar id={purchase.agent_id} size={24} />
          {name}
        </span>
      )}
      <Badge tone={tone}>{word}</Badge>
      <span className="purchase-what">
        <Icon name={KIND_LABELS[purchase.item.kind].icon} size={15} />
        {itemLabel(purchase.item)}
        <small>
          {whenLabel(purchase, now)}
          {withAgent && (
            <>
              ; bought by <ActorName {...purchase.bought_by} />
              {purchase.auction_id !== null && ' in an auction'}
            </>
          )}
        </small>
      </span>
      <b className="purchase-price">{moneyLabel(purchase.price)}</b>
    </li>
  );
}

function whenLabel({ state, starts_at: from, ends_at: to }: PurchaseView, nowMs: number): string {
  const length = lengthLabel(Date.parse(to) - Date.parse(from));
  if (state === 'active') return `for ${length}, ends ${timeAhead(Date.parse(to), nowMs)}`;
  return state === 'ahead' ? `for ${length}, from ${minuteTime(from)}` : `for ${length}, ended ${timeAgo(to, nowMs)}`;
}
