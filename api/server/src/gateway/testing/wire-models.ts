import { parseModelsConfig, SYSTEM_PORTS, type ModelsConfig } from '@hamlet/models';
import { OPENAI_WIRE, startWireServer, type ScriptedAnswer, type WireServer } from '@hamlet/models/testing';
import { untilEnd } from '@hamlet/test/env/at-end';
import type { VillageModels } from '../models/village-models.ts';

/** The key of the provider. No answer or log of the API may contain it. */
export const PROVIDER_KEY = 'sk-village-0123456789abcdef';

interface WireOptions {
  /** Maximum number of concurrent requests. */
  readonly maxInFlight?: number;
  readonly queue?: { readonly maxWaiting: number; readonly waitMs: number };
  readonly limits?: Partial<ModelsConfig['limits']>;
  /** The provider's name of the model, its context and the limit of its answers. */
  readonly route?: { readonly model?: string; readonly contextTokens?: number; readonly answerTokens?: number };
  /** For a model whose prompt opens its thoughts. */
  readonly thoughts?: 'opened';
}

/** A model server that runs until the tests of the calling file have ended. */
export async function testWire(...given: Parameters<typeof startWireServer>): Promise<WireServer> {
  return untilEnd(await startWireServer(...given));
}

/** The model `small` comes from a server with OpenAI's format; `large` is scripted. */
export function wireModels(
  url: string,
  { maxInFlight, queue, limits, route, thoughts }: WireOptions = {},
): VillageModels {
  const parsed = parseModelsConfig({
    providers: {
      upstream: { kind: 'compatible', baseUrl: `${url}/v1`, credential: 'village', maxInFlight },
      scripted: { kind: 'scripted' },
    },
    routes: [
      {
        match: 'small',
        provider: 'upstream',
        ...(route ?? { model: 'up-model', contextTokens: 16_384, answerTokens: 256 }),
      },
      { match: 'large', provider: 'scripted' },
    ],
    capabilities: [{ provider: 'upstream', model: '*', thoughts }],
    retry: { attempts: 2, firstDelayMs: 1 },
    queue,
    limits,
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  const key = (name: string): string | null => (name === 'village' ? PROVIDER_KEY : null);
  return { config: parsed.config, key, adapters: {}, ports: SYSTEM_PORTS };
}

/** The next answer of the provider of {@link wireModels}, and the body that it must receive. */
export function answerWith(wire: WireServer, answer: ScriptedAnswer, body: object = {}): void {
  const headers = { authorization: `Bearer ${PROVIDER_KEY}` };
  wire.add({
    expect: { path: '/v1/chat/completions', headers, body: { model: 'up-model', stream: true, ...body } },
    answer: OPENAI_WIRE.stream(answer),
  });
}
