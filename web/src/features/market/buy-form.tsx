import { buyCompute, getQuote, type PriceList, PURCHASE_KINDS, QUOTAS, type QuoteAnswer, roleMay } from '@hamlet/contract';
import { type ReactElement, useCallback, useMemo, useState } from 'react';
import type { Reply } from '../../client/api.ts';
import { useDraft } from '../../client/ask/use-draft.ts';
import { type Live, useLive } from '../../client/ask/use-live.ts';
import { type Sending, useSend } from '../../client/ask/use-send.ts';
import { useSettled } from '../../client/ask/use-settled.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { Icon } from '../../ui/icon.tsx';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { limitWords } from '../inspector/fact-words.ts';
import { moneyWords } from '../money/money-labels.ts';
import { useAgentNames } from '../people/use-agent-names.ts';
import { useRole, useVillage } from '../village-context.ts';
import { type BuyDraft, type BuyReading, EMPTY_PURCHASE, keptPurchase, readPurchase, UNIT_SECONDS } from './buy-draft.ts';
import { itemWords, KIND_WORDS } from './item-labels.ts';

interface BuyProps {
  readonly prices: PriceList;
  readonly onBought: () => void;
}
interface FieldProps {
  readonly draft: BuyDraft;
  readonly prices: PriceList;
  readonly write: (change: Partial<BuyDraft>) => void;
}

/** Asks what a purchase costs and what it would do, while it is written; admins buy it with the agent's money. */
export function BuyForm({ prices, onBought }: BuyProps): ReactElement {
  const agents = useAgentNames();
  const mayBuy = roleMay(useRole(), 'trade:buy');
  const { draft, reading, quote, write, ...purchase } = usePurchase(agents[0]?.id ?? '', onBought);
  const fields = { draft, prices, write };
  const body = (
    <>
      <label>
        Agent
        <select name="agent" value={draft.agent} onChange={(event) => write({ agent: event.target.value })}>
          {agents.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <KindField {...fields} />
      <ItemFields {...fields} />
      <LengthField {...fields} />
      {reading.ok ? <QuoteLines quote={quote} /> : <p className="field-problem">{reading.problem}</p>}
    </>
  );
  if (!mayBuy)
    return (
      <div className="form">
        {body}
        <p className="hint">Admins buy for agents; agents buy for themselves.</p>
      </div>
    );
  return (
    <ActionForm
      label="Buy"
      sending={purchase.sending}
      ready={purchase.ready}
      word={purchase.price === null ? 'Buy' : `Buy for ${moneyWords(purchase.price)}`}
      onSend={() => void purchase.buy()}
    >
      {body}
      {purchase.done !== null && (
        <p className="notice notice-good" role="status">
          <Icon name="check" size={16} />
          <span>
            <b>Bought.</b> {purchase.done}
          </span>
        </p>
      )}
    </ActionForm>
  );
}

/** A purchase while it is written: what it is, what it costs, and buying it for at most that. It stays in this tab until it is bought; then its agent stays. */
interface Purchase {
  readonly draft: BuyDraft;
  readonly reading: BuyReading;
  readonly quote: Live<QuoteAnswer>;
  readonly price: string | null;
  readonly ready: boolean;
  readonly sending: Sending;
  readonly done: string | null;
  write(change: Partial<BuyDraft>): void;
  buy(): Promise<void>;
}

function usePurchase(firstAgent: string, onBought: () => void): Purchase {
  const { api, village } = useVillage();
  const sending = useSend();
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
    const reply = await sending.send((idempotencyKey) => api.call(buyCompute, { body, idempotencyKey }));
    if (reply?.ok !== true) return;
    keep(JSON.stringify({ ...EMPTY_PURCHASE, agent: draft.agent }));
    setDone(`${itemWords(reply.data.item)}, for ${moneyWords(reply.data.price)}.`);
    onBought();
    void village.refreshAgent(draft.agent);
  };
  return {
    draft,
    reading,
    quote,
    price,
    ready: price !== null && quote.data?.agent?.after?.affordable !== false,
    sending,
    done,
    write,
    buy,
  };
}

function KindField({ draft, write }: FieldProps): ReactElement {
  return (
    <div className="field">
      <div className="segments" role="radiogroup" aria-label="What">
        {PURCHASE_KINDS.map((kind) => (
          <label key={kind} className="segment" data-kind={kind}>
            <input type="radio" name="purchase-kind" checked={draft.kind === kind} onChange={() => write({ kind })} />
            {KIND_WORDS[kind].word}
          </label>
        ))}
      </div>
      <p className="hint">{KIND_WORDS[draft.kind].does}</p>
    </div>
  );
}

