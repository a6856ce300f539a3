import type { QuoteAnswer } from '@hamlet/contract';
import type { ReactElement } from 'react';
import type { Live } from '../../client/ask/use-live.ts';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { limitWords } from '../inspector/fact-words.ts';
import { moneyWords } from '../money/money-words.ts';

type Item = NonNullable<QuoteAnswer['item']>;
type Agent = NonNullable<QuoteAnswer['agent']>;

/** What a purchase costs, what is left, whether the tier is lost by it, and the limits while it lasts. */
export function QuoteLines({ quote }: { readonly quote: Live<QuoteAnswer> }): ReactElement {
  if (quote.refused !== null) return <RefusedNotice refused={quote.refused} />;
  const { item, agent } = quote.data ?? { item: null, agent: null };
  if (item === null || agent === null || agent.after === null)
    return (
      <p className="preview" role="status">
        Asking for the price…
      </p>
    );
  return <Effect item={item} agent={agent} after={agent.after} />;
}

function Effect({
  item,
  agent,
  after,
}: {
  readonly item: Item;
  readonly agent: Agent;
  readonly after: NonNullable<Agent['after']>;
}): ReactElement {
  const warnings = warningsOf(item, agent, after);
  return (
    <div
      className={warnings.length === 0 ? 'preview' : 'preview preview-bad'}
      role="status"
      data-price={item.price}
      data-affordable={after.affordable}
    >
      <p>
        <b>{moneyWords(item.price)}</b>: {moneyWords(agent.available)} <span aria-hidden="true">→</span>
        <span className="sr-only">becomes</span> {moneyWords(after.available)} to spend.
      </p>
      {warnings.map((warning) => (
        <p key={warning}>{warning}</p>
      ))}
      {after.affordable && after.limits !== null && (
        <p className="quote-limits">Limits meanwhile: {limitWords(after.limits)}</p>
      )}
    </div>
  );
}

function warningsOf(item: Item, agent: Agent, after: NonNullable<Agent['after']>): string[] {
  return [
    after.affordable ? '' : `${moneyWords(after.missing)} are missing.`,
    after.affordable && after.tier !== agent.tier
      ? `Spending this takes it from ${agent.tier ?? 'no tier'} to ${after.tier ?? 'no tier'}.`
      : '',
    item.free ? '' : 'This GPU is taken for a part of that time.',
  ].filter((warning) => warning !== '');
}
