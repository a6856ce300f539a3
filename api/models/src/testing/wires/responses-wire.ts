import { eventStream, interleaved, json, usageOf, type ScriptedAnswer, type Wire } from './wire.ts';
import type { WireAnswer } from '../wire-server.ts';

const HEAD = { id: 'resp_68af4030592c81938ec0a5fbab4a3e9f', object: 'response', model: 'up-model', store: false };

const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

function usageBody(answer: ScriptedAnswer): object | null {
  const usage = usageOf(answer);
  if (usage === null) return null;
  return {
    input_tokens: usage.prompt,
    input_tokens_details: { cached_tokens: usage.cached ?? 0 },
    output_tokens: usage.completion,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.prompt + usage.completion,
  };
}

function responseBody(answer: ScriptedAnswer): Readonly<Record<string, unknown>> & { readonly status: string } {
  const isCut = answer.finish === 'length';
  const status = isCut ? 'incomplete' : 'completed';
  const details = isCut ? { reason: 'max_output_tokens' } : null;
  const output = [{ type: 'message', content: [{ type: 'output_text', text: (answer.text ?? []).join('') }] }];
  return { ...HEAD, status, error: null, incomplete_details: details, output, usage: usageBody(answer) };
}

function endEvent(answer: ScriptedAnswer): string {
  const response = responseBody(answer);
  return event(`response.${response.status}`, { response });
}

const ENCRYPTED = 'gAAAAABoISQ24OyVRYbkYfukdJoqdzWT';

function thoughtItem(thought: readonly string[]): object {
  const summary = [{ type: 'summary_text', text: thought.join('') }];
  return { id: 'rs_1', type: 'reasoning', summary, encrypted_content: ENCRYPTED };
}

function stream(answer: ScriptedAnswer): WireAnswer {
  const { thought = [], text = [], calls = [] } = answer;
  const textAt = thought.length === 0 ? 0 : 1;
  const first = textAt + (text.length === 0 ? 0 : 1);
  const added = (output_index: number, item: object): string =>
    event('response.output_item.added', { output_index, item: { status: 'in_progress', ...item } });
  return eventStream([
    event('response.created', { response: { ...HEAD, status: 'in_progress', usage: null } }),
    event('response.in_progress', { response: { ...HEAD, status: 'in_progress', usage: null } }),
    ...(textAt === 0 ? [] : [added(0, { id: 'rs_1', type: 'reasoning', summary: [] })]),
    ...thought.map((delta) =>
      event('response.reasoning_summary_text.delta', { item_id: 'rs_1', output_index: 0, summary_index: 0, delta }),
    ),
    ...(textAt === 0 ? [] : [event('response.output_item.done', { output_index: 0, item: thoughtItem(thought) })]),
    ...(first === textAt ? [] : [added(textAt, { id: 'msg_1', type: 'message', role: 'assistant', content: [] })]),
    ...text.map((delta) =>
      event('response.output_text.delta', { item_id: 'msg_1', output_index: textAt, content_index: 0, delta }),
    ),
    ...calls.map(({ id, name }, index) =>
      added(index + first, { id: `fc_${id}`, type: 'function_call', call_id: id, name, arguments: '' }),
    ),
    ...interleaved(calls).map(({ index, call, piece }) =>
      event('response.function_call_arguments.delta', {
        item_id: `fc_${call.id}`,
        output_index: index + first,
        delta: piece,
      }),
    ),
    ...calls.map(({ id, pieces }, index) =>
      event('response.function_call_arguments.done', {
        item_id: `fc_${id}`,
        output_index: index + first,
        arguments: pieces.join(''),
      }),
    ),
    endEvent(answer),
  ]);
}

/** OpenAI's Responses as subscription servers send them: always as a stream. */
export const RESPONSES_WIRE: Wire = {
  seal: JSON.stringify({
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'North or south?' }],
    encrypted_content: ENCRYPTED,
  }),
  plain: stream,
  stream,
  whole: (answer) => json(responseBody(answer)),
  errors: {
    auth: json({ detail: 'Unauthorized' }, 401),
    quota: json(
      {
        error: {
          type: 'usage_limit_reached',
          message: 'The usage limit has been reached',
          plan_type: 'plus',
          resets_at: 1_790_003_600,
          resets_in_seconds: 3_600,
        },
      },
      429,
    ),
    rate: json(
      {
        error: {
          code: 'rate_limit_exceeded',
          type: 'requests',
          message: 'Rate limit reached for gpt-5. Please try again in 11.054s.',
        },
      },
      429,
    ),
    context_too_long: json(
      {
        error: {
          code: 'context_length_exceeded',
          type: 'invalid_request_error',
          message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
        },
      },
      400,
    ),
    content_refused: json(
      { error: { code: 'invalid_prompt', message: 'Invalid prompt: we have limited access to this content.' } },
      400,
    ),
    forbidden: json({ detail: 'Your plan does not include this workspace.' }, 403),
    no_such_model: json({ detail: "The 'gpt-nine' model is not found or not supported with this account." }, 404),
    bad_request: json({ detail: 'Unsupported parameter: max_output_tokens' }, 400),
    overloaded: json(
      { error: { code: 'server_is_overloaded', message: 'Our servers are currently overloaded.' } },
      503,
    ),
  },
  overloadInStream: event('response.failed', {
    response: {
      ...HEAD,
      status: 'failed',
      error: { code: 'server_is_overloaded', message: 'Our servers are currently overloaded. Please try again later.' },
      usage: null,
    },
  }),
};
