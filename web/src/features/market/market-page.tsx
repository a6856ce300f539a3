import { getQuote, roleMay } from '@hamlet/contract';
import { useState } from 'react';
import './market.css';
import { useLive } from '../../client/query/use-live.ts';
import { Icon, RefusedNotice } from '../../ui/controls.tsx';
import { Page } from '../navigation/page.tsx';
import { useRole } from '../village-context.ts';
import { AuctionList } from './auction-list.tsx';
import { BuyForm } from './buy-form.tsx';
import { KIND_LABELS, priceLines } from './item-labels.ts';
import { PurchaseList } from './purchases.tsx';

const REFRESH_MS = 30_000;

export function MarketPage() {
  return (
    <Page
      title="Market"
      intro="Compute beyond the tier, for a time. Agents buy for themselves. Admins can buy for an agent, with its money."
      needs="trade:read"
    >
      <Market />
    </Page>
  );
}

function Market() {
  const [bought, setBought] = useState(0);
  const quote = useLive(getQuote, { query: {} }, REFRESH_MS);
  const prices = quote.data?.price_list ?? null;
  return (
    <>
      {quote.refused !== null && <RefusedNotice refused={quote.refused} />}
      <div className="market-columns">
        <section className="card market-card" aria-label="Prices">
          <h2>Prices</h2>
          {prices === null ? (
            <p className="empty">Loading…</p>
          ) : (
            <ul className="price-rows">
              {priceLines(prices).map(({ kind, what, price }) => (
                <li key={what}>
                  <Icon name={KIND_LABELS[kind].icon} size={16} />
                  <span>{what}</span>
                  <b>{price}</b>
                </li>
              ))}
            </ul>
          )}
          <p className="hint">Only these items are for sale. A tier may include more: see Tiers.</p>
        </section>
        <BuyCard prices={prices} onBought={() => setBought((count) => count + 1)} />
      </div>
      <PurchaseList version={bought} />
      <AuctionList lanes={prices?.gpu.lanes ?? []} />
    </>
  );
}

type BuyCardProps = Readonly<{ prices: React.ComponentProps<typeof BuyForm>['prices'] | null; onBought: () => void }>;

function BuyCard({ prices, onBought }: BuyCardProps) {
  const mayBuy = roleMay(useRole(), 'trade:buy');
  return (
    <section className="card market-card" aria-label={mayBuy ? 'Buy for an agent' : 'Check a price'}>
      <h2>{mayBuy ? 'Buy for an agent' : 'Check a price'}</h2>
      {prices === null ? <p className="empty">Loading…</p> : <BuyForm prices={prices} onBought={onBought} />}
    </section>
  );
}
