import { OFFERED_MODELS_MAX, type ConnectableKind, type OfferedModels } from '@hamlet/contract';
import type { ModelPorts } from '@hamlet/models';
import { z } from 'zod';
import { recordAct } from '../../audit/record-act.ts';
import { plain, type Handlers } from '../../http/handler.ts';
import { accepted, refused } from '../../http/outcome.ts';
import { boundedBody } from '../../service/bounded-body.ts';
import type { Village } from '../../village.ts';
import { forbiddenUrl } from '../connections/address-rule.ts';
import { describedProvider } from '../connections/described-provider.ts';

const LIST_MS = 10_000;
/** OpenRouter lists its models in about 700 kB. */
const LIST_MAX_BYTES = 4 << 20;

/**
 * Maximum number of entries that are read: 4 MiB may have two million, and each one without a name costs a list of
 * problems.
 */
const ENTRIES_MAX = 5_000;

const Name = z.string().regex(/^[\x21-\x7e]{1,200}$/);
const List = z.object({ data: z.unknown(), models: z.unknown() }).partial();
/** The two forms: that of OpenAI, and that of Ollama. */
const ENTRIES = {
  data: z.object({ id: Name }).transform(({ id }) => id),
  models: z.object({ name: Name }).transform(({ name }) => name),
} as const;
const FORMS = ['data', 'models'] as const;

/** The names of the models in the answer of a provider, sorted, each once; null if it is not such a list. Pure. */
export function namesIn(text: string): readonly string[] | null {
  try {
    const list = List.parse(JSON.parse(text));
    const form = FORMS.find((each) => Array.isArray(list[each]));
    if (form === undefined) return null;
    const entries = (list[form] as readonly unknown[]).slice(0, ENTRIES_MAX);
    const named = new Set(entries.flatMap((entry) => ENTRIES[form].safeParse(entry).data ?? []));
    return [...named].toSorted((a, b) => a.localeCompare(b)).slice(0, OFFERED_MODELS_MAX);
  } catch {
    return null;
  }
}

interface Provider {
  readonly kind: ConnectableKind;
  readonly url: string;
  readonly key: string | undefined;
}

function headersOf({ kind, key }: Provider): Record<string, string> {
  if (key === undefined) return {};
  return kind === 'anthropic'
    ? { 'x-api-key': key, 'anthropic-version': '2023-06-01' }
    : { authorization: `Bearer ${key}` };
}

const problem = (text: string): OfferedModels => ({ models: [], problem: text });

async function ask(provider: Provider, fetch: ModelPorts['fetch']): Promise<OfferedModels> {
  const url = `${provider.url.replace(/\/+$/, '')}/${provider.kind === 'ollama' ? 'api/tags' : 'models'}`;
  const request = { method: 'GET', headers: headersOf(provider), body: '', redirect: 'manual' } as const;
  try {
    const { ok, status, body } = await fetch(url, { ...request, signal: AbortSignal.timeout(LIST_MS) });
    const text = (await boundedBody(body, LIST_MAX_BYTES)).toString('utf8');
    if (status === 401 || status === 403) return problem('The provider refused the key. Write a valid one.');
    const models = ok ? namesIn(text) : null;
    if (models === null)
      return problem('The server does not list its models. Check the address, or write their names.');
    return { models: [...models], problem: null };
  } catch {
    return problem('The server cannot be reached. Check the address.');
  }
}

/** Asks a provider that is not connected for the names of its models, at an address that a provider may have. */
export function listOfferedModels({ db, gateway }: Village): Handlers['listOfferedModels'] {
  return plain(async (request) => {
    const { kind, base_url: address, key } = request.body;
    const { base_url: url } = describedProvider({ kind, base_url: address, models: [] });
    const forbidden = forbiddenUrl(url);
    if (forbidden !== null) return refused('address_refused', forbidden);
    const { connected } = gateway.credentials.models;
    if (connected === undefined) return accepted(problem('This village connects no providers.'));
    const offered = await ask({ kind, url, key }, connected.ports.fetch);
    const detail = { kind, count: offered.models.length, problem: offered.problem };
    await recordAct(db, request, { action: 'models.offered', object: url, detail });
    return accepted(offered);
  });
}
