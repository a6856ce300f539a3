/** A server that answers with the chunks of a test, asked over HTTP by the adapter of Chat Completions. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { createChatAdapter } from '../adapters/chat-completions/chat-adapter.ts';
import { CHAT_PROFILES } from '../adapters/chat-completions/chat-profile.ts';
import type { ChatAnswer, ChatOutcome } from '../chat/chat-delta.ts';
import { collectAnswer } from '../chat/fold-answer.ts';
import type { Model } from '../chat/model.ts';
import { createModel, type ModelTarget } from '../routing/create-model.ts';
import { ANSWER_LIMITS } from '../transport/answer-limits.ts';
import { SYSTEM_PORTS } from '../transport/model-ports.ts';
import { startWireServer, type WireServer } from './wire-server.ts';
import { eventStream, json } from './wires/wire.ts';

const KIT = { limits: ANSWER_LIMITS, ports: SYSTEM_PORTS };
export const ASK = { messages: [{ role: 'user' as const, content: 'Where is the mill?' }] };
export const DONE = 'data: [DONE]\n\n';
export const USAGE = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };

export const event = (body: unknown): string => `data: ${JSON.stringify(body)}\n\n`;
export const delta = (fields: object, finish: unknown = null): string =>
  event({ id: 'c1', choices: [{ index: 0, delta: fields, finish_reason: finish }] });
export const call = (fields: object): string => delta({ tool_calls: [fields] });
export const named = (args: unknown): object => ({ name: 'go_to', arguments: args });

interface QuirkServer {
  readonly wire: WireServer;
  model(attempts?: number): Model;
  streamed(...chunks: readonly (string | Uint8Array)[]): Promise<ChatOutcome>;
  whole(message: object, finish?: unknown): Promise<ChatOutcome>;
}

/** Opens the server for the tests of a file; `can` has the abilities of its model. */
export function quirkServer(can?: ModelTarget['can']): () => QuirkServer {
  let wire: WireServer;
  before(async () => {
    wire = await startWireServer();
  });
  after(() => wire.close());
  function model(attempts = 1): Model {
    const settings = { provider: 'p', baseUrl: `${wire.url}/v1`, apiKey: null, profile: CHAT_PROFILES.compatible };
    const targets = [{ adapter: createChatAdapter(settings, KIT), model: 'm', price: null, can }];
    return createModel({ targets, fallbackOn: [], retry: { attempts, firstDelayMs: 1, maxDelayMs: 1 }, ...KIT });
  }
  return () => ({
    wire,
    model,
    streamed: async (...chunks) => {
      wire.add({ answer: eventStream(chunks) });
      return collectAnswer(model().stream(ASK));
    },
    whole: async (message, finish = 'stop') => {
      wire.add({ answer: json({ id: 'c1', choices: [{ index: 0, message, finish_reason: finish }], usage: USAGE }) });
      return model().chat(ASK);
    },
  });
}

export function answerOf(outcome: ChatOutcome): ChatAnswer {
  assert.ok(outcome.ok, outcome.ok ? '' : JSON.stringify(outcome.error));
  return outcome.answer;
}
