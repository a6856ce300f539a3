import type { PriceList, QuoteAnswer } from '@hamlet/contract';
import { buyCompute, getQuote, PURCHASE_KINDS, QUOTAS, roleMay } from '@hamlet/contract';
import { useState } from 'react';
import { fieldsOf, type FormDraft, useDraft } from '../../client/drafts.ts';
import { type Live, useIntent, useLive } from '../../client/query/use-live.ts';
import { useSettled } from '../../client/query/use-settled.ts';
import { ActionForm, Segments, SelectField, TextField } from '../../ui/fields.tsx';
import { Notice, RefusedNotice } from '../../ui/controls.tsx';
import { limitLabel } from '../market/item-labels.ts';
import { moneyLabel } from '../../client/labels.ts';
import { AgentField } from '../agent-field.tsx';
import { useAgentNames, useRole, useTierLabel, useVillage } from '../village-context.ts';
import { type BuyDraft, type BuyReading, EMPTY_PURCHASE, keptPurchase, readPurchase, UNITS } from './buy-draft.ts';
import { ASPECT_LABELS, itemLabel, KIND_LABELS } from './item-labels.ts';

const REFRESH_MS = 10_000;

/** Shows the price and the effect of a purchase while the person writes it. An admin pays with the agent's money. */
export function BuyForm({ prices, onBought }: Readonly<{ prices: PriceList; onBought: () => void }>) {
  const mayBuy = roleMay(useRole(), 'trade:buy');
  const [first] = useAgentNames();
  const { draft, reading, quote, of, ...purchase } = usePurchase(first?.id ?? '', onBought);
  const body = (
    <>
      <AgentField {...of('agent')} />
      <div className="field">
        <Segments
          label="Item"
          items={PURCHASE_KINDS.map((key) => ({ key, word: KIND_LABELS[key].word }))}
          {...of('kind')}
        />
        <p className="hint">{KIND_LABELS[draft.kind].does}</p>
      </div>
      <ItemFields draft={draft} prices={prices} of={of} />
      <div className="field-pair">
        <TextField label="Duration" name="length" inputMode="numeric" {...of('length')} />
        <SelectField label="Unit" name="unit" {...of('unit')} options={UNITS.map((unit) => [unit, unit])} />
      </div>
      {reading.ok ? <QuoteLines quote={quote} /> : <p className="field-problem">{reading.problem}</p>}
    </>
  );
  if (!mayBuy)
    return (
      <div className="form">
        {body}
        <p className="hint">Only admins buy for agents here. Agents buy for themselves.</p>
      </div>
    );
  return (
    <ActionForm
      label="Buy"
      sending={purchase.sending}
      ready={purchase.ready}
      word={purchase.price === null ? 'Buy' : `Buy for ${moneyLabel(purchase.price)}`}
      onSend={() => void purchase.buy()}
    >
      {body}
      {purchase.done !== null && (
        <Notice tone="good">
          <b>Bought.</b> {purchase.done}
        </Notice>
      )}
    </ActionForm>
  );
}

/** A purchase while a person writes it. Its draft stays in this tab; `buy` pays at most the price shown. */
function usePurchase(firstAgent: string, onBought: () => void) {
  const { agents } = useVillage();
  const sending = useIntent();
  const [kept, keep] = useDraft('buy');
  const typed = keptPurchase(kept);
  const [done, setDone] = useState<string | null>(null);
  const draft = typed.agent === '' ? { ...typed, agent: firstAgent } : typed;
  const reading = readPurchase(draft);
  const quote = useQuote(draft.agent, reading);
  const price = quote.data?.item?.price ?? null;
  const write = (change: Partial<BuyDraft>): void => {
    keep(JSON.stringify({ ...draft, ...change }));
    setDone(null);
    sending.changed();
  };
  const buy = async (): Promise<void> => {
    if (!reading.ok || price === null) return;
    const body = {
      agent_id: draft.agent,
      item: reading.item,
      seconds: reading.seconds,
      ...(price === '0' ? {} : { max_price: price }),
    };
    const data = await sending.call(buyCompute, { body });
    if (data === null) return;
    keep(JSON.stringify({ ...EMPTY_PURCHASE, agent: draft.agent }));
    setDone(`${itemLabel(data.item)}, for ${moneyLabel(data.price)}.`);
    onBought();
    void agents.refresh(draft.agent);
  };
  const ready = price !== null && quote.data?.agent?.after?.affordable !== false;
  return { draft, reading, quote, price, ready, sending, done, of: fieldsOf(draft, write), buy };
}

