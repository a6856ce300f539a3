import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertOk, PLAIN_REQUEST, TEXT, type Bench } from './bench.ts';

export function thoughts(bench: Bench): void {
  const { wire } = bench.subject;

  if (wire.seal !== null)
    test('a thought is apart from the answer, with the seal that the next request needs', async () => {
      const thinking = { ...TEXT, thought: ['North ', 'or south?'] };
      const expected = { text: 'North or south?', sealed: wire.seal ?? null };
      for (const outcome of [
        await bench.chat(PLAIN_REQUEST, wire.plain(thinking)),
        await bench.stream(PLAIN_REQUEST, wire.stream(thinking)),
      ]) {
        const { content, reasoning, reasoningItems } = assertOk(outcome);
        assert.deepEqual([content, reasoning], ['The mill is north.', expected.text]);
        assert.deepEqual(reasoningItems, [expected]);
      }
    });

  test('a thought in tags at the beginning of the text is apart from the answer', async () => {
    const text = ['<thi', 'nk>\nNorth or south?</th', 'ink>\n', '\nThe mill', ' is <think> north</think>.'];
    for (const outcome of [
      await bench.chat(PLAIN_REQUEST, wire.plain({ text })),
      await bench.stream(PLAIN_REQUEST, wire.stream({ text })),
    ]) {
      const { content, reasoning } = assertOk(outcome);
      assert.deepEqual([content, reasoning], ['The mill is <think> north</think>.', '\nNorth or south?']);
    }
  });
}
