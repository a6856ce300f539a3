import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { AiDollars, Amount } from '../../values/money.ts';
import { AgentId, NEXT_CURSOR, paging, plainText, Time } from '../../values/scalars.ts';
import { GpuLane, Lane, PURCHASE_SECONDS_MAX } from './price-list.ts';

export const QUOTAS = ['requests_per_minute', 'tokens_per_hour'] as const;
export type Quota = (typeof QUOTAS)[number];
export const PURCHASE_KINDS = ['quota', 'priority', 'model', 'gpu'] as const;
export type PurchaseKind = (typeof PURCHASE_KINDS)[number];

const AMOUNT_MAX = 1_000_000_000;

const QuotaItem = z.strictObject({
  kind: z.literal('quota'),
  limit: z.enum(QUOTAS),
  amount: z.int().min(1).max(AMOUNT_MAX).meta({ description: "Amount on top of the tier's limit", example: 10_000 }),
});
const PriorityItem = z.strictObject({ kind: z.literal('priority') });
const ModelItem = z.strictObject({ kind: z.literal('model'), model: plainText(128) });
const GpuItem = z.strictObject({
  kind: z.literal('gpu'),
  lane: Lane,
  starts_at: Time.optional().describe('Start of the window; at once by default'),
});

export const PurchaseItem = z.discriminatedUnion('kind', [QuotaItem, PriorityItem, ModelItem, GpuItem]);
export type PurchaseItem = z.infer<typeof PurchaseItem>;

export const PurchaseSeconds = z.int().min(1).max(PURCHASE_SECONDS_MAX);

/** A purchased item; a GPU lists its devices. */
export const BoughtItem = z.discriminatedUnion('kind', [
  QuotaItem,
  PriorityItem,
  ModelItem,
  GpuLane.extend({ kind: z.literal('gpu') }),
]);
export type BoughtItem = z.infer<typeof BoughtItem>;

/** A purchase never changes; its state depends on the clock. */
export const PurchaseView = z.strictObject({
  purchase_id: z.uuid(),
  agent_id: AgentId,
  item: BoughtItem,
  price: AiDollars,
  ledger_entry_id: z.uuid().describe("The entry `purchase_compute` of the agent's account"),
  auction_id: z.uuid().nullable().describe('Auction in which it was won'),
  starts_at: Time,
  ends_at: Time,
  state: z.enum(['ahead', 'active', 'ended']).describe('State by the clock of the database'),
  bought_by: z.strictObject({ role: z.string(), id: z.string() }),
  bought_at: Time,
});
export type PurchaseView = z.infer<typeof PurchaseView>;

export const buyCompute = defineRoute('buyCompute POST /economy/purchases', {
  tag: 'economy',
  summary:
    'Buy compute for a time: a higher limit, priority, a model or a GPU window; an agent for itself, an admin for any agent',
  permission: 'trade:buy',
  judged: true,
  body: z.strictObject({
    agent_id: AgentId.optional().describe('Agent that gets the item; an agent may omit its own id'),
    item: PurchaseItem,
    seconds: PurchaseSeconds,
    max_price: Amount.optional().describe('Highest acceptable price'),
  }),
  status: 201,
  answer: json(PurchaseView),
  reasons: [
    'not_own_agent',
    'no_such_agent',
    'agent_barred',
    'account_closed',
    'insufficient_funds',
    'not_for_sale',
    'already_included',
    'price_above_max',
    'window_taken',
    'window_out_of_range',
    'village_frozen',
  ],
});

export const listPurchases = defineRoute('listPurchases GET /economy/purchases', {
  tag: 'economy',
  summary: 'Purchases, newest first; an agent sees its own',
  permission: 'trade:read',
  query: z.strictObject({
    agent_id: AgentId.optional(),
    state: z.enum(['ahead', 'active', 'ended']).optional(),
    ...paging(),
  }),
  answer: json(z.strictObject({ purchases: z.array(PurchaseView), ...NEXT_CURSOR })),
  reasons: ['not_own_agent', 'cursor_invalid'],
});
