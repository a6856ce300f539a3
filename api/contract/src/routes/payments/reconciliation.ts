import { z } from 'zod';
import { AiDollars } from '../../values/money.ts';
import { defineRoute, json } from '../../http/route.ts';
import { AgentId, Time } from '../../values/scalars.ts';
import { ProviderName, ProviderTransactionId } from './credits.ts';

export const STATEMENT_LINES_MAX = 500;
export const EXPLANATION_MAX_CHARS = 500;
/** Age from which an unexplained difference is overdue. */
export const DIFFERENCE_OVERDUE_S = 86_400;

/** `only_ours`: the provider lists no such payment. `only_theirs`: the village has not credited it. */
export const DIFFERENCE_KINDS = ['only_ours', 'only_theirs', 'amount_differs'] as const;
export const DifferenceKind = z.enum(DIFFERENCE_KINDS);
export type DifferenceKind = z.infer<typeof DifferenceKind>;

/** Negative for outgoing money. */
const ProviderAmount = z.string().regex(/^-?\d{1,12}(\.\d{1,6})?$/, 'write a decimal amount, for example "12.50"');
const CurrencyCode = z.string().regex(/^[A-Z]{3}$/, 'write the three letters of the currency, for example USD');

export const Difference = z.strictObject({
  difference_id: z.uuid(),
  kind: DifferenceKind,
  provider: ProviderName,
  provider_transaction_id: z.string(),
  agent_id: AgentId.nullable(),
  ours: AiDollars.nullable().describe('Net amount in the ledger'),
  theirs: z
    .strictObject({ amount: ProviderAmount, currency: CurrencyCode })
    .nullable()
    .describe('Net amount at the provider after refunds'),
  owner: z.string().describe('Owner: the admin who credited it or took it over, else `admins`'),
  found_at: Time,
  age_s: z.int().min(0),
  overdue: z.boolean().describe('True if it is older than a day and has no explanation'),
  explanation: z.string().nullable(),
  explained_by: z.string().nullable(),
});
export type Difference = z.infer<typeof Difference>;

export const WaitingPayment = z.strictObject({
  provider: ProviderName,
  provider_transaction_id: z.string(),
  agent_id: z.string().nullable().describe('Agent that the payment names, whether it exists or not'),
  amount: z.string().nullable(),
  currency: z.string().nullable(),
  why: z
    .string()
    .describe('Cause, for example `not_completed`, `no_such_agent`, `other_currency`, `differs_from_event`'),
  since: Time,
});
export type WaitingPayment = z.infer<typeof WaitingPayment>;

export const ReconciliationView = z.strictObject({
  providers: z.array(
    z.strictObject({
      provider: ProviderName,
      compared_from: Time,
      compared_through: Time.describe("Time up to which the provider's statement reaches"),
      compared_at: Time,
    }),
  ),
  paypal: z.enum(['off', 'sandbox', 'live']),
  only_ours: z.array(Difference),
  only_theirs: z.array(Difference),
  amount_differs: z.array(Difference),
  waiting: z.array(WaitingPayment),
  in_debt: z
    .array(z.strictObject({ agent_id: AgentId, balance: AiDollars }))
    .describe('Agents below zero because a provider took back money that they had spent'),
});
export type ReconciliationView = z.infer<typeof ReconciliationView>;

const ofReconciliation = { tag: 'economy', audiences: ['people'], permission: 'payments:manage' } as const;

export const getReconciliation = defineRoute('getReconciliation GET /economy/reconciliation', {
  ...ofReconciliation,
  summary: "Differences between the village's credits and the provider's payments, with owners and ages",
  answer: json(ReconciliationView),
});

export const changeDifference = defineRoute('changeDifference PUT /economy/reconciliation/{difference_id}', {
  ...ofReconciliation,
  summary: 'Take over or explain a difference; it stays listed until both sides agree',
  body: z
    .strictObject({
      owner: z.string().trim().min(1).max(200).optional(),
      explanation: z.string().trim().min(1).max(EXPLANATION_MAX_CHARS).optional(),
    })
    .refine(({ owner, explanation }) => owner !== undefined || explanation !== undefined, {
      path: ['explanation'],
      message: 'write an owner or an explanation',
    }),
  answer: json(z.strictObject({ difference: Difference })),
  reasons: ['no_such_difference'],
});

export const importStatement = defineRoute('importStatement POST /economy/statements', {
  ...ofReconciliation,
  summary: "Import a provider's statement for comparison; known payments are updated",
  body: z
    .strictObject({
      provider: ProviderName,
      from: Time,
      through: Time,
      transactions: z
        .array(
          z.strictObject({
            provider_transaction_id: ProviderTransactionId,
            amount: ProviderAmount,
            currency: CurrencyCode,
            at: Time,
            reference_id: ProviderTransactionId.optional().describe(
              'Payment that this one reverses, in whole or in part',
            ),
            agent_id: AgentId.optional(),
          }),
        )
        .max(STATEMENT_LINES_MAX),
    })
    .refine(({ from, through }) => from <= through, {
      path: ['through'],
      message: 'through is before from: write a later time',
    }),
  status: 201,
  answer: json(
    z.strictObject({
      lines: z.int(),
      differences: z.int().describe('Number of differences now, of all providers'),
    }),
  ),
});
