import { parseModelsConfig, SYSTEM_PORTS } from '@hamlet/models';
import type { ModelsConfig } from '@hamlet/models';
import { startWireServer, type WireServer } from '@hamlet/models/testing';
import { untilEnd } from '@hamlet/test/env/at-end';
import type { VillageModels } from '../models/village-models.ts';

/** The key of the provider. It must never leave the API in an answer or a log. */
export const PROVIDER_KEY = 'sk-village-0123456789abcdef';

interface WireOptions {
  /** Requests at one time. */
  readonly maxInFlight?: number;
  readonly queue?: { readonly maxWaiting: number; readonly waitMs: number };
  readonly limits?: Partial<ModelsConfig['limits']>;
}

/** A model server until the tests of the calling file have ended. */
export async function testWire(...given: Parameters<typeof startWireServer>): Promise<WireServer> {
  return untilEnd(await startWireServer(...given));
}

/** Models of which `small` is written by a server with OpenAI's wire; `large` is scripted. */
export function wireModels(url: string, { maxInFlight, queue, limits }: WireOptions = {}): VillageModels {
  const parsed = parseModelsConfig({
    providers: {
      upstream: { kind: 'compatible', baseUrl: `${url}/v1`, credential: 'village', maxInFlight },
      scripted: { kind: 'scripted' },
    },
    routes: [
      { match: 'small', provider: 'upstream', model: 'up-model', contextTokens: 16_384, answerTokens: 256 },
      { match: 'large', provider: 'scripted' },
    ],
    retry: { attempts: 2, firstDelayMs: 1 },
    queue,
    limits,
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  const key = (name: string): string | null => (name === 'village' ? PROVIDER_KEY : null);
  return { config: parsed.config, key, adapters: {}, ports: SYSTEM_PORTS };
}
