/** The language model that `make up MODEL=` and `make dev MODEL=` connect to a village. */
import { readFileSync } from 'node:fs';
import { oneServerConfig } from '@hamlet/models';
import { z } from 'zod';
import { findAbilities, type AskedServer, type ModelAbilities } from './model-abilities.ts';

/** Name of the credential, and of the file with the key. */
export const MODEL_CREDENTIAL = 'model';
const ANSWER_TIMEOUT_MS = 10_000;
const NAMES_SHOWN = 20;

type Environment = Readonly<Record<string, string | undefined>>;

export interface ChosenModel {
  /** The address up to and including `/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  readonly large: string;
  readonly key: string | null;
  /** Null if the server does not report it. */
  readonly contextTokens: number | null;
  /** True for a base model, which continues a text instead of chatting. */
  readonly isBaseModel?: boolean;
  /** False if the server refuses tools, or JSON by a schema. */
  readonly tools?: boolean;
  readonly json?: boolean;
}

/** The environment without the key, for programs that do not need it. Pure. */
export function withoutModelKey<E extends Environment>(env: E): E {
  return { ...env, MODEL_KEY: undefined, MODEL_KEY_FILE: undefined, MAKEFLAGS: undefined, MAKEOVERRIDES: undefined };
}

/** The address with `/v1`, which people leave out. Throws for anything but a plain http or https address. Pure. */
export function baseUrlOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password + url.search + url.hash !== '')
    throw new Error(
      `MODEL=${text} is not an address. Fix: write it as MODEL=http://host:port/v1, and the key as MODEL_KEY`,
    );
  return url.pathname === '/' ? `${url.origin}/v1` : url.href.replace(/\/+$/, '');
}

/** The abilities that MODEL_WIRE sets, else those that probes find. */
async function abilitiesOf({ MODEL_WIRE: wire }: Environment, server: AskedServer): Promise<ModelAbilities> {
  if (wire === undefined || wire === '') return findAbilities(server);
  if (wire === 'chat') return { isBaseModel: false, tools: true, json: true };
  if (wire === 'completions') return { isBaseModel: true, tools: false, json: false };
  throw new Error(`MODEL_WIRE=${wire} is unknown. Fix: set it to completions for a base model, or leave it out`);
}

function keyOf({ MODEL_KEY: key, MODEL_KEY_FILE: file }: Environment): string | null {
  if (file !== undefined && file !== '') return readFileSync(file, 'utf8').trim();
  return key === undefined || key === '' ? null : key;
}

/** vLLM names the context `max_model_len`, OpenRouter `context_length`, llama.cpp `meta.n_ctx_train`. */
const Listed = z.object({
  id: z.string().min(1).max(200),
  max_model_len: z.int().positive().nullish().catch(null),
  context_length: z.int().positive().nullish().catch(null),
  meta: z.object({ n_ctx_train: z.int().positive().nullish() }).nullish().catch(null),
});
const ModelList = z.object({ data: z.array(Listed).max(10_000) });
type Listed = z.infer<typeof Listed>;

async function listOf(baseUrl: string, key: string | null): Promise<readonly Listed[]> {
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  const response = await fetch(`${baseUrl}/models`, { headers, signal, redirect: 'error' });
  if (response.status === 401 || response.status === 403)
    throw new Error(`the server at ${baseUrl} refuses the key. Fix: set MODEL_KEY to a valid one`);
  if (!response.ok) throw new Error(`GET ${baseUrl}/models answers ${response.status}`);
  return ModelList.parse(await response.json()).data;
}

/** The only model of a list. Throws with the names if there are more. Pure. */
function onlyOne(models: readonly Listed[], baseUrl: string): string {
  const [first] = models;
  if (first !== undefined && models.length === 1) return first.id;
  const names = models.slice(0, NAMES_SHOWN).map(({ id }) => id);
  throw new Error(
    names.length === 0
      ? `the server at ${baseUrl} lists no model. Fix: set MODEL_NAME`
      : `the server at ${baseUrl} has several models. Fix: set MODEL_NAME to one of ${names.join(', ')}`,
  );
}

function contextOf(models: readonly Listed[], name: string): number | null {
  const found = models.find(({ id }) => id === name);
  return found?.max_model_len ?? found?.context_length ?? found?.meta?.n_ctx_train ?? null;
}

/**
 * Reads MODEL, MODEL_NAME, MODEL_LARGE, MODEL_WIRE and MODEL_KEY or MODEL_KEY_FILE; null without MODEL. Asks the server
 * for its models, and without MODEL_WIRE for the abilities of the model. With MODEL_NAME, a server that does not answer
 * this machine is accepted, because a pod may reach it.
 */
export async function chooseModel(env: Environment): Promise<ChosenModel | null> {
  const { MODEL: address, MODEL_NAME: named, MODEL_LARGE: large } = env;
  if (address === undefined || address === '') return null;
  const baseUrl = baseUrlOf(address);
  const key = keyOf(env);
  const isNamed = named !== undefined && named !== '';
  const models = await listOf(baseUrl, key).catch((error: unknown): readonly Listed[] => {
    if (isNamed && !(error instanceof Error && error.message.includes('refuses the key'))) return [];
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`the models of MODEL=${address} are unknown: ${why}`, { cause: error });
  });
  const model = isNamed ? named : onlyOne(models, baseUrl);
  return {
    baseUrl,
    model,
    large: large === undefined || large === '' ? model : large,
    key,
    contextTokens: contextOf(models, model),
    ...(await abilitiesOf(env, { baseUrl, model, key })),
  };
}

/** The configuration of a village for the model. It has no key. Pure. */
export function configOf({ baseUrl, model, large, key, contextTokens, isBaseModel, tools, json }: ChosenModel): object {
  return oneServerConfig({
    baseUrl,
    model,
    large,
    credential: key === null ? undefined : MODEL_CREDENTIAL,
    contextTokens: contextTokens ?? undefined,
    isBaseModel,
    tools,
    json,
  });
}
