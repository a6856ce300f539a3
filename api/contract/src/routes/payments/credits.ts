import { z } from 'zod';
import { AiDollars, Amount } from '../../money.ts';
import { defineRoute } from '../../route.ts';
import { NOTE_MAX_CHARS } from '../economy.ts';
import { AgentId, Time } from '../scalars.ts';

export const CREDITS_PAGE_MAX = 100;
export const CREDIT_REASON_MAX_CHARS = 500;

/** `proposed` waits for another admin; `credited` is in the ledger; `rejected` never will be, and frees its transaction id. */
export const CREDIT_STATES = ['proposed', 'credited', 'rejected'] as const;
export const CreditState = z.enum(CREDIT_STATES);
export type CreditState = z.infer<typeof CreditState>;

/** Who took the money: `paypal`, or the name of another way that money comes in by, such as `bank`. */
export const ProviderName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,30}$/, 'write lower case letters, digits and _, for example paypal')
  .meta({ description: 'Who took the money', example: 'paypal' });
export const ProviderTransactionId = z
  .string()
  .trim()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'write the id as the provider shows it: letters, digits, dots, - and _, at most 64',
  )
  .meta({
    description: 'The id of the payment as the provider shows it; credited once, ever',
    example: '5O190127TN364715T',
  });

/** Money from outside that was given to an agent, or is proposed to be. */
export const Credit = z.strictObject({
  credit_id: z.uuid(),
  provider: ProviderName,
  provider_transaction_id: z.string(),
  agent_id: AgentId,
  amount: AiDollars.meta({ description: 'What was credited, or would be' }),
  net: AiDollars.meta({
    description: 'What of it stands: less after a refund or a dispute, nothing before it is credited',
  }),
  currency: z.literal('aiDollar'),
  state: CreditState,
  origin: z.enum(['manual', 'webhook']).meta({ description: 'Written by an admin, or told by the provider' }),
  ledger_entry_id: z.uuid().nullable().meta({ description: 'The entry that credited it' }),
  note: z.string(),
  requested_by: z.string(),
  requested_at: Time,
  decided_by: z
    .string()
    .nullable()
    .meta({ description: 'Who approved or rejected it; nobody where one admin was enough' }),
  decided_at: Time.nullable(),
  decision_reason: z.string().nullable(),
});
export type Credit = z.infer<typeof Credit>;

const CreditParams = z.strictObject({ credit_id: z.uuid() });
const ofCredits = {
  tag: 'economy',
  placement: 'versioned_and_bare',
  audiences: ['people'],
  permission: 'payments:manage',
} as const;
const CreditAnswer = { kind: 'json', schema: z.strictObject({ credit: Credit }) } as const;

export const createCredit = defineRoute({
  ...ofCredits,
  name: 'createCredit',
  summary:
    'Credit a payment that came in outside to an agent, by its transaction id; above a limit it is proposed and another admin decides',
  method: 'POST',
  path: '/economy/credits',
  idempotency: 'key',
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

export const listCredits = defineRoute({
  ...ofCredits,
  name: 'listCredits',
  summary: 'Credits and proposals of credits, newest first',
  method: 'GET',
  path: '/economy/credits',
  idempotency: 'read',
  query: z.strictObject({
    state: CreditState.optional(),
    agent_id: AgentId.optional(),
    cursor: z.string().max(256).optional(),
    limit: z.coerce.number().int().min(1).max(CREDITS_PAGE_MAX).default(20),
  }),
  answer: {
    kind: 'json',
    schema: z.strictObject({
      credits: z.array(Credit),
      approval_limit: AiDollars.meta({
        description: 'What one admin may credit alone, in one piece and in 24 hours together',
      }),
      next_cursor: z.string().nullable(),
    }),
  },
  reasons: ['cursor_invalid'],
});

export const approveCredit = defineRoute({
  ...ofCredits,
  name: 'approveCredit',
  summary: "Approve another admin's proposal: the agent is credited at once",
  method: 'POST',
  path: '/economy/credits/{credit_id}/approve',
  idempotency: 'key',
  params: CreditParams,
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

export const rejectCredit = defineRoute({
  ...ofCredits,
  name: 'rejectCredit',
  summary: 'Reject a proposal, or take back your own; its transaction id is free again',
  method: 'POST',
  path: '/economy/credits/{credit_id}/reject',
  idempotency: 'key',
  params: CreditParams,
  body: z.strictObject({ reason: z.string().trim().min(1).max(CREDIT_REASON_MAX_CHARS) }),
  answer: CreditAnswer,
  reasons: ['no_such_credit', 'credit_decided'],
});
