import { z } from 'zod';
import { MODEL_ERROR_CODES } from '../chat/model-error.ts';
import { ANSWER_LIMITS } from '../transport/answer-limits.ts';
import { RETRY_POLICY } from './decide-next.ts';

const PROVIDERS_MAX = 50;
const ROUTES_MAX = 200;
const FALLBACKS_MAX = 5;
const PRICES_MAX = 2_000;
const METRICS_URLS_MAX = 16;
/** Longest wait in milliseconds that a configuration may allow. */
export const QUEUE_WAIT_MAX_MS = 60_000;
const TOTAL_MAX_MS = 3_600_000;
const CONTEXT_TOKENS = 32_768;

const ProviderName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'write 1 to 63 lower-case letters, digits and hyphens, such as "local-vllm"');
const ModelName = z.string().min(1, 'write the name of a model').max(200, 'write at most 200 characters');
/** A name, or a name with one `*` that stands for any text. */
const Pattern = ModelName.refine(
  (value) => value.split('*').length <= 2,
  'write a name with at most one *, such as "gpt-5*"',
);

function isPlainHttp(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password, search, hash } = new URL(value);
  return /^https?:$/.test(protocol) && username + password + search + hash === '';
}
const BaseUrl = z
  .string()
  .refine(
    isPlainHttp,
    'write an http or https address without user, query and fragment, such as "http://vllm:8000/v1"',
  );
/** The name of a credential. The configuration never has the key itself. */
const CredentialName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
    'write the name of a credential, such as "openai-key", and not the key itself',
  )
  .refine((value) => !/^(sk|rk|pk)-/.test(value), 'write the name of a credential and not the key itself');

/** Maximum number of parallel requests, for self-hosted servers; no limit if absent. */
const places = { maxInFlight: z.int().min(1).max(10_000).optional() };

/** Fields that a configuration may leave out for servers that refuse them; the last two are of assistant messages. */
const OMITTABLE = ['temperature', 'seed', 'parallel_tool_calls', 'stop', 'reasoning_content', 'reasoning'] as const;

const chatFields = {
  ...places,
  headers: z.record(z.string(), z.string()).optional(),
  omit: z.array(z.enum(OMITTABLE)).optional(),
};

const Provider = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({
      kind: z.literal('openai'),
      baseUrl: BaseUrl.default('https://api.openai.com/v1'),
      credential: CredentialName,
      organization: z.string().optional(),
      project: z.string().optional(),
      ...chatFields,
    }),
    z.strictObject({
      kind: z.literal('openrouter'),
      baseUrl: BaseUrl.default('https://openrouter.ai/api/v1'),
      credential: CredentialName,
      ...chatFields,
    }),
    z.strictObject({
      kind: z.enum(['vllm', 'compatible']),
      baseUrl: BaseUrl,
      credential: CredentialName.optional(),
      streamUsage: z.boolean().default(true),
      /** Metrics of each replica of a vLLM server; by default `/metrics` at its address. */
      metricsUrls: z.array(BaseUrl).min(1).max(METRICS_URLS_MAX, `write at most ${METRICS_URLS_MAX}`).optional(),
      ...chatFields,
    }),
    z.strictObject({
      kind: z.literal('anthropic'),
      baseUrl: BaseUrl.default('https://api.anthropic.com/v1'),
      credential: CredentialName,
      ...places,
    }),
    z.strictObject({
      kind: z.literal('ollama'),
      baseUrl: BaseUrl.default('http://127.0.0.1:11434'),
      credential: CredentialName.optional(),
      ...places,
    }),
    z.strictObject({
      kind: z.literal('completions'),
      baseUrl: BaseUrl,
      credential: CredentialName.optional(),
      ...places,
    }),
    /** The scripted mind of the village. The caller supplies its adapter. */
    z.strictObject({ kind: z.literal('scripted'), ...places }),
    z.strictObject({
      kind: z.literal('openai-subscription'),
      baseUrl: BaseUrl.default('https://chatgpt.com/backend-api/codex'),
      credential: CredentialName,
      /** Required, so that a person has read and accepted the notice. */
      ...places,
      noticeAccepted: z.literal(true, 'read SUBSCRIPTION_NOTICE; write true to accept it, or use another provider'),
    }),
  ],
  'write one of the kinds openai, openrouter, anthropic, ollama, vllm, compatible, completions, scripted, openai-subscription',
);
export type ProviderConfig = z.infer<typeof Provider>;

const Target = z.strictObject({ provider: ProviderName, model: ModelName });

const Route = z.strictObject({
  /** The name of the model in a request. The first matching route applies. */
  match: Pattern,
  provider: ProviderName,
  /** The provider's name of the model; `*` is replaced by the text that matched the star of `match`. By default the name in the request. */
  model: Pattern.optional(),
  fallbacks: z.array(Target).max(FALLBACKS_MAX, `write at most ${FALLBACKS_MAX} fallbacks`).default([]),
  /** Codes for which the next fallback is tried; by default those with `fallback` in `MODEL_ERRORS`. */
  fallbackOn: z.array(z.enum(MODEL_ERROR_CODES).exclude(['cancelled'])).optional(),
  contextTokens: z.int().min(256).max(10_000_000).default(CONTEXT_TOKENS),
  /** Maximum tokens of an answer; by default what the model can write (`answerLimit`). */
  answerTokens: z.int().min(1).max(1_000_000).optional(),
});
export type RouteConfig = z.infer<typeof Route>;

const Decimal = z
  .string('write a text with a decimal number, such as "2.50"')
  .regex(/^\d{1,9}(\.\d{1,6})?$/, 'write a decimal number with at most 6 places as text, such as "2.50"');

