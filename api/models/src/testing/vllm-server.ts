import { valueBy, type SchemaOfTexts } from './able-server.ts';
import type { WireAnswer, WireRequest } from './wire-server.ts';
import { VLLM_WIRE } from './wires/chat-wire.ts';
import { json, type ScriptedAnswer } from './wires/wire.ts';

interface VllmOptions {
  /** The name in `--served-model-name`. */
  readonly model: string;
  /** `--max-model-len`. */
  readonly maxModelLen?: number;
  /** False without `--enable-auto-tool-choice` and `--tool-call-parser`. */
  readonly hasToolParser?: boolean;
  /** The model's answer to a request; null for the usual one. */
  readonly answer?: (asked: Asked) => ScriptedAnswer | null;
}

/** The requests of which `/metrics` reports; the test sets them. */
interface VllmLoad {
  running: number;
  waiting: number;
  kvCacheUsed: number;
}

interface VllmServer {
  /** For `otherwise` of a wire server. */
  readonly answer: (request: WireRequest) => WireAnswer | null;
  readonly load: VllmLoad;
}

interface Asked {
  readonly model?: unknown;
  readonly messages?: readonly { readonly role?: unknown; readonly content?: unknown }[];
  readonly max_tokens?: number;
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean } | null;
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly tool_choice?: unknown;
  readonly response_format?: { readonly json_schema?: { readonly schema: SchemaOfTexts } };
}

const ROLES: readonly unknown[] = ['system', 'developer', 'user', 'assistant', 'tool'];
const CHARS_PER_TOKEN = 4;
const WORDS = ['Good', ' day', ', neighbour', '.'];

function error(code: number, type: string, message: string): WireAnswer {
  return json({ error: { message, type, param: null, code } }, code);
}
const bad = (message: string): WireAnswer => error(400, 'BadRequestError', message);

const promptTokens = (asked: Asked): number => Math.ceil(JSON.stringify(asked.messages ?? []).length / CHARS_PER_TOKEN);

/** The refusal of a tool that the server cannot parse; null if it can. */
function toolRefusal({ tools, tool_choice: choice = 'auto' }: Asked, hasParser: boolean): WireAnswer | null {
  if (tools === undefined || choice !== 'auto' || hasParser) return null;
  return bad('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set');
}

function messageRefusal({ messages = [] }: Asked): WireAnswer | null {
  const stray = messages.find(({ role }) => !ROLES.includes(role));
  if (messages.length > 0 && stray === undefined) return null;
  return bad(`Unexpected message role: ${String(stray?.role)}`);
}

function lengthRefusal(asked: Asked, maxModelLen: number): WireAnswer | null {
  const [asks, most] = [promptTokens(asked), asked.max_tokens ?? 1];
  if (asks + most <= maxModelLen) return null;
  return bad(
    `This model's maximum context length is ${maxModelLen} tokens. However, you requested ${asks + most} tokens (${asks} in the messages, ${most} in the completion). Please reduce the length of the messages or completion.`,
  );
}

/** The refusal of a request in vLLM's words; null if it is in order. */
function refusalOf(asked: Asked, options: Required<VllmOptions>): WireAnswer | null {
  if (asked.model !== options.model)
    return error(404, 'NotFoundError', `The model \`${String(asked.model)}\` does not exist.`);
  if (asked.stream !== true && (asked.stream_options ?? null) !== null)
    return bad('Stream options can only be defined when `stream=True`.');
  return (
    messageRefusal(asked) ?? lengthRefusal(asked, options.maxModelLen) ?? toolRefusal(asked, options.hasToolParser)
  );
}

/** Calls the tool that the last message names, as in "Call the tool note", follows a schema, or says a few words. */
function usualAnswer({ tools = [], messages = [], response_format: format }: Asked): ScriptedAnswer {
  const last = JSON.stringify(messages.at(-1)?.content ?? '');
  const tool = tools.find(({ function: { name } }) => last.includes(`the tool ${name} `));
  if (tool !== undefined)
    return { calls: [{ id: 'chatcmpl-tool-1', name: tool.function.name, pieces: ['{"word":', ' "heron"}'] }] };
  const schema = format?.json_schema?.schema;
  return { text: schema === undefined ? WORDS : [valueBy(schema)] };
}

const NAMES = {
  running: 'num_requests_running',
  waiting: 'num_requests_waiting',
  kvCacheUsed: 'kv_cache_usage_perc',
} as const;

function metricsText(
  model: string,
  load: VllmLoad,
  tokens: { readonly prompt: number; readonly generated: number },
): string {
  const labels = `{engine="0",model_name="${model}"}`;
  const gauges = Object.entries(NAMES).flatMap(([key, name]) => [
    `# HELP vllm:${name} ${name.replaceAll('_', ' ')}`,
    `# TYPE vllm:${name} gauge`,
    `vllm:${name}${labels} ${load[key as keyof VllmLoad].toFixed(3)}`,
  ]);
  const counters = Object.entries({ prompt_tokens: tokens.prompt, generation_tokens: tokens.generated }).flatMap(
    ([name, value]) => [
      `# HELP vllm:${name}_total Number of ${name.replace('_', ' ')} processed.`,
      `# TYPE vllm:${name}_total counter`,
      `vllm:${name}_total${labels} ${value.toFixed(1)}`,
      `vllm:${name}_created${labels} 1.790000000123e+09`,
    ],
  );
  return ['# TYPE python_info gauge', 'python_info{implementation="CPython"} 1.0', ...gauges, ...counters, ''].join(
    '\n',
  );
}

/** A fake vLLM server: it refuses what vLLM refuses, counts tokens, and serves its models, health and metrics. */
export function vllmServer(given: VllmOptions): VllmServer {
  const options = { maxModelLen: 32_768, hasToolParser: true, answer: () => null, ...given };
  const load: VllmLoad = { running: 0, waiting: 0, kvCacheUsed: 0 };
  const tokens = { prompt: 0, generated: 0 };

  function chat(asked: Asked): WireAnswer {
    const refusal = refusalOf(asked, options);
    if (refusal !== null) return refusal;
    const scripted = options.answer(asked) ?? usualAnswer(asked);
    const usage = { prompt: promptTokens(asked), completion: scripted.text?.length ?? 8 };
    tokens.prompt += usage.prompt;
    tokens.generated += usage.completion;
    if (asked.stream !== true) return VLLM_WIRE.plain({ ...scripted, usage });
    return VLLM_WIRE.stream({ ...scripted, usage: asked.stream_options?.include_usage === true ? usage : null });
  }

  const { model: id, maxModelLen: max_model_len } = options;
  const served = { id, object: 'model', owned_by: 'vllm', root: id, max_model_len };
  const answers: Readonly<Record<string, (request: WireRequest) => WireAnswer>> = {
    'GET /health': () => ({ status: 200, chunks: [] }),
    'GET /v1/models': () => json({ object: 'list', data: [served] }),
    'GET /metrics': () => ({
      headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
      chunks: [metricsText(options.model, load, tokens)],
    }),
    'POST /v1/chat/completions': ({ body }) => chat(body as Asked),
    'POST /v1/embeddings': () => bad('The model does not support Embeddings API'),
  };
  return {
    load,
    answer: (request) => answers[`${request.method} ${request.path}`]?.(request) ?? json({ detail: 'Not Found' }, 404),
  };
}
