import { tokenCounts, VLLM_WIRE } from './chat-wire.ts';
import { eventStream, json, usageOf, type ScriptedAnswer, type Wire } from './wire.ts';

const HEAD = { id: 'cmpl-3bc8b64d5f', object: 'text_completion', created: 1_790_000_000, model: 'up-model' };

function usageBody(answer: ScriptedAnswer): object | undefined {
  const usage = usageOf(answer);
  return usage === null ? undefined : tokenCounts(usage);
}

const choice = (text: string, finish: string | null): object => ({
  index: 0,
  text,
  logprobs: null,
  finish_reason: finish,
});
const chunk = (fields: object): string => `data: ${JSON.stringify({ ...HEAD, ...fields })}\n\n`;

/** Completions in the format of vLLM and llama.cpp: the text begins with the space after the label. */
export const COMPLETIONS_WIRE: Wire = {
  seal: null,
  plain: (answer) =>
    json({
      ...HEAD,
      choices: [choice(` ${(answer.text ?? []).join('')}`, answer.finish ?? 'stop')],
      usage: usageBody(answer),
    }),
  stream: (answer) => {
    const usage = usageBody(answer);
    return eventStream([
      chunk({ choices: [choice(' ', null)] }),
      ...(answer.text ?? []).map((text) => chunk({ choices: [choice(text, null)] })),
      chunk({ choices: [choice('', answer.finish ?? 'stop')] }),
      ...(usage === undefined ? [] : [chunk({ choices: [], usage })]),
      'data: [DONE]\n\n',
    ]);
  },
  errors: VLLM_WIRE.errors,
  overloadInStream: VLLM_WIRE.overloadInStream,
};
