import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseModelsConfig, type ModelsConfig } from '@hamlet/models';
import { SubscriptionSettings } from './subscription-settings.ts';

export const MODELS_ENVIRONMENT = {
  HAMLET_MODEL_TEXT_DAYS: z.coerce
    .number()
    .int()
    .min(0)
    .max(90)
    .default(0)
    .describe('days to keep prompts and answers of models, at most 90; 0 keeps none (0)'),
  HAMLET_MODELS: z
    .string()
    .optional()
    .describe('JSON with the providers, routes, fallbacks and prices of models; only the scripted mind if empty'),
  HAMLET_MODELS_FILE: z.string().optional().describe('file with the same JSON, instead of HAMLET_MODELS'),
  HAMLET_MODEL_KEYS_DIR: z
    .string()
    .optional()
    .describe("folder with the providers' keys, one file for each credential that the JSON names"),
  HAMLET_CREDENTIAL_KEYS_DIR: z
    .string()
    .optional()
    .describe(
      'folder with the keys that seal stored credentials: one file per key, and a file current with the id of one',
    ),
  HAMLET_SUBSCRIPTION: z
    .string()
    .optional()
    .describe(
      'JSON {clientId, …} that allows admins to sign in to a subscription of OpenAI (off); see docs/MODELS.md before you set it',
    ),
} as const;

type ModelsEnvironment = Partial<z.infer<z.ZodObject<typeof MODELS_ENVIRONMENT>>>;

export interface ModelsSettings {
  /** Null if there is only the scripted mind. */
  readonly config: ModelsConfig | null;
  readonly keysFolder: string | undefined;
  readonly sealingFolder: string | undefined;
  readonly subscription: SubscriptionSettings | null;
  readonly textDays: number;
}

function jsonOf(variable: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${variable}: write JSON: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function read(variable: string, text: string): ModelsConfig {
  const parsed = parseModelsConfig(jsonOf(variable, text));
  if (parsed.ok) return parsed.config;
  throw new Error(parsed.errors.map(({ path, message }) => `${variable}: ${path}: ${message}`).join('\n'));
}

function readSubscription(text: string | undefined): SubscriptionSettings | null {
  if (text === undefined) return null;
  const parsed = SubscriptionSettings.safeParse(jsonOf('HAMLET_SUBSCRIPTION', text));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `HAMLET_SUBSCRIPTION: ${path.join('.')}: ${message}`);
  throw new Error(problems.join('\n'));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`HAMLET_MODELS_FILE: ${file} cannot be read: name a readable file`, { cause: error });
  }
}

export function modelsSettingsOf(env: ModelsEnvironment): ModelsSettings {
  const { HAMLET_MODELS: text, HAMLET_MODELS_FILE: file } = env;
  const folders = {
    keysFolder: env.HAMLET_MODEL_KEYS_DIR,
    sealingFolder: env.HAMLET_CREDENTIAL_KEYS_DIR,
    subscription: readSubscription(env.HAMLET_SUBSCRIPTION),
    textDays: env.HAMLET_MODEL_TEXT_DAYS ?? 0,
  };
  if (text !== undefined && file !== undefined)
    throw new Error('HAMLET_MODELS_FILE: set it or HAMLET_MODELS, but not both');
  if (file !== undefined) return { config: read('HAMLET_MODELS_FILE', textOf(file)), ...folders };
  return { config: text === undefined ? null : read('HAMLET_MODELS', text), ...folders };
}