function ItemFields({ draft, prices, write }: FieldProps): ReactElement | null {
  switch (draft.kind) {
    case 'quota':
      return (
        <div className="field-pair">
          <label>
            Limit
            <select
              name="limit"
              value={draft.limit}
              onChange={(event) => {
                const limit = QUOTAS.find((known) => known === event.target.value);
                if (limit !== undefined) write({ limit });
              }}
            >
              <option value="requests_per_minute">Requests a minute</option>
              <option value="tokens_per_hour">Tokens an hour</option>
            </select>
          </label>
          <label>
            How much more
            <input
              name="amount"
              inputMode="numeric"
              autoComplete="off"
              value={draft.amount}
              onChange={(event) => write({ amount: event.target.value })}
            />
          </label>
        </div>
      );
    case 'model':
      return (
        <label>
          Model
          <select name="model" value={draft.model} onChange={(event) => write({ model: event.target.value })}>
            <option value="">Choose one</option>
            {Object.keys(prices.models).map((model) => (
              <option key={model} value={model}>
                {model}
              </option>
            ))}
          </select>
        </label>
      );
    case 'gpu':
      return (
        <div className="field-pair">
          <label>
            GPU
            <select name="lane" value={draft.lane} onChange={(event) => write({ lane: event.target.value })}>
              <option value="">Choose one</option>
              {prices.gpu.lanes.map(({ lane }) => (
                <option key={lane} value={lane}>
                  {lane}
                </option>
              ))}
            </select>
          </label>
          <label>
            From, if not at once
            <input
              name="starts-at"
              type="datetime-local"
              value={draft.startsAt}
              onChange={(event) => write({ startsAt: event.target.value })}
            />
          </label>
        </div>
      );
    case 'priority':
      return null;
  }
}

function LengthField({ draft, write }: FieldProps): ReactElement {
  return (
    <div className="field-pair">
      <label>
        For how long
        <input
          name="length"
          inputMode="numeric"
          autoComplete="off"
          value={draft.length}
          onChange={(event) => write({ length: event.target.value })}
        />
      </label>
      <label>
        <span className="sr-only">Unit</span>
        <span aria-hidden="true">&nbsp;</span>
        <select
          name="unit"
          value={draft.unit}
          onChange={(event) => {
            const unit = event.target.value;
            if (isUnit(unit)) write({ unit });
          }}
        >
          {Object.keys(UNIT_SECONDS).map((unit) => (
            <option key={unit} value={unit}>
              {unit}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function isUnit(text: string): text is BuyDraft['unit'] {
  return Object.hasOwn(UNIT_SECONDS, text);
}

type Item = NonNullable<QuoteAnswer['item']>;
type Agent = NonNullable<QuoteAnswer['agent']>;

/** What a purchase costs, what is left, whether the tier is lost by it, and the limits while it lasts. */
function QuoteLines({ quote }: { readonly quote: Live<QuoteAnswer> }): ReactElement {
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

const REFRESH_MS = 10_000;
/** How long after the last letter a price is asked. */
const TYPING_MS = 250;

/** What a purchase would cost an agent and do to it; nothing while none can be read. The answer to another question is no answer to this one. */
function useQuote(agentId: string, reading: BuyReading): Live<QuoteAnswer> {
  const { api } = useVillage();
  const wanted = reading.ok && agentId !== '' ? { agent_id: agentId, ...reading.item, seconds: reading.seconds } : null;
  const said = JSON.stringify(wanted);
  // The same question is the same object, however often it is drawn.
  const question = useMemo(() => wanted, [said]); // eslint-disable-line react-hooks/exhaustive-deps
  const settled = useSettled(question, TYPING_MS);
  const read = useCallback(async (): Promise<Reply<QuoteAnswer & { readonly of: unknown }>> => {
    const reply = await api.call(getQuote, { query: settled ?? {} });
    return reply.ok ? { ok: true, data: { ...reply.data, of: settled } } : reply;
  }, [api, settled]);
  const live = useLive(settled === null ? null : read, REFRESH_MS);
  return {
    data: live.data?.of === question ? live.data : null,
    refused: settled === question ? live.refused : null,
    again: live.again,
  };
}
