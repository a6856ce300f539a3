import {
  PURCHASE_KINDS,
  PURCHASE_SECONDS_MAX,
  type PurchaseItem,
  type PurchaseKind,
  type Quota,
  QUOTAS,
} from '@hamlet/contract';
import { readJsonDraft } from '../../client/ask/json-draft.ts';

/** A purchase while it is written. Numbers are kept as they were typed; `startsAt` is a local time as the browser's field has it, empty for at once. */
export interface BuyDraft {
  readonly agent: string;
  readonly kind: PurchaseKind;
  readonly limit: Quota;
  readonly amount: string;
  readonly model: string;
  readonly lane: string;
  readonly startsAt: string;
  readonly length: string;
  readonly unit: keyof typeof UNIT_SECONDS;
}
export const UNIT_SECONDS = { minutes: 60, hours: 3600, days: 86_400 } as const;
export const EMPTY_PURCHASE: BuyDraft = {
  agent: '',
  kind: 'quota',
  limit: 'tokens_per_hour',
  amount: '10000',
  model: '',
  lane: '',
  startsAt: '',
  length: '1',
  unit: 'hours',
};

export type BuyReading =
  | { readonly ok: true; readonly item: PurchaseItem; readonly seconds: number }
  | { readonly ok: false; readonly problem: string };

/** A draft as it was kept as a text. A kind, limit or unit that this page does not know is the usual one: another version may have kept it. */
export function keptPurchase(kept: string): BuyDraft {
  const draft = readJsonDraft<BuyDraft>(kept, EMPTY_PURCHASE);
  const { kind, limit, unit } = EMPTY_PURCHASE;
  return {
    ...draft,
    kind: PURCHASE_KINDS.includes(draft.kind) ? draft.kind : kind,
    limit: QUOTAS.includes(draft.limit) ? draft.limit : limit,
    unit: Object.hasOwn(UNIT_SECONDS, draft.unit) ? draft.unit : unit,
  };
}

/** Reads a draft; what is missing or wrong is told in words. */
export function readPurchase(draft: BuyDraft): BuyReading {
  const seconds = /^[0-9]{1,7}$/.test(draft.length.trim())
    ? Number(draft.length) * UNIT_SECONDS[draft.unit]
    : Number.NaN;
  if (!(seconds >= 1 && seconds <= PURCHASE_SECONDS_MAX)) return wrong('Write for how long, a week at most');
  const item = itemOf(draft);
  return typeof item === 'string' ? wrong(item) : { ok: true, item, seconds };
}

function wrong(problem: string): BuyReading {
  return { ok: false, problem };
}

/** What is to be bought, or what of it is missing. */
function itemOf(draft: BuyDraft): PurchaseItem | string {
  const { kind, limit, amount, model } = draft;
  switch (kind) {
    case 'quota':
      return /^[0-9]{1,9}$/.test(amount.trim()) && Number(amount) > 0
        ? { kind, limit, amount: Number(amount) }
        : 'Write how much more, in whole numbers';
    case 'priority':
      return { kind };
    case 'model':
      return model === '' ? 'Choose a model' : { kind, model };
    case 'gpu':
      return windowOf(draft);
  }
}

function windowOf({ lane, startsAt }: BuyDraft): PurchaseItem | string {
  if (lane === '') return 'Choose a GPU';
  if (startsAt === '') return { kind: 'gpu', lane };
  const atMs = Date.parse(startsAt);
  return Number.isNaN(atMs)
    ? 'This time cannot be read'
    : { kind: 'gpu', lane, starts_at: new Date(atMs).toISOString() };
}
