import type { Model } from '@hamlet/models';

/** A model of agents.yaml. `provider` is a kind of `@hamlet/models`; `api_key_env` names the variable that has the key. */
export type ModelEntry = Readonly<{
  id: string;
  provider: string;
  name: string;
  base_url?: string | undefined;
  api_key_env?: string | undefined;
  max_output_tokens?: number | undefined;
  temperature?: number | undefined;
}>;

/** The fields that are the same in each request to a model. */
type ModelSettings = Readonly<{ maxTokens: number | undefined; temperature: number | undefined }>;

export type Environment = Readonly<Record<string, string | undefined>>;

export type OpenedModel =
  | Readonly<{ ok: true; model: Model; provider: string; settings: ModelSettings }>
  | Readonly<{ ok: false; code: 'auth' | 'bad_request'; message: string }>;

/** The usual variable of the providers that accept no request without a key. */
const USUAL_KEYS: ReadonlyMap<string, string> = new Map([
  ['openai', 'OPENAI_API_KEY'],
  ['openrouter', 'OPENROUTER_API_KEY'],
  ['anthropic', 'ANTHROPIC_API_KEY'],
]);
/** Anthropic needs a limit in each request. Its present models read at least this many tokens. */
const ANTHROPIC_CONTEXT = 200_000;
/** A model on one machine may write for a long time; `timeout_s` of a stage ends it sooner. */
const TOTAL_MS = 3_600_000;

/** The configuration of `@hamlet/models` for one model: one provider, and one route that takes every name. */
function configOf({ provider, name, base_url: baseUrl, ...entry }: ModelEntry): object {
  const credential = keyNameOf({ provider, name, ...entry });
  return {
    providers: {
      [provider]: {
        kind: provider,
        ...(baseUrl === undefined ? {} : { baseUrl }),
        ...(credential === null ? {} : { credential }),
      },
    },
    routes: [{ match: '*', provider, model: name }],
    // The engine decides about retries, so that each attempt is in the journal.
    retry: { attempts: 1 },
    limits: { totalMs: TOTAL_MS },
  };
}

const keyNameOf = ({ provider, api_key_env: name }: ModelEntry): string | null =>
  name ?? USUAL_KEYS.get(provider) ?? null;

/** The keys of models in the environment, which no event may show. Pure. */
export const keysOf = (models: readonly ModelEntry[], env: Environment): readonly string[] =>
  models.flatMap((model) => env[keyNameOf(model) ?? ''] ?? []);

/**
 * Opens a model of agents.yaml. Reads its key from `env`, and loads the adapters with the first model. A failure names the entry and
 * the fix: `auth` for a variable that is unset or empty, `bad_request` for an entry that the provider cannot use.
 */
export async function openModel(entry: ModelEntry, env: Environment): Promise<OpenedModel> {
  const name = keyNameOf(entry);
  const key = name === null ? undefined : env[name];
  if (name !== null && (key === undefined || key === ''))
    return {
      ok: false,
      code: 'auth',
      message: `model ${entry.id}: set ${name} in the environment to the key of ${entry.provider}`,
    };
  const { answerLimit, openModel: open, parseModelsConfig, SYSTEM_PORTS } = await import('@hamlet/models');
  const parsed = parseModelsConfig(configOf(entry));
  if (!parsed.ok) {
    const faults = parsed.errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
    return { ok: false, code: 'bad_request', message: `model ${entry.id} of agents.yaml cannot be used: ${faults}` };
  }
  const credentials = { key: () => key ?? null, subscription: () => null };
  const opened = open(parsed.config, entry.id, { credentials, ports: SYSTEM_PORTS });
  if (!opened.ok) return { ok: false, code: 'bad_request', message: `model ${entry.id}: ${opened.message}` };
  const usual = entry.provider === 'anthropic' ? answerLimit(entry.name, ANTHROPIC_CONTEXT) : undefined;
  const settings = { maxTokens: entry.max_output_tokens ?? usual, temperature: entry.temperature };
  return { ok: true, model: opened.model, provider: entry.provider, settings };
}
