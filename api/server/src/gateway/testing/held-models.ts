import { parseModelsConfig, SYSTEM_PORTS, type AdapterCall, type AdapterDelta } from '@hamlet/models';

const route = (match: string) => ({ match, provider: 'held', contextTokens: 1_000, answerTokens: 100 });
const CONFIG = {
  providers: { held: { kind: 'compatible', baseUrl: 'http://127.0.0.1:1/v1' }, scripted: { kind: 'scripted' } },
  routes: [
    route('held'),
    route('failing'),
    { match: 'small', provider: 'scripted', contextTokens: 4_096, answerTokens: 128 },
    { match: 'large', provider: 'scripted', contextTokens: 32_768, answerTokens: 512 },
  ],
};

/** The scripted models and two more: `held` answers when the test calls `release`, and `failing` fails. */
export function heldModels() {
  let gate = Promise.withResolvers<void>();

  async function* ask({ model, request, signal }: AdapterCall): AsyncGenerator<AdapterDelta> {
    if (model === 'failing') throw new Error('out of order');
    yield { kind: 'text', text: 'First.' };
    const left = new Promise<never>((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
    );
    await Promise.race([gate.promise, left]);
    yield { kind: 'text', text: ' Then.' };
    yield { kind: 'usage', usage: { promptTokens: request.messages.length, completionTokens: 2 } };
    yield { kind: 'end', finish: 'stop', raw: null };
  }

  const parsed = parseModelsConfig(CONFIG);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  return {
    models: {
      config: parsed.config,
      key: () => null,
      adapters: { held: { provider: 'held', secrets: () => [], ask } },
      ports: SYSTEM_PORTS,
    },
    release: () => {
      gate.resolve();
      gate = Promise.withResolvers();
    },
  };
}
