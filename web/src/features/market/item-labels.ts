import type { BoughtItem, Limits, PriceList, PurchaseItem, TierChange } from '@hamlet/contract';
import { purchaseText } from '@hamlet/core';
import type { IconName } from '../../ui/icon-paths.ts';
import { capital, moneyLabel } from '../../client/labels.ts';

export const KIND_LABELS: Readonly<
  Record<BoughtItem['kind'], { readonly word: string; readonly icon: IconName; readonly does: string }>
> = {
  quota: { word: 'Quota', icon: 'signal', does: 'Adds to one quota of the tier.' },
  priority: { word: 'Priority', icon: 'up', does: 'Moves the agent up among those that wait for a seat.' },
  model: { word: 'Model', icon: 'thought', does: 'Opens a model that the tier does not include.' },
  gpu: { word: 'GPU window', icon: 'chip', does: 'Gives the agent a GPU of its own for a time.' },
};

export function itemLabel(item: BoughtItem): string {
  return item.kind === 'gpu'
    ? `${item.lane}: ${item.count === 1 ? 'one GPU' : `${item.count} GPUs`} of its own`
    : capital(purchaseText(item));
}

interface PriceLine {
  readonly kind: BoughtItem['kind'];
  readonly what: string;
  readonly price: string;
}

export function priceLines({
  requests_per_minute: requests,
  tokens_per_hour: tokens,
  priority,
  models,
  gpu,
}: PriceList): readonly PriceLine[] {
  const hour = (amount: string): string => `${moneyLabel(amount)} an hour`;
  const line = (item: PurchaseItem, amount: string): PriceLine => ({
    kind: item.kind,
    what: capital(purchaseText(item)),
    price: hour(amount),
  });
  return [
    line({ kind: 'quota', limit: 'requests_per_minute', amount: requests.unit }, requests.per_hour),
    line({ kind: 'quota', limit: 'tokens_per_hour', amount: tokens.unit }, tokens.per_hour),
    line({ kind: 'priority' }, priority.per_hour),
    ...Object.entries(models).map(([model, { per_hour: amount }]) => line({ kind: 'model', model }, amount)),
    ...gpu.lanes.map(({ lane, count }) => ({
      kind: 'gpu' as const,
      what: `${lane}: ${count === 1 ? 'one GPU' : `${count} GPUs`}, exclusive`,
      price: hour(gpu.per_hour),
    })),
  ];
}

export const ASPECT_LABELS: Readonly<Record<TierChange['what'], string>> = {
  requests_per_minute: 'Requests a minute',
  concurrent_tools: 'Tools at once',
  concurrent_model_requests: 'Model requests at once',
  web_searches_per_hour: 'Web searches an hour',
  web_requests_per_hour: 'Web requests an hour',
  browser_calls_per_hour: 'Browser calls an hour',
  tokens_per_hour: 'Tokens an hour',
  models: 'Models',
  cpu: 'Processor',
  memory: 'Memory',
  gpu: 'GPU',
  priority_class: 'Priority',
  price_per_hour: 'Price an hour',
  price_per_thousand_tokens: 'Price per 1,000 tokens',
};

/** One difference between two tiers: `Requests a minute: 30 → 120`. */
export function changeLine({ what, from, to }: TierChange): Readonly<{ what: string; from: string; to: string }> {
  return { what: ASPECT_LABELS[what], from: grouped(from), to: grouped(to) };
}

function grouped(text: string): string {
  if (text === '') return 'none';
  return /^[0-9]{4,15}$/.test(text) ? Number(text).toLocaleString('en') : text;
}

export function limitLabel(limits: Limits | null): string {
  if (limits === null) return 'Not known';
  const parts = [
    limits.requests_per_minute === null ? '' : `${limits.requests_per_minute} requests/min`,
    limits.concurrent_tools === null
      ? ''
      : limits.concurrent_tools === 1
        ? '1 tool at once'
        : `${limits.concurrent_tools} tools at once`,
    limits.concurrent_model_requests === null ? '' : `${limits.concurrent_model_requests} model requests at once`,
    limits.tokens_per_hour === null ? '' : `${limits.tokens_per_hour.toLocaleString('en')} tokens/h`,
    limits.models.length === 0 ? '' : `${limits.models.length === 1 ? 'model' : 'models'} ${limits.models.join(', ')}`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'None' : parts.join(' · ');
}
