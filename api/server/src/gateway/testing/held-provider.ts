import type { ModelPart, ModelProvider, ModelRequest } from '../model-provider.ts';
import { createScriptedProvider } from '../scripted-provider.ts';

/**
 * `provider` has two models: `held` answers when the test releases it, and `failing` fails. `usual` has the usual
 * providers.
 */
export interface HeldProvider {
  readonly provider: ModelProvider;
  readonly usual: readonly ModelProvider[];
  /** Releases the answer that waits now. */
  release(): void;
}

export function heldProvider(): HeldProvider {
  let gate = Promise.withResolvers<void>();

  async function* complete({ model, messages }: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    if (model === 'failing') throw new Error('out of order');
    yield { kind: 'text', text: 'First.' };
    const left = new Promise<never>((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
    );
    await Promise.race([gate.promise, left]);
    yield { kind: 'text', text: ' Then.' };
    yield { kind: 'end', finish: 'stop', usage: { promptTokens: messages.length, completionTokens: 2 } };
  }

  const served = (model: string) => ({ model, contextTokens: 1_000, answerTokens: 100, createdS: 0 });
  return {
    provider: {
      name: 'held',
      scripted: false,
      models: [served('held'), served('failing')],
      countTokens: (_model, messages) => messages.reduce((sum, { text }) => sum + text.length, 0),
      complete,
    },
    usual: [createScriptedProvider()],
    release: () => {
      gate.resolve();
      gate = Promise.withResolvers();
    },
  };
}