const Price = z.strictObject({
  provider: ProviderName.optional(),
  model: Pattern,
  prompt: Decimal,
  /** By default the price of the prompt. */
  cachedPrompt: Decimal.optional(),
  cacheWrite: Decimal.optional(),
  completion: Decimal,
});
export type PriceConfig = z.infer<typeof Price>;

/** The abilities of a model apart from writing text. Base models (`completions`) have neither tools, JSON nor embeddings. */
const Capability = z.strictObject({
  provider: ProviderName.optional(),
  model: Pattern,
  tools: z.boolean().default(true),
  json: z.boolean().default(true),
  /** False for a server that cannot stream. */
  stream: z.boolean().default(true),
  embeddings: z.boolean().default(true),
  /** Whether it sees images; by default, the name of the model decides. */
  images: z.boolean().optional(),
  /**
   * For a model whose prompt opens its thoughts, such as DeepSeek-R1, at a server without a reasoning parser: its answers
   * have a closing tag alone, and begin with thoughts. With thinking switched off, they would be thoughts alone.
   */
  thoughts: z.literal('opened', 'write "opened", or leave it out').optional(),
});

const positive = z.int('write a whole number').positive('write a number above 0');

const Base = z.strictObject({
  providers: z
    .record(ProviderName, Provider)
    .refine((all) => Object.keys(all).length <= PROVIDERS_MAX, `write at most ${PROVIDERS_MAX} providers`),
  routes: z.array(Route).max(ROUTES_MAX, `write at most ${ROUTES_MAX} routes`),
  /** Prices of one million tokens. The first entry that matches provider and model applies. */
  prices: z
    .strictObject({
      currency: z.string().regex(/^[A-Za-z]{2,12}$/, 'write a currency, such as "USD"'),
      models: z.array(Price).max(PRICES_MAX, `write at most ${PRICES_MAX} prices`),
    })
    .optional(),
  /** Entries for models that lack an ability, or begin within thoughts. The first entry that matches provider and model applies. */
  capabilities: z.array(Capability).max(PRICES_MAX, `write at most ${PRICES_MAX} entries`).default([]),
  retry: z
    .strictObject({
      attempts: positive.max(10, 'write at most 10').default(RETRY_POLICY.attempts),
      firstDelayMs: positive.default(RETRY_POLICY.firstDelayMs),
      maxDelayMs: positive.default(RETRY_POLICY.maxDelayMs),
    })
    .prefault({}),
  /** The requests that wait for a provider with `maxInFlight`. */
  queue: z
    .strictObject({
      maxWaiting: z.int().min(0).max(10_000).default(200),
      waitMs: z.int().min(1).max(QUEUE_WAIT_MAX_MS).default(30_000),
    })
    .prefault({}),
  limits: z
    .strictObject({
      answerBytes: positive.default(ANSWER_LIMITS.answerBytes),
      lineBytes: positive.default(ANSWER_LIMITS.lineBytes),
      toolCalls: positive.default(ANSWER_LIMITS.toolCalls),
      firstByteMs: positive.default(ANSWER_LIMITS.firstByteMs),
      idleMs: positive.default(ANSWER_LIMITS.idleMs),
      totalMs: positive.max(TOTAL_MAX_MS, 'write at most one hour').default(ANSWER_LIMITS.totalMs),
    })
    .prefault({}),
});
export type ModelsConfig = z.infer<typeof Base>;

interface Reference {
  readonly provider: string;
  readonly path: readonly (string | number)[];
}

function referencesOf({ routes, prices, capabilities }: ModelsConfig): readonly Reference[] {
  const ofRoutes = routes.flatMap(({ provider, fallbacks }, index) => [
    { provider, path: ['routes', index, 'provider'] },
    ...fallbacks.map((fallback, at) => ({
      provider: fallback.provider,
      path: ['routes', index, 'fallbacks', at, 'provider'],
    })),
  ]);
  const ofPrices = (prices?.models ?? []).flatMap(({ provider }, index) =>
    provider === undefined ? [] : [{ provider, path: ['prices', 'models', index, 'provider'] }],
  );
  const ofCapabilities = capabilities.flatMap(({ provider }, index) =>
    provider === undefined ? [] : [{ provider, path: ['capabilities', index, 'provider'] }],
  );
  return [...ofRoutes, ...ofPrices, ...ofCapabilities];
}

/** The configuration of models. It names credentials but contains no keys. */
export const ModelsConfig = Base.superRefine((config, context) => {
  const known = Object.keys(config.providers);
  for (const { provider, path } of referencesOf(config))
    if (!known.includes(provider))
      context.addIssue({
        code: 'custom',
        path: [...path],
        message: `no provider ${provider} is configured: write one of ${known.join(', ') || 'the providers, after adding one'}`,
      });
  for (const [index, { match, model }] of config.routes.entries())
    if (model?.includes('*') === true && !match.includes('*'))
      context.addIssue({
        code: 'custom',
        path: ['routes', index, 'model'],
        message: 'this * has no counterpart: write a * in match too, or a name without one',
      });
});

export interface ConfigError {
  readonly path: string;
  readonly message: string;
}

export type ParsedConfig =
  | { readonly ok: true; readonly config: ModelsConfig }
  | { readonly ok: false; readonly errors: readonly ConfigError[] };

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

/** Parses a configuration; each error names the place and the expected form. Pure. */
export function parseModelsConfig(input: unknown): ParsedConfig {
  const parsed = ModelsConfig.safeParse(input);
  if (parsed.success) return { ok: true, config: parsed.data };
  return { ok: false, errors: parsed.error.issues.map(({ path, message }) => ({ path: pathText(path), message })) };
}
