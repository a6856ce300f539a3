import { hashText } from '@hamlet/core';
import { ModelFault, type AdapterCall, type AdapterDelta, type ChatAdapter, type ChatRequest } from '@hamlet/models';
import { piecesOf, promptTokensOf, scriptedText, tokensOf, type Style } from './scripted-text.ts';

export const SCRIPTED = 'scripted';

const STYLES: Readonly<Record<string, Style>> = {
  small: { topicWords: 2, moreSentences: 0 },
  large: { topicWords: 5, moreSentences: 2 },
};

function cutAtStop(text: string, stops: readonly string[]): string {
  const ends = stops
    .filter((stop) => stop !== '')
    .map((stop) => text.indexOf(stop))
    .filter((at) => at >= 0);
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends));
}

/** Fixed sentences cannot follow a schema or call a tool; tools that are only offered are left out. */
function refuseMore({ toolChoice = 'auto', responseSchema, jsonObject }: ChatRequest): void {
  if (toolChoice !== 'auto' && toolChoice !== 'none')
    throw new ModelFault('bad_request', 'the scripted mind cannot call tools: use tool_choice auto or none');
  if (responseSchema !== undefined || jsonObject === true)
    throw new ModelFault(
      'bad_request',
      'the scripted mind cannot write JSON: ask for text, or connect a language model',
    );
}

async function* write({ request, model, signal }: AdapterCall): AsyncGenerator<AdapterDelta> {
  const style = STYLES[model];
  if (style === undefined)
    throw new ModelFault('bad_request', `there is no scripted model ${model}: use small or large`);
  refuseMore(request);
  const { messages, maxTokens = Number.POSITIVE_INFINITY, seed, stop = [] } = request;
  const promptTokens = promptTokensOf(messages);
  const text = scriptedText(messages, style, seed ?? hashText(JSON.stringify(messages)));
  let completionTokens = 0;
  let finish: 'stop' | 'length' = 'stop';
  for (const piece of piecesOf(cutAtStop(text, stop))) {
    signal.throwIfAborted();
    const tokens = tokensOf(piece);
    if (completionTokens + tokens > maxTokens) {
      finish = 'length';
      break;
    }
    completionTokens += tokens;
    yield { kind: 'text', text: piece };
  }
  yield { kind: 'usage', usage: { promptTokens, completionTokens } };
  yield { kind: 'end', finish, raw: null };
}

/** The mind of a village without a language model. Its models `small` and `large` say that they are scripted. */
export function createScriptedAdapter(): ChatAdapter {
  return { provider: SCRIPTED, secrets: () => [], ask: write };
}
