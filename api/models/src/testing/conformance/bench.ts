import assert from 'node:assert/strict';
import type { ChatAnswer, ChatOutcome } from '../../chat/chat-delta.ts';
import type { ExtraField, ExtraFields } from '../../chat/extra-fields.ts';
import type { ChatRequest, ReasoningItem } from '../../chat/chat-request.ts';
import { collectAnswer } from '../../chat/fold-answer.ts';
import type { ChatAdapter, Model } from '../../chat/model.ts';
import { createModel } from '../../routing/create-model.ts';
import { ANSWER_LIMITS, type AnswerLimits } from '../../transport/answer-limits.ts';
import { SYSTEM_PORTS, type ModelPorts } from '../../transport/model-ports.ts';
import type { AdapterKit } from '../../transport/provider-exchange.ts';
import { startWireServer, type WireAnswer, type WireChunk, type WireServer } from '../wire-server.ts';
import type { ScriptedAnswer, Wire } from '../wires/wire.ts';

/** The key of every tested adapter; the suite checks that no result contains it. */
export const TEST_KEY = 'sk-test-0123456789abcdefghijklmnop';

/** An adapter and its provider's wire format, for the suite. */
export interface AdapterSubject {
  readonly name: string;
  readonly wire: Wire;
  readonly open: (baseUrl: string, kit: AdapterKit) => ChatAdapter;
  /**
   * The complete request that the provider must receive for `RICH_REQUEST`, or for `PLAIN_REQUEST` if the adapter
   * refuses tools.
   */
  readonly expects: {
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: object;
  };
  readonly tools: boolean;
  /** The part of the provider's request for each extra field of `EXTRA`. The adapter refuses the absent ones by name. */
  readonly extra: Readonly<Partial<Record<ExtraField, object>>>;
  readonly callPieces?: boolean;
}

export const TOOLS = [
  {
    name: 'go_to',
    description: 'Walks to a place',
    parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
  },
  { name: 'say', description: 'Says a text', parameters: { type: 'object', properties: { text: { type: 'string' } } } },
];

export const EXTRA = {
  reasoning_effort: 'minimal',
  top_p: 0.9,
  top_k: 40,
  thinking: { type: 'enabled', budget_tokens: 2_048 },
  presence_penalty: 0.1,
  frequency_penalty: 0.2,
  logit_bias: { '50256': -100 },
  logprobs: true,
  top_logprobs: 2,
  verbosity: 'low',
  service_tier: 'flex',
  user: 'ada',
} as const satisfies Required<ExtraFields>;
/** Fields that many clients send although they ask for nothing. */
export const NEUTRAL_EXTRA: ExtraFields = {
  top_p: 1,
  top_k: 0,
  thinking: { type: 'disabled' },
  presence_penalty: 0,
  frequency_penalty: 0,
  logit_bias: {},
  logprobs: false,
  top_logprobs: 0,
  verbosity: 'medium',
  service_tier: 'auto',
  user: 'ada',
};

export const PLAIN_REQUEST: ChatRequest = { messages: [{ role: 'user', content: 'Where is the mill?' }] };
export const TOOL_REQUEST: ChatRequest = { ...PLAIN_REQUEST, tools: TOOLS };

/** Thoughts of several providers, because a conversation may move. Each adapter repeats those that its provider accepts. */
const THOUGHTS: readonly ReasoningItem[] = [
  { text: 'The mill ', sealed: null },
  { text: 'is ', sealed: 'c2lnbmF0dXJl' },
  { text: '', sealed: '{"type":"redacted_thinking","data":"aGlkZGVu"}' },
  {
    text: 'north',
    sealed: '{"type":"reasoning","summary":[{"type":"summary_text","text":"north"}],"encrypted_content":"c2VhbGVk"}',
  },
  { text: '.', sealed: '{"type":"reasoning_details","details":[{"type":"reasoning.encrypted","data":"ZGV0YWls"}]}' },
];

