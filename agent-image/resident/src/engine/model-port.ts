import { parseAiDollars } from '@hamlet/contract/resident';
import type { ClockPort, Message, ModelDelta, ModelEnd, ModelPort, ModelRequest } from '@hamlet/engine';
import { SYSTEM_CLOCK } from '@hamlet/engine';
import { backoff } from '@hamlet/core/backoff';
import { shorten } from '@hamlet/core/shorten';
import type { ChatMessage, ModelPorts, ToolDefinition } from '@hamlet/models/chat-completions';
import {
  ANSWER_LIMITS,
  CHAT_PROFILES,
  createChatAdapter,
  createModel,
  EMPTY_ANSWER,
  foldDelta,
  MODEL_ERRORS,
  outcomeOf,
  SYSTEM_PORTS,
} from '@hamlet/models/chat-completions';
import { z } from 'zod';
import { shownSchema } from '../toolset/shown-schema.ts';
import type { TokenSource } from '../village/agent-token.ts';

export interface GatewayPorts {
  readonly url: string;
  readonly tokens: TokenSource;
  /** The attempt number of the lease on a run; null if this process has no lease on it. */
  readonly leaseOf: (run: string) => number | null;
  /** Called when a newer cycle of the agent has begun; that cycle continues the run. */
  readonly onStale?: (run: string) => void;
  /** Receives the text of a refusal whose code may end the run, to show it to people. */
  readonly onRefused?: (run: string, code: string, words: string) => void;
  readonly sleep?: ClockPort['sleep'];
}

/** The gateway limits an answer to an hour, and sends comments while a model is silent. */
const LIMITS = { ...ANSWER_LIMITS, totalMs: 3_660_000 };
/** The engine decides about retries, so that each attempt is in the journal. */
const ONE_ATTEMPT = { attempts: 1, firstDelayMs: 1, maxDelayMs: 1 };
/** Maximum total wait of one attempt in a run, and outside of runs, where it holds up a turn of the agent. */
const RUN_WAIT_MS = 300_000;
const TURN_WAIT_MS = 20_000;
/**
 * Codes of the gateway's refusals that a later attempt may avoid. Failures of a provider have the code of their class.
 */
const TEMPORARY: ReadonlySet<string> = new Set([
  'unauthenticated',
  'token_invalid',
  'stale_cycle',
  'rate_limited',
  'too_many_in_flight',
  'model_busy',
  'internal',
  'unavailable',
]);
const REFUSED_TOKEN: ReadonlySet<string> = new Set(['unauthenticated', 'token_invalid']);
/** Refusals whose code is more specific than the class of the error. */
const NAMED: ReadonlySet<string> = new Set([
  'context_too_long',
  'token_quota_exhausted',
  'insufficient_funds',
  'model_not_in_tier',
  'model_not_served',
  'village_frozen',
  'run_settled',
  'run_budget_spent',
]);
/** Parts of a thought that an answer keeps, the newest ones. */
const REASONING_KEPT = 64;
/** Milliseconds to wait after refusals that end by themselves, by code, if the gateway names no time. */
const ENDING_MS: Readonly<Record<string, number | undefined>> = {
  token_quota_exhausted: 600_000,
  village_frozen: 60_000,
};

const REFUSAL_MAX_BYTES = 65_536;

/** The gateway's code for a failure of the provider, which has the code of its class instead. */
const OF_PROVIDER = 'model_failed';
const Refused = z.object({
  code: z.string().transform((code) => (code === OF_PROVIDER ? '' : code)),
  detail: z.string().default(''),
});
type Refused = z.infer<typeof Refused>;
const UNREADABLE: Refused = { code: '', detail: '' };
const Receipt = z.object({ hamlet: z.object({ price: z.string(), notes: z.array(z.string()).default([]) }) });
/** Ends an answer if the model could not use the tools that it was offered, so that its reader knows. */
export const TEXT_ONLY_NOTE = '(This model cannot use tools: it can only write.)';

/** A model behind the village's gateway. The gateway publishes the words of a request under its run, ask and attempt. */
export function createModelPort(ports: GatewayPorts): ModelPort {
  return { chat: (request, signal) => ask(ports, request, signal) };
}

