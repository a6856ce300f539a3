import type { PurchaseView } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { Avatar } from '../../ui/avatar.tsx';
import { Icon } from '../../ui/icon.tsx';
import { dateTime, lengthWords, timeAhead, timeAgo } from '../../ui/time-words.ts';
import { useNow } from '../../ui/use-now.ts';
import { moneyWords } from '../money/money-words.ts';
import { actorWords } from '../people/actor-words.ts';
import { useViewerId, useVillageState } from '../village-context.ts';
import { itemWords, KIND_WORDS } from './item-words.ts';

export const PURCHASE_WORDS = {
  active: { word: 'Active', tone: 'good' },
  ahead: { word: 'Ahead', tone: 'waiting' },
  ended: { word: 'Over', tone: 'sleep' },
} as const;

/** One purchase in a line: who, what, until when, for how much, and by whom. */
export function PurchaseRow({
  purchase,
  withAgent,
}: {
  readonly purchase: PurchaseView;
  readonly withAgent: boolean;
}): ReactElement {
  const now = useNow(5000);
  const viewer = useViewerId();
  const name = useVillageState((state) => state.details.get(purchase.agent_id)?.display_name ?? purchase.agent_id);
  const { word, tone } = PURCHASE_WORDS[purchase.state];
  const { id, role } = purchase.bought_by;
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
      <span className={`badge badge-${tone}`}>
        <span className={`mark mark-${tone}`} aria-hidden="true" />
        {word}
      </span>
      <span className="purchase-what">
        <Icon name={KIND_WORDS[purchase.item.kind].icon} size={15} />
        {itemWords(purchase.item)}
        <small>
          {whenWords(purchase, now)}
          {withAgent &&
            `; bought by ${actorWords(id, role, viewer)}${purchase.auction_id === null ? '' : ' in an auction'}`}
        </small>
      </span>
      <b className="purchase-price">{moneyWords(purchase.price)}</b>
    </li>
  );
}

function whenWords({ state, starts_at: from, ends_at: to }: PurchaseView, nowMs: number): string {
  const length = lengthWords(Date.parse(to) - Date.parse(from));
  if (state === 'active') return `for ${length}, ends ${timeAhead(Date.parse(to), nowMs)}`;
  return state === 'ahead'
    ? `for ${length}, from ${dateTime(minuteOf(from))}`
    : `for ${length}, ended ${timeAgo(to, nowMs)}`;
}

function minuteOf(iso: string): number {
  return Math.floor(Date.parse(iso) / 60_000) * 60_000;
}
