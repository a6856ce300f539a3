import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { CredentialName, manageModels, OwnerAgent } from './providers.ts';

const PRICES_MAX = 200;

const Decimal = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,6})?$/, 'write a decimal number with at most 6 places as text, such as "2.50"')
  .meta({ example: '2.50' });
const Currency = z
  .string()
  .regex(/^[A-Za-z]{2,12}$/, 'write a currency, such as "USD"')
  .meta({ example: 'USD' });

/** The price of a million tokens at a provider, for information only: the ledger charges the price of the tier. */
export const ModelPriceView = z.strictObject({
  provider: z.string().nullable().describe('Null: any provider of the configuration'),
  agent_id: OwnerAgent,
  model: z.string().describe("The provider's name of the model, or a pattern with one *"),
  currency: Currency,
  prompt: Decimal,
  cached_prompt: Decimal.nullable().describe('Null: as prompt'),
  cache_write: Decimal.nullable().describe('Null: as prompt'),
  completion: Decimal,
  source: z.enum(['configuration', 'stored']),
});
export type ModelPriceView = z.infer<typeof ModelPriceView>;

export const listModelPrices = defineRoute('listModelPrices GET /models/prices', {
  ...manageModels,
  summary: "List the providers' prices for a million tokens; the first that matches provider and model applies",
  answer: json(z.strictObject({ prices: z.array(ModelPriceView) })),
});

export const ProviderPrices = z.strictObject({
  currency: Currency,
  prices: z
    .array(
      z.strictObject({
        model: z
          .string()
          .min(1)
          .max(200)
          .refine((value) => value.split('*').length <= 2, 'write a name with at most one *, such as "gpt-5*"'),
        prompt: Decimal,
        cached_prompt: Decimal.nullish(),
        cache_write: Decimal.nullish(),
        completion: Decimal,
      }),
    )
    .max(PRICES_MAX),
});
export type ProviderPrices = z.infer<typeof ProviderPrices>;

export const putModelPrices = defineRoute('putModelPrices PUT /models/prices/{name}', {
  ...manageModels,
  summary: 'Replace the prices of a connected provider; an operator changes those of the configuration',
  idempotency: 'natural',
  params: z.strictObject({ name: CredentialName }),
  body: ProviderPrices.extend({ agent_id: OwnerAgent.optional() }),
  answer: json(z.strictObject({ prices: z.array(ModelPriceView) })),
  reasons: ['no_such_provider'],
});
