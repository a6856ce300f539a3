import { eventStream, interleaved, json, usageOf, type ReportedCode, type ScriptedAnswer, type Wire } from './wire.ts';
import type { WireAnswer } from '../wire-server.ts';

const HEAD = {
  id: 'chatcmpl-BxYzAb12',
  created: 1_790_000_000,
  model: 'up-model',
  system_fingerprint: 'fp_44709d6fcb',
};

export function tokenCounts({ prompt, completion }: { readonly prompt: number; readonly completion: number }): object {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

function usageBody(answer: ScriptedAnswer): object | undefined {
  const usage = usageOf(answer);
  if (usage === null) return undefined;
  return {
    ...tokenCounts(usage),
    prompt_tokens_details: { cached_tokens: usage.cached ?? 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  };
}

function finishOf({ calls = [], finish }: ScriptedAnswer): string {
  return finish ?? (calls.length > 0 ? 'tool_calls' : 'stop');
}

function plain(answer: ScriptedAnswer): WireAnswer {
  const { thought = [], text = [], calls = [] } = answer;
  const toolCalls = calls.map(({ id, name, pieces }) => ({
    id,
    type: 'function',
    function: { name, arguments: pieces.join('') },
  }));
  const message = {
    role: 'assistant',
    content: text.length === 0 ? null : text.join(''),
    ...(thought.length === 0 ? {} : { reasoning_content: thought.join('') }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    refusal: null,
    annotations: [],
  };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: finishOf(answer) }];
  return json({ ...HEAD, object: 'chat.completion', choices, usage: usageBody(answer), service_tier: 'default' });
}

function chatChunk(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
  return `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', choices, usage: null })}\n\n`;
}

function stream(answer: ScriptedAnswer): WireAnswer {
  const { thought = [], text = [], calls = [] } = answer;
  const usage = usageBody(answer);
  const pieces = interleaved(calls).map(({ index, call: { id, name }, piece, isFirst }) =>
    chatChunk({
      tool_calls: [
        isFirst
          ? { index, id, type: 'function', function: { name, arguments: piece } }
          : { index, function: { arguments: piece } },
      ],
    }),
  );
  return eventStream([
    chatChunk({ role: 'assistant', content: '', refusal: null }),
    ...thought.map((reasoning) => chatChunk({ reasoning, content: null })),
    ...text.map((content) => chatChunk({ content })),
    ...pieces,
    chatChunk({}, finishOf(answer)),
    ...(usage === undefined
      ? []
      : [`data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', choices: [], usage })}\n\n`]),
    'data: [DONE]\n\n',
  ]);
}

const openAiError = (status: number, error: object, headers = {}): WireAnswer =>
  json({ error: { param: null, code: null, type: 'invalid_request_error', ...error } }, status, headers);

const OPENAI_ERRORS: Readonly<Record<ReportedCode, WireAnswer>> = {
  auth: openAiError(401, {
    message:
      'Incorrect API key provided: sk-test-********************************1234. You can find your API key at https://platform.openai.com/account/api-keys.',
    code: 'invalid_api_key',
  }),
  quota: openAiError(429, {
    message:
      'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.',
    type: 'insufficient_quota',
    code: 'insufficient_quota',
  }),
  rate: openAiError(
    429,
    {
      message:
        'Rate limit reached for gpt-5 in organization org-x on tokens per min (TPM): Limit 30000, Used 29500, Requested 1200. Please try again in 1.4s. Visit https://platform.openai.com/account/rate-limits to learn more.',
      type: 'tokens',
      code: 'rate_limit_exceeded',
    },
    { 'retry-after-ms': '40', 'retry-after': '1', 'x-ratelimit-remaining-tokens': '500' },
  ),
  context_too_long: openAiError(400, {
    message:
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 131072 tokens. Please reduce the length of the messages.",
    param: 'messages',
    code: 'context_length_exceeded',
  }),
  content_refused: openAiError(400, {
    message:
      'Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt.',
    code: 'invalid_prompt',
  }),
  forbidden: openAiError(403, {
    message: 'Your organization must be verified to use this model. Please go to the settings of your organization.',
  }),
  no_such_model: openAiError(404, {
    message: 'The model `gpt-nine` does not exist or you do not have access to it.',
    code: 'model_not_found',
  }),
  bad_request: openAiError(400, {
    message: "Unsupported value: 'temperature' does not support 0.2 with this model.",
    param: 'temperature',
    code: 'unsupported_value',
  }),
  overloaded: openAiError(503, {
    message: 'The engine is currently overloaded, please try again later',
    type: 'server_error',
  }),
};

const routerError = (code: number, message: string, metadata?: object): WireAnswer =>
  json({ error: { message, code, ...(metadata === undefined ? {} : { metadata }) }, user_id: 'user_2x' }, code);

const ROUTER_ERRORS: Readonly<Record<ReportedCode, WireAnswer>> = {
  auth: routerError(401, 'No auth credentials found'),
  quota: routerError(
    402,
    'This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 1200.',
  ),
  rate: {
    ...routerError(429, 'Provider returned error', {
      raw: 'meta-llama/llama-3.3-70b is temporarily rate-limited upstream. Please retry shortly.',
      provider_name: 'Venice',
    }),
    headers: { 'content-type': 'application/json', 'retry-after': '1' },
  },
  context_too_long: routerError(
    400,
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (139000 of text input, 1000 in the output).",
  ),
  content_refused: routerError(
    403,
    'This model requires moderation on OpenRouter. Your input was flagged for "violence".',
    {
      reasons: ['violence'],
      flagged_input: 'burn the mi...down',
      provider_name: 'OpenAI',
      model_slug: 'openai/gpt-5',
    },
  ),
  forbidden: routerError(403, 'This key may not use this provider.'),
  no_such_model: routerError(400, 'openai/gpt-nine is not a valid model ID'),
  bad_request: routerError(400, 'Input must have at least 1 token.'),
  overloaded: routerError(502, 'Provider returned error', {
    raw: 'upstream connect error',
    provider_name: 'DeepInfra',
  }),
};

const vllmError = (status: number, type: string, message: string): WireAnswer =>
  json({ error: { message, type, param: null, code: status } }, status);

const VLLM_ERRORS: Readonly<Record<ReportedCode, WireAnswer>> = {
  auth: json({ error: 'Unauthorized' }, 401),
  // vLLM has no quota and rate limits: these are the answers of a proxy in front of it.
  quota: json({ message: 'insufficient credits' }, 402),
  rate: {
    status: 429,
    headers: { 'content-type': 'text/html', 'retry-after': '1' },
    chunks: ['<html>429 Too Many Requests</html>'],
  },
  context_too_long: vllmError(
    400,
    'BadRequestError',
    "This model's maximum context length is 4096 tokens. However, you requested 5100 tokens (4100 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.",
  ),
  content_refused: json({ error: { message: 'blocked by content policy', type: 'content_policy_violation' } }, 400),
  forbidden: { status: 403, headers: { 'content-type': 'text/html' }, chunks: ['<html>403 Forbidden</html>'] },
  no_such_model: json(
    { object: 'error', message: 'The model `nine` does not exist.', type: 'NotFoundError', param: null, code: 404 },
    404,
  ),
  bad_request: json(
    { detail: [{ loc: ['body', 'messages', 0, 'role'], msg: 'field required', type: 'value_error.missing' }] },
    422,
  ),
  overloaded: {
    status: 503,
    headers: { 'content-type': 'text/html' },
    chunks: ['<html><body>503 Service Unavailable</body></html>'],
  },
};

export const OPENAI_WIRE: Wire = {
  plain,
  stream,
  errors: OPENAI_ERRORS,
  overloadInStream: `data: ${JSON.stringify({ error: { message: 'The server had an error while processing your request.', type: 'server_error', param: null, code: null } })}\n\n`,
};

/** OpenRouter's Chat Completions: comments keep the connection open, and a chunk reports a failure. */
export const OPENROUTER_WIRE: Wire = {
  plain,
  stream: (answer) => {
    const { chunks, ...rest } = stream(answer);
    return { ...rest, chunks: [': OPENROUTER PROCESSING\n\n', ': OPENROUTER PROCESSING\n\n', ...chunks] };
  },
  errors: ROUTER_ERRORS,
  overloadInStream: `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', provider: 'DeepInfra', error: { code: 502, message: 'Provider disconnected unexpectedly' }, choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }] })}\n\n`,
};

export const VLLM_WIRE: Wire = {
  plain,
  stream,
  errors: VLLM_ERRORS,
  overloadInStream: `data: ${JSON.stringify({ error: { object: 'error', message: 'EngineCore encountered an issue.', type: 'InternalServerError', param: null, code: 500 } })}\n\n`,
};
