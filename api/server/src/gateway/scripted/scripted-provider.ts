import type { ModelPart, ModelProvider, ModelRequest, ServedModel } from '../model-provider.ts';
import { scriptedText } from './scripted-text.ts';
import type { Style } from './scripted-text.ts';
import { piecesOf, promptTokensOf, tokensOf } from './scripted-tokens.ts';

const MADE_S = Date.UTC(2026, 10, 22) / 1_000;

/** What the two models differ in: how much they hold, how much they write, how much of a prompt they take up. */
const MODELS: Readonly<Record<string, ServedModel & { readonly style: Style }>> = {
  small: {
    model: 'small',
    contextTokens: 4_096,
    answerTokens: 128,
    createdS: MADE_S,
    style: { topicWords: 2, moreSentences: 0 },
  },
  large: {
    model: 'large',
    contextTokens: 32_768,
    answerTokens: 512,
    createdS: MADE_S,
    style: { topicWords: 5, moreSentences: 2 },
  },
};

/** The text before the first of the stops. */
function cutAtStop(text: string, stops: readonly string[]): string {
  const ends = stops
    .filter((stop) => stop !== '')
    .map((stop) => text.indexOf(stop))
    .filter((at) => at >= 0);
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends));
}

async function* write(
  { model, messages, maxTokens, seed, stop }: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelPart> {
  const known = MODELS[model];
  if (known === undefined) throw new Error(`there is no scripted model ${model}`);
  const promptTokens = promptTokensOf(messages);
  let completionTokens = 0;
  for (const piece of piecesOf(cutAtStop(scriptedText(messages, known.style, seed), stop))) {
    signal.throwIfAborted();
    const tokens = tokensOf(piece);
    if (completionTokens + tokens > maxTokens) {
      yield { kind: 'end', finish: 'length', usage: { promptTokens, completionTokens } };
      return;
    }
    completionTokens += tokens;
    yield { kind: 'text', text: piece };
  }
  yield { kind: 'end', finish: 'stop', usage: { promptTokens, completionTokens } };
}

/** The provider of a village without a language model: two models, `small` and `large`, that are scripted and say so. */
export function createScriptedProvider(): ModelProvider {
  return {
    name: 'scripted',
    scripted: true,
    models: Object.values(MODELS),
    countTokens: (_model, messages) => promptTokensOf(messages),
    complete: write,
  };
}
