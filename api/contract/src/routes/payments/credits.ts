import { z } from 'zod';
import { AiDollars, Amount } from '../../values/money.ts';
import { defineRoute, json } from '../../http/route.ts';
import { NOTE_MAX_CHARS } from '../economy.ts';
import { AgentId, NEXT_CURSOR, paging, Time } from '../../values/scalars.ts';

export const CREDIT_REASON_MAX_CHARS = 500;

/** The transaction id of a `rejected` credit can be proposed again. */
export const CREDIT_STATES = ['proposed', 'credited', 'rejected'] as const;
export const CreditState = z.enum(CREDIT_STATES);
export type CreditState = z.infer<typeof CreditState>;

/** `paypal`, or another way to pay, such as `bank`. */
export const ProviderName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,30}$/, 'write lower case letters, digits and _, for example paypal')
  .meta({ description: 'Provider that took the money', example: 'paypal' });
export const ProviderTransactionId = z
  .string()
  .trim()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'write the id as the provider shows it: letters, digits, dots, - and _, at most 64',
  )
  .meta({
    description: 'Id of the payment as the provider shows it; it is credited only once',
    example: '5O190127TN364715T',
  });

export const Credit = z.strictObject({
  credit_id: z.uuid(),
  provider: ProviderName,
  provider_transaction_id: z.string(),
  agent_id: AgentId,
  amount: AiDollars.describe('Amount that was credited, or is proposed'),
  net: AiDollars.describe('Amount that remains after refunds and disputes; 0 before the credit'),
  currency: z.literal('aiDollar'),
  state: CreditState,
  origin: z.enum(['manual', 'webhook']).describe('Origin: an admin or the provider'),
  ledger_entry_id: z.uuid().nullable().describe('Ledger entry that credited it'),
  note: z.string(),
  requested_by: z.string(),
  requested_at: Time,
  decided_by: z.string().nullable().describe('Admin who approved or rejected it; null if one admin was enough'),
  decided_at: Time.nullable(),
  decision_reason: z.string().nullable(),
});
export type Credit = z.infer<typeof Credit>;

const ofCredits = { tag: 'economy', audiences: ['people'], permission: 'payments:manage' } as const;
const CreditAnswer = json(z.strictObject({ credit: Credit }));

export const createCredit = defineRoute('createCredit POST /economy/credits', {
  ...ofCredits,
  summary:
    'Credit an outside payment to an agent by its transaction id; above a limit this becomes a proposal for another admin',
  body: z.strictObject({
    agent_id: AgentId,
    provider: ProviderName.default('paypal'),
    provider_transaction_id: ProviderTransactionId,
    amount: Amount,
    note: z.string().trim().max(NOTE_MAX_CHARS).default(''),
  }),
  status: 201,
  answer: CreditAnswer,
  reasons: ['no_such_agent', 'account_closed', 'transaction_credited', 'village_frozen'],
});

export const listCredits = defineRoute('listCredits GET /economy/credits', {
  ...ofCredits,
  summary: 'Credits and proposals of credits, newest first',
  query: z.strictObject({
    state: CreditState.optional(),
    agent_id: AgentId.optional(),
    ...paging(),
  }),
  answer: json(
    z.strictObject({
      credits: z.array(Credit),
      approval_limit: AiDollars.describe('Maximum that one admin may credit alone, per credit and within 24 hours'),
      ...NEXT_CURSOR,
    }),
  ),
  reasons: ['cursor_invalid'],
});

export const approveCredit = defineRoute('approveCredit POST /economy/credits/{credit_id}/approve', {
  ...ofCredits,
  summary: "Approve another admin's proposal and credit the agent at once",
  body: z.strictObject({ reason: z.string().trim().max(CREDIT_REASON_MAX_CHARS).optional() }),
  answer: CreditAnswer,
  reasons: [
    'no_such_credit',
    'credit_decided',
    'second_admin_needed',
    'account_closed',
    'no_such_agent',
    'village_frozen',
  ],
});

export const rejectCredit = defineRoute('rejectCredit POST /economy/credits/{credit_id}/reject', {
  ...ofCredits,
  summary: 'Reject a proposal or withdraw your own; its transaction id can be used again',
  body: z.strictObject({ reason: z.string().trim().min(1).max(CREDIT_REASON_MAX_CHARS) }),
  answer: CreditAnswer,
  reasons: ['no_such_credit', 'credit_decided'],
});
