/** With a base model as the village's model, `MODEL=` alone detects its kind, and the agent answers in chat. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { COMPLETIONS_WIRE, startWireServer } from '@hamlet/models/testing';
import type { WireAnswer, WireRequest, WireServer } from '@hamlet/models/testing';
import { chatOnce } from './chat-once.ts';

let wire: WireServer;

/** A server of a base model: it lists the model, continues texts and refuses chats. */
function answer({ path, body }: WireRequest): WireAnswer {
  if (path === '/v1/models') return { chunks: [JSON.stringify({ data: [{ id: 'text-model' }] })] };
  if (path !== '/v1/completions') return { status: 400, chunks: ['{"error":{"message":"not a chat model"}}'] };
  const words = { text: ['I am ', 'Ada.'] };
  return (body as { stream?: boolean }).stream === true
    ? COMPLETIONS_WIRE.stream(words)
    : COMPLETIONS_WIRE.plain(words);
}

before(async () => {
  wire = await startWireServer([], { otherwise: answer });
});
after(() => wire.close());

test('an agent with a base model answers in chat, and says that it cannot use tools', async () => {
  const { author, text } = await chatOnce({ MODEL: wire.url }, 'Who are you?');
  assert.equal(author.role, 'agent', text);
  assert.match(text, /^I am Ada\.\n\n\(This model cannot use tools: it can only write\.\)$/);
  const prompts = wire.requests.flatMap(({ body }) => (body as { prompt?: string } | null)?.prompt ?? []);
  const asked = prompts.find((prompt) => prompt.includes('Who are you?')) ?? '';
  assert.match(asked, /^Instructions: # Identity\nYou are Ada/);
  assert.match(asked, /You cannot use tools in this answer/);
});
