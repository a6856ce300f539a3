import { parseModelsConfig, SYSTEM_PORTS } from '@hamlet/models';
import type { VillageModels } from '../village-models.ts';

/** The key of the provider. It must never leave the API in an answer or a log. */
export const PROVIDER_KEY = 'sk-village-0123456789abcdef';

const kindOf = (baseUrl: string) => ({ kind: 'compatible', baseUrl: `${baseUrl}/v1`, credential: 'village' });

/**
 * Models whose words a server with OpenAI's wire writes: `small` at the first one, `large` at the second. Without a
 * second server, `large` stays scripted.
 */
export function wireModels(first: string, second?: string): VillageModels {
  const large = second === undefined ? { provider: 'scripted' } : { provider: 'second', model: 'up-large' };
  const parsed = parseModelsConfig({
    providers: {
      upstream: kindOf(first),
      ...(second === undefined ? {} : { second: kindOf(second) }),
      scripted: { kind: 'scripted' },
    },
    routes: [
      { match: 'small', provider: 'upstream', model: 'up-model', contextTokens: 16_384, answerTokens: 256 },
      { match: 'large', ...large },
    ],
    retry: { attempts: 2, firstDelayMs: 1 },
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  const key = (name: string): string | null => (name === 'village' ? PROVIDER_KEY : null);
  return { config: parsed.config, credentials: { key, subscription: () => null }, adapters: {}, ports: SYSTEM_PORTS };
}
