import type { RuntimeEvent, SpeechInput } from '../agent-runtime.ts';
import { RunFailure } from '../agent-runtime.ts';
import type { ModelPort } from '../loop/ports.ts';

/** Answers speech with one request to a model, without tools, history and journal. */
export async function* speakOnce(
  model: ModelPort,
  { text, prompt, model: name }: SpeechInput,
  signal: AbortSignal,
): AsyncGenerator<RuntimeEvent> {
  const messages = [{ role: 'user' as const, content: text }];
  for await (const part of model.chat({ model: name, at: null, system: prompt, messages, tools: [] }, signal)) {
    if (part.type === 'delta') yield { type: 'words', text: part.text };
    if (part.type === 'failed') throw new RunFailure(`model_${part.code}`, `The model did not answer: ${part.code}.`);
    if (part.type === 'answer') return yield { type: 'outcome', outcome: { kind: 'done', text: part.content } };
  }
  throw new RunFailure('model_cut', 'The model did not answer: its stream ended too early.');
}