/** One attempt. While the gateway is at capacity, it waits and sends the same request again: the model has not seen it yet. */
async function* ask(
  ports: GatewayPorts,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelDelta | ModelEnd> {
  const { sleep = SYSTEM_CLOCK.sleep } = ports;
  const limitMs = request.at === null ? TURN_WAIT_MS : RUN_WAIT_MS;
  for (let waits = { count: 0, waitedMs: 0, limitMs }; ;) {
    const exchange: Exchange = { ...UNREADABLE, retryAfterMs: null };
    const end = yield* send(ports, request, { exchange, signal });
    const waitMs = end.type === 'failed' ? planWait(exchange, waits, SYSTEM_PORTS.random()) : null;
    if (waitMs === null || signal.aborted) return yield end;
    await sleep(waitMs, signal);
    if (signal.aborted) return yield end;
    waits = { count: waits.count + 1, waitedMs: waits.waitedMs + waitMs, limitMs };
  }
}

type Exchange = { -readonly [K in keyof RefusedAsk]: RefusedAsk[K] } & Refused;

async function* send(
  ports: GatewayPorts,
  request: ModelRequest,
  { exchange, signal }: Readonly<{ exchange: Exchange; signal: AbortSignal }>,
): AsyncGenerator<ModelDelta, ModelEnd> {
  const model = createModel({
    targets: [{ adapter: await adapterOf(ports, exchange), model: request.model, price: null }],
    fallbackOn: [],
    retry: ONE_ATTEMPT,
    limits: LIMITS,
    ports: SYSTEM_PORTS,
  });
  let state = EMPTY_ANSWER;
  for await (const delta of model.stream({ ...wireOf(request, ports), signal })) {
    state = foldDelta(state, delta);
    if (delta.kind === 'text') yield { type: 'delta', text: delta.text };
  }
  const outcome = outcomeOf(state);
  if (!outcome.ok) {
    follow(ports, request, exchange);
    exchange.retryAfterMs = outcome.error.retryAfterMs ?? null;
    return failureOf(outcome, exchange);
  }
  const { content, toolCalls, finish, reasoningItems, usage, raw } = outcome.answer;
  const { moneyMicros, note } = receiptIn(raw);
  if (note !== '') yield { type: 'delta', text: note };
  const said = {
    content: content + note,
    toolCalls: [...toolCalls],
    finish,
    reasoning: reasoningItems.slice(-REASONING_KEPT),
  };
  return { type: 'answer', ...said, usage: usageOf(usage), moneyMicros };
}

type Failed = Extract<ReturnType<typeof outcomeOf>, { readonly ok: false }>;

function failureOf({ error, partial }: Failed, exchange: Exchange): ModelEnd {
  const code = NAMED.has(exchange.code) ? exchange.code : error.code;
  // The model may write a better answer the next time.
  const mayPass = MODEL_ERRORS[error.code].retry || error.code === 'bad_answer';
  const retryable = exchange.code === '' ? mayPass : TEMPORARY.has(exchange.code);
  const retryAfterMs = exchange.retryAfterMs ?? ENDING_MS[code] ?? null;
  return { type: 'failed', code, retryable, retryAfterMs, usage: usageOf(partial.usage), moneyMicros: 0 };
}

const usageOf = ({ promptTokens, completionTokens, totalTokens }: Failed['partial']['usage']) => ({
  prompt: promptTokens,
  completion: completionTokens,
  total: totalTokens,
});

/** The consequences of a refusal for this process: renews the token, ends its work on the run, or stores words for people. */
function follow({ tokens, onStale, onRefused }: GatewayPorts, { at }: ModelRequest, { code, detail }: Refused): void {
  if (REFUSED_TOKEN.has(code)) tokens.renew();
  if (code === 'stale_cycle' && at !== null) onStale?.(at.run);
  if (NAMED.has(code) && at !== null && detail !== '') onRefused?.(at.run, code, detail);
}

async function adapterOf({ url, tokens }: GatewayPorts, exchange: Exchange) {
  const keeping: ModelPorts['fetch'] = async (to, request) => {
    const { ok, status, headers, body } = await SYSTEM_PORTS.fetch(to, request);
    if (ok || body === null) return { ok, status, headers, body };
    const bytes = await firstBytes(body);
    Object.assign(exchange, refusalIn(bytes));
    return { ok, status, headers, body: once(bytes) };
  };
  const apiKey = await tokens.get();
  const server = { provider: 'gateway', baseUrl: `${url}/v1`, apiKey, profile: CHAT_PROFILES.gateway };
  return createChatAdapter(server, { ports: { ...SYSTEM_PORTS, fetch: keeping }, limits: LIMITS });
}

async function firstBytes(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body) {
    parts.push(part);
    length += part.length;
    if (length > REFUSAL_MAX_BYTES) break;
  }
  return Buffer.concat(parts);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function refusalIn(bytes: Uint8Array): Refused {
  try {
    return Refused.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch {
    return UNREADABLE;
  }
}

function wireOf({ system, messages, tools, at }: ModelRequest, { leaseOf }: GatewayPorts) {
  const content = [system.stable, system.situation].filter((part) => part !== '').join('\n\n');
  // Some chat templates allow only one system message, so both halves are joined; the changing half comes last.
  const first: ChatMessage[] = content === '' ? [] : [{ role: 'system', content }];
  return {
    messages: [...first, ...messages.map(messageOf)],
    tools: definitionsOf(tools),
    ...(at === null ? {} : { metadata: metadataOf(at, leaseOf(at.run)) }),
  };
}

function metadataOf({ run, ask, attempt }: NonNullable<ModelRequest['at']>, lease: number | null) {
  return {
    run_id: run,
    ask: `${ask}`,
    attempt: `${attempt}`,
    ...(lease === null ? {} : { lease: `${lease}` }),
  };
}

const converted = new WeakMap<Message, ChatMessage>();

/** Converts a message once, because each request of a run repeats all messages of the previous one. */
function messageOf(message: Message): ChatMessage {
  const made = converted.get(message) ?? wireMessage(message);
  converted.set(message, made);
  return made;
}

function wireMessage(message: Message): ChatMessage {
  if (message.role === 'assistant') {
    const toolCalls = message.toolCalls.map((call) => ({ ...call, arguments: replayable(call.arguments) }));
    return { ...message, content: message.content.replace(TEXT_ONLY_NOTE, '').trimEnd(), toolCalls };
  }
  if (message.role !== 'tool') return message;
  const { callId: toolCallId, content, images } = message;
  return { role: 'tool', toolCallId, content, images };
}

const MAX_INVALID_CHARS = 2_000;

/**
 * The arguments of an earlier call. Several servers parse them, and refuse the whole conversation unless they are a
 * JSON object.
 */
function replayable(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text;
  } catch {
    // Replaced below.
  }
  return JSON.stringify({ invalid_arguments: shorten(text.toWellFormed(), MAX_INVALID_CHARS) });
}

const definitionsOf = (tools: ModelRequest['tools']): readonly ToolDefinition[] =>
  tools.map(({ name, description, input }) => ({ name, description, parameters: shownSchema(input) }));

function receiptIn(raw: unknown): { readonly moneyMicros: number; readonly note: string } {
  const receipt = Receipt.safeParse(raw);
  if (!receipt.success) return { moneyMicros: 0, note: '' };
  const { price, notes } = receipt.data.hamlet;
  const micros = parseAiDollars(price);
  const note = notes.includes('tools_ignored') ? `\n\n${TEXT_ONLY_NOTE}` : '';
  return { moneyMicros: micros > 0n ? Number(micros) : 0, note };
}

interface RefusedAsk {
  readonly code: string;
  readonly retryAfterMs: number | null;
}

interface Waits {
  readonly count: number;
  readonly waitedMs: number;
  readonly limitMs: number;
}

/** Refusals that end by themselves: too many requests a minute, too many at the same time, a provider at capacity. */
const PASSING: ReadonlySet<string> = new Set(['rate_limited', 'too_many_in_flight', 'model_busy']);
/** Each request counts towards the requests a minute, so the waits grow. */
const BACKOFF_MS = { first: 1_000, longest: 15_000 };
/** Spreads the retries of conversations that wait for the same limit. */
const SPREAD = 0.25;

/**
 * Milliseconds until the same request may be sent again: at least the time that the gateway asks for. Null if waiting does not
 * help, or would exceed `limitMs` in all. `chance` is in [0, 1). Pure.
 */
export function planWait({ code, retryAfterMs }: RefusedAsk, waits: Waits, chance: number): number | null {
  if (!PASSING.has(code)) return null;
  const backoffMs = backoff(waits.count + 1, BACKOFF_MS);
  const waitMs = Math.ceil(Math.max(retryAfterMs ?? 0, backoffMs) * (1 + SPREAD * chance));
  return waits.waitedMs + waitMs > waits.limitMs ? null : waitMs;
}
