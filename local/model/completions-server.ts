/** OpenAI's wire of completions for a base model. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import type { Continued, TextModel } from './text-model.ts';

const BODY_BYTES_MAX = 1 << 20;
/** Maximum number of requests that wait or run. The model writes one text at a time. */
const REQUESTS_MAX = 16;
const DEFAULT_MAX_TOKENS = 256;
const STOPS_MAX = 4;
const stop = z.string().min(1).max(200);

const Request = z.object({
  model: z.string().max(200).optional(),
  prompt: z.string().min(1).max(200_000),
  max_tokens: z.int().min(1).max(4_096).default(DEFAULT_MAX_TOKENS),
  temperature: z.number().min(0).max(2).default(0.7),
  seed: z
    .int()
    .min(0)
    .max(2 ** 31)
    .optional(),
  stop: z
    .union([stop.transform((one) => [one]), z.array(stop).max(STOPS_MAX)])
    .nullish()
    .transform((all) => all ?? []),
  stream: z.boolean().default(false),
  stream_options: z.object({ include_usage: z.boolean().optional() }).nullish(),
});
type Request = z.infer<typeof Request>;

class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

interface Place {
  readonly model: TextModel;
  readonly name: string;
  /** Mutable: requests under way, and the end of the last of them. */
  readonly queue: { length: number; tail: Promise<unknown> };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Refusal(413, 'too_large', `a request has at most ${BODY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new Refusal(400, 'invalid_json', 'the body is not JSON');
  }
}

function parse(body: unknown, { model, name }: Place): Request & { readonly promptTokens: number } {
  const parsed = Request.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Refusal(400, 'invalid_request', `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  }
  const { data } = parsed;
  if (data.model !== undefined && data.model !== name)
    throw new Refusal(404, 'model_not_found', `this server has only the model ${name}`);
  const promptTokens = model.countTokens(data.prompt);
  if (promptTokens + data.max_tokens > model.contextTokens)
    throw new Refusal(
      400,
      'context_length_exceeded',
      `prompt (${promptTokens} tokens) and max_tokens together have at most ${model.contextTokens} tokens`,
    );
  return { ...data, promptTokens };
}

/** Runs work after all earlier work. Refuses work beyond REQUESTS_MAX. */
async function inTurn<T>({ queue }: Place, work: () => Promise<T>): Promise<T> {
  if (queue.length >= REQUESTS_MAX)
    throw new Refusal(429, 'busy', `${REQUESTS_MAX} requests are under way: try again later`);
  queue.length += 1;
  const mine = queue.tail.then(work);
  queue.tail = mine.catch(() => undefined);
  try {
    return await mine;
  } finally {
    queue.length -= 1;
  }
}

const chunkOf = (name: string, text: string, finish: string | null): object => ({
  id: 'cmpl-local',
  object: 'text_completion',
  created: 0,
  model: name,
  choices: [{ index: 0, text, logprobs: null, finish_reason: finish }],
});

const usageOf = (promptTokens: number, { completionTokens }: Continued): object => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
});

async function complete(place: Place, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt, promptTokens, stream, ...asked } = parse(await bodyOf(request), place);
  const gone = new AbortController();
  response.once('close', () => gone.abort('the caller left'));
  const say = (data: object): void => void response.write(`data: ${JSON.stringify(data)}\n\n`);
  const start = (): void => {
    if (stream && !response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
  };
  const continued = await inTurn(place, () => {
    gone.signal.throwIfAborted();
    start();
    return place.model.continue({
      prompt,
      maxTokens: asked.max_tokens,
      temperature: asked.temperature,
      seed: asked.seed,
      stop: asked.stop,
      signal: gone.signal,
      onText: (text) => stream && say(chunkOf(place.name, text, null)),
    });
  });
  const usage = usageOf(promptTokens, continued);
  if (!stream) return answer(response, 200, { ...chunkOf(place.name, continued.text, continued.finish), usage });
  say(chunkOf(place.name, '', continued.finish));
  if (asked.stream_options?.include_usage === true) say({ ...chunkOf(place.name, '', null), choices: [], usage });
  response.end('data: [DONE]\n\n');
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function route(place: Place, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = `${request.method} ${request.url?.split('?')[0] ?? ''}`;
  if (path === 'POST /v1/completions') return complete(place, request, response);
  if (path === 'GET /v1/models') {
    const meta = { n_ctx_train: place.model.contextTokens };
    return answer(response, 200, {
      object: 'list',
      data: [{ id: place.name, object: 'model', created: 0, owned_by: 'local', meta }],
    });
  }
  if (path === 'GET /health') return answer(response, 200, { status: 'ok' });
  if (path === 'POST /v1/chat/completions')
    throw new Refusal(400, 'not_a_chat_model', `${place.name} is a base model: it continues texts at /v1/completions`);
  throw new Refusal(404, 'not_found', `there is no ${path}`);
}

function refuse(response: ServerResponse, thrown: unknown): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const refusal = thrown instanceof Refusal ? thrown : new Refusal(500, 'failed', 'the model failed');
  if (!(thrown instanceof Refusal)) console.error(thrown);
  answer(response, refusal.status, {
    error: { message: refusal.message, type: 'invalid_request_error', code: refusal.code },
  });
}

export interface CompletionsServer {
  readonly url: string;
  close(): Promise<void>;
}

export interface Listen {
  readonly host: string;
  readonly port: number;
}

/** Serves a base model: `/v1/completions`, whole or streamed, `/v1/models` and `/health`. */
export async function serveCompletions(
  model: TextModel,
  name: string,
  { host, port }: Listen,
): Promise<CompletionsServer> {
  const place: Place = { model, name, queue: { length: 0, tail: Promise.resolve() } };
  const server = createServer((request, response) => {
    route(place, request, response).catch((thrown: unknown) => refuse(response, thrown));
  });
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(port, host, done);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host}:${address.port}/v1`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => {
        server.close(done);
      });
      await place.queue.tail;
    },
  };
}
