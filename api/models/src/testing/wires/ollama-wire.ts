import { json, usageOf, type ScriptedAnswer, type Wire } from './wire.ts';
import type { WireAnswer } from '../wire-server.ts';

const HEAD = { model: 'up-model', created_at: '2026-11-22T19:22:45.499127Z' };

const callsOf = ({ calls = [] }: ScriptedAnswer): readonly object[] =>
  calls.map(({ name, pieces }) => ({ function: { name, arguments: JSON.parse(pieces.join('')) as unknown } }));

function doneFields(answer: ScriptedAnswer): object {
  const usage = usageOf(answer);
  return {
    done: true,
    done_reason: answer.finish ?? 'stop',
    total_duration: 4_883_583_458,
    load_duration: 1_334_875,
    ...(usage === null
      ? {}
      : {
          prompt_eval_count: usage.prompt,
          prompt_eval_duration: 342_546_000,
          eval_count: usage.completion,
          eval_duration: 4_535_599_000,
        }),
  };
}

function plain(answer: ScriptedAnswer): WireAnswer {
  const calls = callsOf(answer);
  const message = {
    role: 'assistant',
    content: (answer.text ?? []).join(''),
    ...(answer.thought === undefined ? {} : { thinking: answer.thought.join('') }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return json({ ...HEAD, message, ...doneFields(answer) });
}

/** Each call is complete, in its own line. */
function stream(answer: ScriptedAnswer): WireAnswer {
  const line = (fields: object): string => `${JSON.stringify({ ...HEAD, ...fields })}\n`;
  return {
    headers: { 'content-type': 'application/x-ndjson' },
    chunks: [
      ...(answer.thought ?? []).map((thinking) =>
        line({ message: { role: 'assistant', content: '', thinking }, done: false }),
      ),
      ...(answer.text ?? []).map((content) => line({ message: { role: 'assistant', content }, done: false })),
      ...callsOf(answer).map((call) =>
        line({ message: { role: 'assistant', content: '', tool_calls: [call] }, done: false }),
      ),
      line({ message: { role: 'assistant', content: '' }, ...doneFields(answer) }),
    ],
  };
}

const failure = (status: number, error: string, headers = {}): WireAnswer => json({ error }, status, headers);

/** Ollama's own API: JSON lines, calls without ids. */
export const OLLAMA_WIRE: Wire = {
  isEvents: false,
  plain,
  stream,
  errors: {
    auth: failure(401, 'unauthorized'),
    quota: failure(429, 'you (ada) have reached your weekly usage limit, upgrade for higher limits'),
    rate: failure(429, 'too many concurrent requests', { 'retry-after': '1' }),
    context_too_long: failure(400, 'the input length exceeds the context length'),
    content_refused: failure(400, 'the prompt was flagged'),
    forbidden: failure(403, 'this model requires a subscription, upgrade for access'),
    no_such_model: failure(404, "model 'up-model' not found"),
    bad_request: failure(400, 'registry.ollama.ai/library/up-model does not support tools'),
    overloaded: failure(503, 'server busy, please try again.  maximum pending requests exceeded'),
  },
  overloadInStream: `${JSON.stringify({ error: 'an error was encountered while running the model: CUDA error' })}\n`,
};
