import { z } from 'zod';
import { AiDollars } from '../../money.ts';
import { defineRoute } from '../../route.ts';
import { AgentId, Time } from '../scalars.ts';
import { ProviderName, ProviderTransactionId } from './credits.ts';

export const STATEMENT_LINES_MAX = 500;
export const EXPLANATION_MAX_CHARS = 500;
/** A difference that nobody has explained for this long is overdue. */
export const DIFFERENCE_OVERDUE_S = 86_400;

/** `only_ours`: credited here, and the provider knows no such payment; `only_theirs`: the other way round; `amount_differs`: both, and not the same. */
export const DIFFERENCE_KINDS = ['only_ours', 'only_theirs', 'amount_differs'] as const;
export const DifferenceKind = z.enum(DIFFERENCE_KINDS);
export type DifferenceKind = z.infer<typeof DifferenceKind>;

/** A decimal amount in a provider's currency, below zero for what left. */
const ProviderAmount = z.string().regex(/^-?\d{1,12}(\.\d{1,6})?$/, 'write a decimal amount, for example "12.50"');
const CurrencyCode = z.string().regex(/^[A-Z]{3}$/, 'write the three letters of the currency, for example USD');

/** One thing that the village's books and a provider's say otherwise. */
export const Difference = z.strictObject({
  difference_id: z.uuid(),
  kind: DifferenceKind,
  provider: ProviderName,
  provider_transaction_id: z.string(),
  agent_id: AgentId.nullable(),
  ours: AiDollars.nullable().meta({ description: 'What of it stands in the ledger' }),
  theirs: z
    .strictObject({ amount: ProviderAmount, currency: CurrencyCode })
    .nullable()
    .meta({ description: 'What stands at the provider, refunds taken off' }),
  owner: z.string().meta({
    description: 'Who looks after it: whoever credited it, or the one that took it on; `admins` where nobody did',
  }),
  found_at: Time,
  age_s: z.int().min(0),
  overdue: z.boolean().meta({ description: 'Found more than a day ago and not explained' }),
  explanation: z.string().nullable(),
  explained_by: z.string().nullable(),
});
export type Difference = z.infer<typeof Difference>;

/** A payment that the provider told of and that is not credited, and why not yet. */
export const WaitingPayment = z.strictObject({
  provider: ProviderName,
  provider_transaction_id: z.string(),
  agent_id: z
    .string()
    .nullable()
    .meta({ description: 'What the payment names, whether there is such an agent or not' }),
  amount: z.string().nullable(),
  currency: z.string().nullable(),
  why: z
    .string()
    .meta({ description: 'For example `not_completed`, `no_such_agent`, `other_currency`, `differs_from_event`' }),
  since: Time,
});
export type WaitingPayment = z.infer<typeof WaitingPayment>;

export const ReconciliationView = z.strictObject({
  providers: z.array(
    z.strictObject({
      provider: ProviderName,
      compared_from: Time,
      compared_through: Time.meta({ description: 'What the provider knew up to here' }),
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
    .meta({ description: 'Agents below zero, because money was taken back that they had spent' }),
});
export type ReconciliationView = z.infer<typeof ReconciliationView>;

const ofReconciliation = {
  tag: 'economy',
  placement: 'versioned_and_bare',
  audiences: ['people'],
  permission: 'payments:manage',
} as const;

export const getReconciliation = defineRoute({
  ...ofReconciliation,
  name: 'getReconciliation',
  summary:
    "The village's credits beside the provider's payments: what only one of both knows and what differs, with owner and age",
  method: 'GET',
  path: '/economy/reconciliation',
  idempotency: 'read',
  answer: { kind: 'json', schema: ReconciliationView },
  reasons: [],
});

export const changeDifference = defineRoute({
  ...ofReconciliation,
  name: 'changeDifference',
  summary: 'Take on a difference, or explain it; it stays listed until the books agree',
  method: 'PUT',
  path: '/economy/reconciliation/{difference_id}',
  idempotency: 'key',
  params: z.strictObject({ difference_id: z.uuid() }),
  body: z
    .strictObject({
      owner: z.string().trim().min(1).max(200).optional(),
      explanation: z.string().trim().min(1).max(EXPLANATION_MAX_CHARS).optional(),
    })
    .refine(({ owner, explanation }) => owner !== undefined || explanation !== undefined, {
      path: ['explanation'],
      message: 'write an owner or an explanation',
    }),
  answer: { kind: 'json', schema: z.strictObject({ difference: Difference }) },
  reasons: ['no_such_difference'],
});

export const importStatement = defineRoute({
  ...ofReconciliation,
  name: 'importStatement',
  summary:
    "Write down a provider's own list of payments of a time, to compare with; a payment that is known already is brought up to date",
  method: 'POST',
  path: '/economy/statements',
  idempotency: 'key',
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
            reference_id: ProviderTransactionId.optional().meta({
              description: 'The payment that this one takes back, wholly or in part',
            }),
            agent_id: AgentId.optional(),
          }),
        )
        .max(STATEMENT_LINES_MAX),
    })
    .refine(({ from, through }) => from <= through, { path: ['through'], message: 'lies before from' }),
  status: 201,
  answer: {
    kind: 'json',
    schema: z.strictObject({
      lines: z.int(),
      differences: z.int().meta({ description: 'How many there are now, of all providers' }),
    }),
  },
  reasons: [],
});
