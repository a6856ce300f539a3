import type { ModelPriceView } from '@hamlet/contract';
import type { ModelsConfig } from '@hamlet/models';
import { inTransaction, priceProvider, readCredentials, type CredentialRow } from '@hamlet/store';
import { recordAct } from '../../audit/record-act.ts';
import { plain, type Handlers } from '../../http/handler.ts';
import { accepted, refused } from '../../http/outcome.ts';
import { storedPrices } from '../connections/connection.ts';
import type { Village } from '../../village.ts';

function pricesOfRow(row: Pick<CredentialRow, 'name' | 'agentId' | 'prices'>): ModelPriceView[] {
  const { name, agentId } = row;
  const stored = storedPrices(row);
  if (stored === null) return [];
  const { currency, prices: models } = stored;
  return models.map(({ model, prompt, cached_prompt = null, cache_write = null, completion }) => ({
    provider: name,
    agent_id: agentId,
    model,
    currency,
    prompt,
    cached_prompt,
    cache_write,
    completion,
    source: 'stored',
  }));
}

function configuredPrices({ prices }: Pick<ModelsConfig, 'prices'>): ModelPriceView[] {
  if (prices === undefined) return [];
  return prices.models.map(
    ({ provider = null, model, prompt, cachedPrompt = null, cacheWrite = null, completion }) => ({
      provider,
      agent_id: null,
      model,
      currency: prices.currency,
      prompt,
      cached_prompt: cachedPrompt,
      cache_write: cacheWrite,
      completion,
      source: 'configuration',
    }),
  );
}

export function priceHandlers({ db, gateway }: Village) {
  const { stored, models } = gateway.credentials;
  return {
    listModelPrices: plain(async () => {
      const rows = await readCredentials(db);
      return accepted({ prices: [...rows.flatMap(pricesOfRow), ...configuredPrices(models.config)] });
    }),
    putModelPrices: plain(async (request) => {
      const { name } = request.params;
      const { agent_id: agentId = null, ...prices } = request.body;
      const owner = { name, agentId };
      const done = await inTransaction(db, async (tx) => {
        if (!(await priceProvider(tx, owner, prices))) return false;
        await recordAct(tx, request, {
          action: 'models.prices_put',
          object: name,
          detail: { agent_id: agentId, ...prices },
        });
        return true;
      });
      if (!done) return refused('no_such_provider', `No provider ${name} is connected: connect it first`);
      await stored.refresh();
      return accepted({ prices: pricesOfRow({ ...owner, prices }) });
    }),
  } satisfies Partial<Handlers>;
}
