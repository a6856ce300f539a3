import type { PurchaseItem, Quota } from '@hamlet/contract';

const QUOTA_WORDS: Readonly<Record<Quota, string>> = {
  requests_per_minute: 'requests a minute',
  tokens_per_hour: 'tokens an hour',
};

/** An item in words: `20,000 more tokens an hour`. Pure. */
export function purchaseText(item: PurchaseItem): string {
  switch (item.kind) {
    case 'quota':
      return `${item.amount.toLocaleString('en')} more ${QUOTA_WORDS[item.limit]}`;
    case 'priority':
      return 'priority for a seat';
    case 'model':
      return `the model ${item.model}`;
    case 'gpu':
      return `the GPU ${item.lane} for itself`;
  }
}
