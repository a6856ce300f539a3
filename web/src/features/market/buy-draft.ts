import type { PurchaseItem, PurchaseKind, Quota } from '@hamlet/contract';
import { PURCHASE_KINDS, PURCHASE_SECONDS_MAX, QUOTAS } from '@hamlet/contract';
import { readJsonDraft, type Checked } from '../../client/drafts.ts';

/** The fields of a purchase while a person writes it. Numbers stay as typed; `startsAt` is local time, and empty means now. */
export interface BuyDraft {
  readonly agent: string;
  readonly kind: PurchaseKind;
  readonly limit: Quota;
  readonly amount: string;
  readonly model: string;
  readonly lane: string;
  readonly startsAt: string;
  readonly length: string;
  readonly unit: (typeof UNITS)[number];
}
export const UNITS = ['minutes', 'hours', 'days'] as const;
const UNIT_SECONDS = { minutes: 60, hours: 3600, days: 86_400 } as const satisfies Record<BuyDraft['unit'], number>;
export const EMPTY_PURCHASE: BuyDraft = {
  agent: '',
  kind: 'quota',
  limit: 'tokens_per_hour',
  amount: '500000',
  model: '',
  lane: '',
  startsAt: '',
  length: '1',
  unit: 'hours',
};

export type BuyReading = Checked<{ item: PurchaseItem; seconds: number }>;

/** Reads a stored draft. Another version of the page may have stored it, so an unknown kind, limit or unit becomes the default. */
export function keptPurchase(kept: string): BuyDraft {
  const draft = readJsonDraft<BuyDraft>(kept, EMPTY_PURCHASE);
  const { kind, limit, unit } = EMPTY_PURCHASE;
  return {
    ...draft,
    kind: PURCHASE_KINDS.includes(draft.kind) ? draft.kind : kind,
    limit: QUOTAS.includes(draft.limit) ? draft.limit : limit,
    unit: UNITS.includes(draft.unit) ? draft.unit : unit,
  };
}

/** Reads a draft. The problem says what is missing or wrong. */
export function readPurchase(draft: BuyDraft): BuyReading {
  const seconds = /^[0-9]{1,7}$/.test(draft.length.trim())
    ? Number(draft.length) * UNIT_SECONDS[draft.unit]
    : Number.NaN;
  if (!(seconds >= 1 && seconds <= PURCHASE_SECONDS_MAX)) return wrong('Write a duration of at most a week');
  const item = itemOf(draft);
  return typeof item === 'string' ? wrong(item) : { ok: true, item, seconds };
}

const wrong = (problem: string): BuyReading => ({ ok: false, problem });

function itemOf(draft: BuyDraft): PurchaseItem | string {
  const { kind, limit, amount, model } = draft;
  switch (kind) {
    case 'quota':
      return /^[0-9]{1,9}$/.test(amount.trim()) && Number(amount) > 0
        ? { kind, limit, amount: Number(amount) }
        : 'Write the amount to add as a whole number';
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
    ? 'Write a start as date and time'
    : { kind: 'gpu', lane, starts_at: new Date(atMs).toISOString() };
}
