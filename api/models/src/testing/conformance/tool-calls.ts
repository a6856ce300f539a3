import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFailed, assertOk, bytewise, TOOL_REQUEST, type Bench } from './bench.ts';
import type { ScriptedCall } from '../wires/wire.ts';

const CALLS: readonly ScriptedCall[] = [
  // The second piece ends within an escape sequence.
  { id: 'call_1', name: 'go_to', pieces: ['{"pla', 'ce":"the \\"old', '\\" mill \\u00', 'e9\\n"}'] },
  { id: 'call_2', name: 'say', pieces: ['{"text"', ':"grüß', ' dich 🌾"}'] },
];

const JOINED = CALLS.map(({ name, pieces }) => ({ name, arguments: JSON.parse(pieces.join('')) as unknown }));

const parsedCalls = (calls: readonly { readonly name: string; readonly arguments: string }[]): unknown =>
  calls.map(({ name, arguments: text }) => ({ name, arguments: JSON.parse(text) as unknown }));

export function toolCalls(bench: Bench): void {
  const { wire, tools, callPieces = true } = bench.subject;
  if (!tools) {
    test('tools are refused without a request to the provider', async () => {
      const outcome = assertFailed(await bench.model().chat(TOOL_REQUEST));
      assert.equal(outcome.error.code, 'bad_request');
      assert.match(outcome.error.message, /tools/);
      bench.server.verify();
    });
    return;
  }

  test('one tool call', async () => {
    const answer = assertOk(await bench.chat(TOOL_REQUEST, wire.plain({ calls: CALLS.slice(0, 1) })));
    assert.equal(answer.finish, 'tool_calls');
    assert.deepEqual(parsedCalls(answer.toolCalls), JOINED.slice(0, 1));
    if (callPieces) assert.equal(answer.toolCalls[0]?.id, 'call_1');
  });

  test('parallel tool calls have different ids', async () => {
    const answer = assertOk(await bench.chat(TOOL_REQUEST, wire.plain({ text: ['I go.'], calls: CALLS })));
    assert.deepEqual([answer.content, answer.finish], ['I go.', 'tool_calls']);
    assert.deepEqual(parsedCalls(answer.toolCalls), JOINED);
    assert.equal(new Set(answer.toolCalls.map(({ id }) => id)).size, 2);
  });

  test('streamed parallel tool calls are joined from their pieces', async () => {
    const scripted = { text: ['I ', 'go.'], calls: CALLS };
    for (const ports of [{}, { fetch: bytewise }]) {
      const answer = assertOk(await bench.stream(TOOL_REQUEST, wire.stream(scripted), { ports }));
      assert.deepEqual([answer.content, answer.finish], ['I go.', 'tool_calls']);
      assert.deepEqual(parsedCalls(answer.toolCalls), JOINED);
    }
  });

  test('too many tool calls are a bad answer', async () => {
    const limits = { toolCalls: 1 };
    const failed = assertFailed(await bench.stream(TOOL_REQUEST, wire.stream({ calls: CALLS }), { limits }));
    assert.equal(failed.error.code, 'bad_answer');
  });
}