type FieldsProps = Pick<FormDraft<BuyDraft>, 'draft' | 'of'> & Readonly<{ prices: PriceList }>;

function ItemFields({ draft, prices, of }: FieldsProps) {
  switch (draft.kind) {
    case 'quota':
      return (
        <div className="field-pair">
          <SelectField
            label="Quota"
            name="limit"
            {...of('limit')}
            options={QUOTAS.map((limit) => [limit, ASPECT_LABELS[limit]])}
          />
          <TextField label="Amount to add" name="amount" inputMode="numeric" {...of('amount')} />
        </div>
      );
    case 'model':
      return (
        <SelectField
          label="Model"
          name="model"
          {...of('model')}
          options={[['', 'Choose a model'], ...Object.keys(prices.models).map((model) => [model, model] as const)]}
        />
      );
    case 'gpu':
      return (
        <div className="field-pair">
          <SelectField
            label="GPU"
            name="lane"
            {...of('lane')}
            options={[['', 'Choose a GPU'], ...prices.gpu.lanes.map(({ lane }) => [lane, lane] as const)]}
          />
          <TextField label="Start (empty: now)" name="starts-at" type="datetime-local" {...of('startsAt')} />
        </div>
      );
    case 'priority':
      return null;
  }
}

function useQuote(agentId: string, reading: BuyReading): Live<QuoteAnswer> {
  const wanted = reading.ok && agentId !== '' ? { agent_id: agentId, ...reading.item, seconds: reading.seconds } : null;
  // Equal drafts have equal text, so a new render sends no new request.
  const question = JSON.stringify(wanted);
  const settled = useSettled(question) === question;
  return useLive(getQuote, settled && wanted !== null ? { query: wanted } : null, REFRESH_MS);
}

type Item = NonNullable<QuoteAnswer['item']>;
type Agent = NonNullable<QuoteAnswer['agent']>;

function QuoteLines({ quote }: { readonly quote: Live<QuoteAnswer> }) {
  if (quote.refused !== null) return <RefusedNotice refused={quote.refused} />;
  const { item, agent } = quote.data ?? { item: null, agent: null };
  const after = agent?.after ?? null;
  if (item === null || agent === null || after === null)
    return (
      <p className="preview" role="status">
        Asking for the price…
      </p>
    );
  return <Effect item={item} agent={agent} after={after} />;
}

type EffectProps = Readonly<{ item: Item; agent: Agent; after: NonNullable<Agent['after']> }>;

function Effect({ item, agent, after }: EffectProps) {
  const [from, to] = [useTierLabel(agent.tier), useTierLabel(after.tier)];
  const warnings = warningsOf({
    item,
    after,
    fall: after.tier === agent.tier ? '' : `The agent falls from ${from} to ${to}.`,
  });
  return (
    <div
      className={warnings.length === 0 ? 'preview' : 'preview preview-bad'}
      role="status"
      data-price={item.price}
      data-affordable={after.affordable}
    >
      <p>
        <b>{moneyLabel(item.price)}</b>
        {after.affordable &&
          `: the agent keeps ${moneyLabel(after.available)} of its ${moneyLabel(agent.available)} to spend.`}
      </p>
      {warnings.map((warning) => (
        <p key={warning}>{warning}</p>
      ))}
      {after.affordable && after.limits !== null && (
        <p className="quote-limits">Limits meanwhile: {limitLabel(after.limits)}</p>
      )}
    </div>
  );
}

function warningsOf({ item, after, fall }: Pick<EffectProps, 'item' | 'after'> & { readonly fall: string }): string[] {
  return [
    after.affordable ? fall : `The agent needs ${moneyLabel(after.missing)} more.`,
    item.free ? '' : 'This GPU is taken for part of that time. Choose another time.',
  ].filter((warning) => warning !== '');
}
