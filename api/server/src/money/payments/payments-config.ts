import { readFile } from 'node:fs/promises';
import { AiDollars, parseAiDollars } from '@hamlet/contract';
import { z } from 'zod';

export const PAYMENT_VARIABLES = {
  HAMLET_CREDIT_LIMIT: AiDollars.default('100').describe(
    'aiDollars that one admin may credit alone in 24 hours; above that, another admin approves (100)',
  ),
  HAMLET_PAYPAL: z
    .enum(['off', 'sandbox', 'live'])
    .default('off')
    .describe('off, sandbox or live: the PayPal environment whose notifications the api accepts (off)'),
  HAMLET_PAYPAL_SECRETS_FILE: z.string().optional().describe('JSON file {clientId, clientSecret, webhookId}'),
  HAMLET_PAYPAL_CURRENCY: z
    .string()
    .regex(/^[A-Z]{3}$/, 'write three letters, for example USD')
    .default('USD')
    .describe('currency of payments (USD)'),
  HAMLET_PAYPAL_RATE: AiDollars.default('1').describe('aiDollars for one unit of that currency (1)'),
  HAMLET_PAYPAL_PROXY: z.url().optional().describe('http proxy for calls to PayPal'),
  HAMLET_PAYPAL_CA_FILE: z
    .string()
    .optional()
    .describe("PEM file of certificate authorities to trust instead of Node's own"),
};

type Variables = z.infer<z.ZodObject<typeof PAYMENT_VARIABLES>>;

export type PaymentsConfig = ReturnType<typeof paymentsConfigOf>;
export type PayPalConfig = NonNullable<PaymentsConfig['paypal']>;

/** Amounts are in micro-aiDollars. Throws an Error that names the missing variable and its fix. */
export function paymentsConfigOf(env: Variables) {
  const ratePerUnit = parseAiDollars(env.HAMLET_PAYPAL_RATE);
  if (ratePerUnit < 1n) throw new Error('HAMLET_PAYPAL_RATE: write an amount above 0');
  return {
    creditLimit: parseAiDollars(env.HAMLET_CREDIT_LIMIT),
    currency: env.HAMLET_PAYPAL_CURRENCY,
    ratePerUnit,
    paypal: payPalOf(env),
  };
}

function payPalOf(env: Variables) {
  const { HAMLET_PAYPAL: mode, HAMLET_PAYPAL_SECRETS_FILE: secretsFile } = env;
  if (mode === 'off') return null;
  if (secretsFile === undefined)
    throw new Error(
      'HAMLET_PAYPAL_SECRETS_FILE: name a JSON file {clientId, clientSecret, webhookId}, or set HAMLET_PAYPAL=off',
    );
  return { mode, secretsFile, proxyUrl: env.HAMLET_PAYPAL_PROXY ?? null, caFile: env.HAMLET_PAYPAL_CA_FILE ?? null };
}

const Secrets = z.strictObject({
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
  webhookId: z.string().min(1),
});
export type PayPalSecrets = z.infer<typeof Secrets>;

/** Reads PayPal's credentials. Throws an Error that names the file and the fault, never the content. */
export async function readPayPalSecrets(file: string): Promise<PayPalSecrets> {
  try {
    return Secrets.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    const why =
      error instanceof z.ZodError
        ? error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
        : 'the file cannot be read or is not JSON';
    throw new Error(`HAMLET_PAYPAL_SECRETS_FILE: ${file}: ${why}`);
  }
}

export function pemCertificates(pem: string): readonly string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
}
