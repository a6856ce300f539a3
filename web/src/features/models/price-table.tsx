import type { ModelPriceView } from '@hamlet/contract';
import type { ReactElement } from 'react';

/** The price table of the village: the first row that matches provider and model applies. */
export function PriceTable({ prices }: { readonly prices: readonly ModelPriceView[] }): ReactElement {
  return (
    <section className="card price-card" aria-label="Prices">
      <h2>Prices of the providers</h2>
      <p className="hint">
        Prices for a million tokens. They show what answers cost the village; agents pay the price of their tier in
        aiDollars.
      </p>
      {prices.length === 0 ? (
        <p className="empty">No prices yet. Connect a provider and write its prices there.</p>
      ) : (
        <div className="price-scroll" tabIndex={0} role="group" aria-label="Table of prices">
          <table className="times price-table">
            <thead>
              <tr>
                {['Provider', 'Model', 'Prompt', 'Cached prompt', 'Answer', ''].map((word) => (
                  <th key={word} scope="col">
                    {word}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {prices.map((price, index) => (
                <tr key={index}>
                  <td>{price.provider ?? 'any'}</td>
                  <td>
                    <code>{price.model}</code>
                  </td>
                  <td>
                    {price.prompt} {price.currency}
                  </td>
                  <td>{price.cached_prompt ?? 'as prompt'}</td>
                  <td>
                    {price.completion} {price.currency}
                  </td>
                  <td>{price.source === 'stored' ? 'yours' : 'configuration'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
