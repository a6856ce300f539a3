import { z } from 'zod';
import { AiDollars, Amount } from '../values/money.ts';
import { defineRoute, json } from '../http/route.ts';
import { AgentId, NEXT_CURSOR, paging, Time } from '../values/scalars.ts';

export const ENTRY_REASONS = [
  'reward',
  'penalty',
  'deposit_credit',
  'purchase_compute',
  'usage',
  'refund',
  'adjustment',
] as const;
export const EntryReason = z.enum(ENTRY_REASONS);
export type EntryReason = z.infer<typeof EntryReason>;

export const NOTE_MAX_CHARS = 500;
export const LEDGER_PAGE_MAX = 100;

/** Entries never change: a further entry corrects a wrong one. */
export const LedgerEntry = z.strictObject({
  ledger_entry_id: z.uuid(),
  agent_id: AgentId,
  amount: AiDollars.describe('Change of the balance: negative if money was taken'),
  currency: z.literal('aiDollar'),
  reason: EntryReason,
  source: z.string().describe('Source of the money: a person, `system`, or the transaction id of a payment provider'),
  related_post_id: z.uuid().nullable(),
  note: z.string().describe('Reason in the words of its author'),
  timestamp: Time,
  version: z.int().min(1).describe('Number of the entry in its account: 1, 2, 3, without gaps'),
  balance_after: AiDollars,
});
export type LedgerEntry = z.infer<typeof LedgerEntry>;

const PostId = z.uuid();

/** `post_id` is an alias of `related_post_id`. */
const Judgement = z
  .strictObject({
    agent_id: AgentId,
    amount: Amount,
    reason: z.string().trim().min(1).max(NOTE_MAX_CHARS).describe('Reason; kept as the note of the entry'),
    related_post_id: PostId.nullable()
      .optional()
      .describe('Post or reply that it is for: one that the agent wrote or replied to'),
    post_id: PostId.nullable().optional().describe('The same as related_post_id'),
  })
  .refine(
    ({ related_post_id: related, post_id: post }) => related === undefined || post === undefined || related === post,
    { path: ['post_id'], message: 'post_id and related_post_id name different posts: leave one of them out' },
  );

const judgement = {
  tag: 'economy',
  audiences: ['people'],
  permission: 'economy:judge',
  body: Judgement,
  status: 201,
  answer: json(LedgerEntry),
} as const;

const NAMED = ['no_such_agent', 'no_such_post', 'not_part_of_post', 'account_closed'] as const;

export const rewardAgent = defineRoute('rewardAgent POST /economy/reward', {
  ...judgement,
  summary: 'Give an agent aiDollars from the treasury, with a reason; a member within the daily allowance',
  reasons: [...NAMED, 'allowance_exceeded', 'village_frozen'],
});

export const penalizeAgent = defineRoute('penalizeAgent POST /economy/penalize', {
  ...judgement,
  summary: 'Take aiDollars from an agent back to the treasury, with a reason; a member within the daily allowance',
  reasons: [...NAMED, 'insufficient_funds', 'allowance_exceeded', 'village_frozen'],
});

export const Allowance = z.strictObject({
  daily: AiDollars.nullable().describe('Allowance of a day; null without a limit'),
  used: AiDollars,
  left: AiDollars.nullable().describe('Remaining allowance; null without a limit'),
  resets_at: Time.describe("Start of the village's next day"),
});
export type Allowance = z.infer<typeof Allowance>;

export const getAllowance = defineRoute('getAllowance GET /economy/allowance', {
  summary: 'Amount that the caller may still give and take today; admins have no limit',
  tag: 'economy',
  audiences: ['people'],
  permission: 'economy:judge',
  answer: json(Allowance),
});

const AsOf = Time.optional().describe('A past moment, for which the answer never changes; now by default');

export const BalanceAnswer = z.strictObject({
  agent_id: AgentId,
  balance: AiDollars,
  held: AiDollars,
  available: AiDollars,
  as_of: Time,
});
export type BalanceAnswer = z.infer<typeof BalanceAnswer>;

export const getBalance = defineRoute('getBalance GET /economy/balance/{agent_id}', {
  summary: 'Balance of an agent, the part on hold and the part it can spend; now or at a past moment',
  tag: 'economy',
  permission: 'world:read',
  query: z.strictObject({ as_of: AsOf }),
  answer: json(BalanceAnswer),
  reasons: ['no_such_agent'],
});

export const LedgerPage = z.strictObject({
  agent_id: AgentId,
  entries: z.array(LedgerEntry),
  as_of: Time,
  ...NEXT_CURSOR,
});
export type LedgerPage = z.infer<typeof LedgerPage>;

export const getLedger = defineRoute('getLedger GET /economy/ledger/{agent_id}', {
  summary: "Entries of an agent's account, newest first; all pages show the same moment",
  tag: 'economy',
  permission: 'ledger:read',
  query: z.strictObject({ as_of: AsOf, ...paging({ max: LEDGER_PAGE_MAX }) }),
  answer: json(LedgerPage),
  reasons: ['not_own_agent', 'no_such_agent', 'cursor_invalid'],
});

export const MONEY_DAYS_MAX = 31;
/** Maximum number of agents that the answer names for a day: those that spent the most. */
export const MONEY_DAY_AGENTS_MAX = 100;

const sums = {
  received: AiDollars.describe('Rewards, payments and refunds'),
  spent: AiDollars.describe('Compute and tokens'),
  lost: AiDollars.describe('Penalties and corrections'),
  costs: z
    .array(
      z.strictObject({ currency: z.string(), amount: z.string().describe('Decimal text with at most six places') }),
    )
    .nullable()
    .describe(
      "Cost of requests to models by the providers' prices at their time, one sum for each currency; null for callers " +
        'who may not read prices',
    ),
};
const DaySums = z.strictObject(sums);
export type DaySums = z.infer<typeof DaySums>;

export const MoneyDay = z.strictObject({
  day: z.iso.date(),
  total: DaySums,
  agents: z
    .array(DaySums.extend({ agent_id: AgentId }))
    .max(MONEY_DAY_AGENTS_MAX)
    .describe('The most spent first'),
  left_out: z.int().min(0).describe('Number of further agents, which only the total counts'),
});
export type MoneyDay = z.infer<typeof MoneyDay>;

export const listMoneyDays = defineRoute('listMoneyDays GET /economy/days', {
  summary:
    "Sums of a day and agent, newest day first: received, spent and lost aiDollars, and costs at models' providers",
  tag: 'economy',
  audiences: ['people'],
  permission: 'ledger:read',
  query: z.strictObject({
    days: z.coerce.number().int().min(1).max(MONEY_DAYS_MAX).default(7).describe('Number of days, with today'),
    agent_id: AgentId.optional().describe('Only this agent'),
  }),
  answer: json(
    z.strictObject({
      time_zone: z.string().describe("Zone of the village's day"),
      days: z.array(MoneyDay).max(MONEY_DAYS_MAX),
    }),
  ),
});