/** Every field that an adapter translates, with a conversation that has already used two tools, thought and seen. */
export const RICH_REQUEST: ChatRequest = {
  messages: [
    { role: 'system', content: 'You are Ada.', cacheable: true },
    {
      role: 'user',
      content: 'Go to the mill and say hello.',
      images: [{ mediaType: 'image/png', data: 'aGVyb24=' }],
    },
    {
      role: 'assistant',
      content: 'I go.',
      reasoning: THOUGHTS,
      toolCalls: [
        { id: 'call_a', name: 'go_to', arguments: '{"place":"mill"}' },
        { id: 'call_b', name: 'say', arguments: '{"text":"hello"}' },
      ],
    },
    { role: 'tool', toolCallId: 'call_a', content: 'You are at the mill.' },
    {
      role: 'tool',
      toolCallId: 'call_b',
      content: 'Said.',
      images: [{ mediaType: 'image/jpeg', data: 'bWlsbA==' }],
    },
    { role: 'user', content: 'Thank you.' },
  ],
  tools: TOOLS,
  toolChoice: 'auto',
  parallelToolCalls: true,
  temperature: 0.5,
  maxTokens: 200,
};

interface Options {
  readonly limits?: Partial<AnswerLimits>;
  readonly attempts?: number;
  readonly ports?: Partial<ModelPorts>;
}

export function assertOk(outcome: ChatOutcome): ChatAnswer {
  assert.ok(
    outcome.ok,
    JSON.stringify(outcome, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
  );
  return outcome.answer;
}

export function assertFailed(outcome: ChatOutcome): Extract<ChatOutcome, { ok: false }> {
  assert.ok(!outcome.ok, 'the answer counted as complete');
  return outcome;
}

/** A fetch whose bodies arrive one byte at a time, so that every character and every line is split. */
export const bytewise: ModelPorts['fetch'] = async (url, init) => {
  const response = await fetch(url, init);
  const split = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      for (let at = 0; at < chunk.length; at += 1) controller.enqueue(chunk.slice(at, at + 1));
    },
  });
  return new Response(response.body?.pipeThrough(split), { status: response.status, headers: response.headers });
};

/** The chunks of an answer up to and including the first with a given text, followed by `then`. */
export function upTo({ chunks, ...rest }: WireAnswer, text: string, then: readonly WireChunk[]): WireAnswer {
  const at = chunks.findIndex((chunk) => typeof chunk === 'string' && chunk.includes(text));
  assert.ok(at >= 0, `no chunk contains ${text}`);
  return { ...rest, chunks: [...chunks.slice(0, at + 1), ...then] };
}

export const TEXT: ScriptedAnswer = { text: ['The mill', ' is north', '.'], usage: { prompt: 11, completion: 7 } };

export class Bench {
  readonly subject: AdapterSubject;
  #server: WireServer | null = null;

  constructor(subject: AdapterSubject) {
    this.subject = subject;
  }

  get server(): WireServer {
    assert.ok(this.#server !== null);
    return this.#server;
  }

  async open(): Promise<void> {
    this.#server = await startWireServer();
  }

  model({ limits = {}, attempts = 1, ports = {} }: Options = {}): Model {
    const kit = { limits: { ...ANSWER_LIMITS, ...limits }, ports: { ...SYSTEM_PORTS, ...ports } };
    return createModel({
      targets: [{ adapter: this.subject.open(this.server.url, kit), model: 'up-model', price: null }],
      fallbackOn: [],
      retry: { attempts, firstDelayMs: 1, maxDelayMs: 5_000 },
      ...kit,
    });
  }

  answer(...answers: readonly WireAnswer[]): void {
    this.server.add(...answers.map((answer) => ({ answer })));
  }

  async chat(request: ChatRequest, answer: WireAnswer, options: Options = {}): Promise<ChatOutcome> {
    this.answer(answer);
    const outcome = await this.model(options).chat(request);
    this.server.verify();
    return outcome;
  }

  async stream(request: ChatRequest, answer: WireAnswer, options: Options = {}): Promise<ChatOutcome> {
    this.answer(answer);
    const outcome = await collectAnswer(this.model(options).stream(request));
    this.server.verify();
    return outcome;
  }
}
