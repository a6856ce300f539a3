import { eventStream, interleaved, json, usageOf, type ScriptedAnswer, type Wire } from './wire.ts';
import type { WireAnswer } from '../wire-server.ts';

const HEAD = { id: 'msg_01XFDUDYJgAACzvnptvVoYEL', type: 'message', role: 'assistant', model: 'up-model' } as const;

function usageBody(answer: ScriptedAnswer): object | undefined {
  const usage = usageOf(answer);
  if (usage === null) return undefined;
  const cached = usage.cached ?? 0;
  return {
    input_tokens: usage.prompt - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: usage.completion,
    service_tier: 'standard',
  };
}

function stopOf({ calls = [], finish }: ScriptedAnswer): string {
  if (finish === 'length') return 'max_tokens';
  return calls.length > 0 ? 'tool_use' : 'end_turn';
}

function plain(answer: ScriptedAnswer): WireAnswer {
  const { thought = [], text = [], calls = [] } = answer;
  const content = [
    ...(thought.length === 0 ? [] : [{ type: 'thinking', thinking: thought.join(''), signature: SIGNATURE }]),
    ...(text.length === 0 ? [] : [{ type: 'text', text: text.join('') }]),
    ...calls.map(({ id, name, pieces }) => ({
      type: 'tool_use',
      id,
      name,
      input: JSON.parse(pieces.join('')) as unknown,
    })),
  ];
  return json({ ...HEAD, content, stop_reason: stopOf(answer), stop_sequence: null, usage: usageBody(answer) });
}

const event = (data: { readonly type: string }): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const piece = (index: number, delta: object): string => event({ type: 'content_block_delta', index, delta } as never);

const stop = (index: number): string => event({ type: 'content_block_stop', index } as never);
const block = (index: number, content: object): string =>
  event({ type: 'content_block_start', index, content_block: content } as never);
const SIGNATURE = 'EqQBCkYIAxgCKkA=';

function thoughtEvents(thought: readonly string[]): readonly string[] {
  if (thought.length === 0) return [];
  const pieces = thought.map((words) => piece(0, { type: 'thinking_delta', thinking: words }));
  const signed = piece(0, { type: 'signature_delta', signature: SIGNATURE });
  return [block(0, { type: 'thinking', thinking: '', signature: '' }), ...pieces, signed, stop(0)];
}

function textEvents(text: readonly string[], index: number): readonly string[] {
  if (text.length === 0) return [];
  const pieces = text.map((words) => piece(index, { type: 'text_delta', text: words }));
  return [block(index, { type: 'text', text: '' }), ...pieces, stop(index)];
}

/** The thought and the text, if any, are the first blocks. The blocks of calls follow, with alternating events, which the API allows. */
function stream(answer: ScriptedAnswer): WireAnswer {
  const { thought = [], text = [], calls = [] } = answer;
  const textAt = thought.length === 0 ? 0 : 1;
  const first = textAt + (text.length === 0 ? 0 : 1);
  const usage = usageBody(answer);
  const start = usage === undefined ? {} : { usage: { ...usage, output_tokens: 1 } };
  return eventStream([
    event({
      type: 'message_start',
      message: { ...HEAD, content: [], stop_reason: null, stop_sequence: null, ...start },
    } as never),
    event({ type: 'ping' }),
    ...thoughtEvents(thought),
    ...textEvents(text, textAt),
    ...calls.map(({ id, name }, index) => block(index + first, { type: 'tool_use', id, name, input: {} })),
    ...interleaved(calls).map(({ index, piece: json_text }) =>
      piece(index + first, { type: 'input_json_delta', partial_json: json_text }),
    ),
    ...calls.map((_, index) => stop(index + first)),
    event({
      type: 'message_delta',
      delta: { stop_reason: stopOf(answer), stop_sequence: null },
      ...(usage === undefined ? {} : { usage: { output_tokens: usageOf(answer)?.completion } }),
    } as never),
    event({ type: 'message_stop' }),
  ]);
}

function apiError(status: number, type: string, message: string): WireAnswer {
  return json({ type: 'error', error: { type, message }, request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy' }, status);
}

export const ANTHROPIC_WIRE: Wire = {
  seal: SIGNATURE,
  plain,
  stream,
  errors: {
    auth: apiError(401, 'authentication_error', 'invalid x-api-key'),
    quota: apiError(
      400,
      'invalid_request_error',
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
    ),
    rate: {
      ...apiError(
        429,
        'rate_limit_error',
        "This request would exceed your organization's rate limit of 30,000 input tokens per minute.",
      ),
      headers: {
        'content-type': 'application/json',
        'retry-after': '2',
        'anthropic-ratelimit-input-tokens-remaining': '0',
      },
    },
    context_too_long: apiError(400, 'invalid_request_error', 'prompt is too long: 208310 tokens > 200000 maximum'),
    content_refused: apiError(400, 'invalid_request_error', 'Output blocked by content filtering policy'),
    forbidden: apiError(
      403,
      'permission_error',
      'Your API key does not have permission to use the specified resource.',
    ),
    no_such_model: apiError(404, 'not_found_error', 'model: claude-nine'),
    bad_request: apiError(400, 'invalid_request_error', 'max_tokens: must be greater than or equal to 1'),
    overloaded: apiError(529, 'overloaded_error', 'Overloaded'),
  },
  overloadInStream: event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } as never),
};
