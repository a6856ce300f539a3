import { z } from 'zod';
import { TIER_LIMITS } from '../../kinds/tier-limits.ts';
import { AiDollars } from '../../values/money.ts';
import { defineRoute, json } from '../../http/route.ts';
import { Limits } from '../agents.ts';
import { AgentId, Time } from '../../values/scalars.ts';
import { Lane, PriceList, PURCHASE_SECONDS_MAX } from './price-list.ts';
import { BoughtItem, PURCHASE_KINDS, PurchaseItem, PurchaseView, QUOTAS } from './purchases.ts';

const HOUR_S = 3_600;

/** Without `kind`, the answer quotes no item. */
const QuoteQuery = z
  .strictObject({
    agent_id: AgentId.optional().describe("Agent whose money and limits to show; an agent's own by default"),
    kind: z.enum(PURCHASE_KINDS).optional(),
    limit: z.enum(QUOTAS).optional(),
    amount: z.coerce.number().int().optional(),
    model: z.string().optional(),
    lane: Lane.optional(),
    starts_at: Time.optional(),
    seconds: z.coerce.number().int().min(1).max(PURCHASE_SECONDS_MAX).default(HOUR_S),
  })
  .superRefine((query, context) => {
    const item = quotedItem(query);
    if (item === null || item.success) return;
    for (const { path, message } of item.error.issues) context.addIssue({ code: 'custom', path, message });
  });
export type QuoteQuery = z.infer<typeof QuoteQuery>;

/** The quoted item; null if the query names none. */
export function quotedItem({
  agent_id: _agent,
  seconds: _seconds,
  ...item
}: Omit<QuoteQuery, 'seconds'> & { readonly seconds?: number }): z.ZodSafeParseResult<PurchaseItem> | null {
  return item.kind === undefined ? null : PurchaseItem.safeParse(item);
}

export const TIER_ASPECTS = [
  ...TIER_LIMITS.map(({ name }) => name),
  'models',
  'cpu',
  'memory',
  'gpu',
  'priority_class',
  'price_per_hour',
  'price_per_thousand_tokens',
] as const;
export const TierChange = z.strictObject({ what: z.enum(TIER_ASPECTS), from: z.string(), to: z.string() });
export type TierChange = z.infer<typeof TierChange>;

export const NextTier = z.strictObject({
  tier: z.string(),
  min_balance: AiDollars,
  missing: AiDollars.describe('Balance that the agent still needs to reach it'),
  changes: z.array(TierChange),
});
export type NextTier = z.infer<typeof NextTier>;

const AfterPurchase = z.strictObject({
  affordable: z.boolean(),
  missing: AiDollars.describe('Amount that the agent still needs to buy it; 0 if it has enough'),
  balance: AiDollars,
  available: AiDollars,
  tier: z.string().nullable().describe('Tier after the purchase: spending can lose one'),
  limits: Limits.nullable().describe('Limits while the purchase lasts'),
});

export const QuoteAnswer = z.strictObject({
  as_of: Time,
  price_list: PriceList,
  item: z
    .strictObject({
      item: BoughtItem,
      seconds: z.int(),
      starts_at: Time,
      ends_at: Time,
      price: AiDollars,
      free: z.boolean().describe('True if the GPU window is free'),
    })
    .nullable(),
  agent: z
    .strictObject({
      agent_id: AgentId,
      balance: AiDollars,
      held: AiDollars,
      available: AiDollars,
      tier: z.string().nullable(),
      policy: z.enum(['ByBalance', 'Pinned']),
      limits: Limits.nullable().describe('Present limits: of the tier and of purchases'),
      purchases: z.array(PurchaseView).describe('Purchases in force now'),
      after: AfterPurchase.nullable(),
      next: NextTier.nullable().describe('Next tier; null at the highest one, or if the tier is pinned'),
    })
    .nullable(),
});
export type QuoteAnswer = z.infer<typeof QuoteAnswer>;

export const getQuote = defineRoute('getQuote GET /economy/quote', {
  summary: "Price of an item, the agent's tier and limits after buying it, and the next tier within its reach",
  tag: 'economy',
  permission: 'trade:read',
  query: QuoteQuery,
  answer: json(QuoteAnswer),
  reasons: ['not_own_agent', 'no_such_agent', 'not_for_sale', 'window_out_of_range'],
});
