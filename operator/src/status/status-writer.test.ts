import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@hamlet/kube/testing';
import { STATUS_COALESCE_MS, STATUS_PATIENCE_MS, STATUS_RETRY, StatusWriter } from './status-writer.ts';

/** Lets the callbacks of settled promises run. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function harness() {
  const clock = new FakeClock();
  const written: string[] = [];
  const errors: string[] = [];
  const answers = new Map<string, PromiseWithResolvers<void>>();
  const writer = new StatusWriter({
    clock,
    write: (key) => {
      written.push(key);
      const answer = Promise.withResolvers<void>();
      answers.set(key, answer);
      return answer.promise;
    },
    onError: (key) => errors.push(key),
  });
  const pass = async (milliseconds: number): Promise<void> => {
    clock.pass(milliseconds);
    await turn();
  };
  return { writer, written, errors, pass, answers };
}

test('changes within half a second lead to one write', async () => {
  const { writer, written, pass } = harness();
  writer.mark('a');
  await pass(STATUS_COALESCE_MS - 1);
  writer.mark('a');
  assert.deepEqual(written, []);
  await pass(1);
  assert.deepEqual([written, writer.waiting], [['a'], 0]);
});

test('two writes at a time, the oldest first; a status that changes during its write is written again', async () => {
  const { writer, written, pass, answers } = harness();
  for (const key of ['a', 'b', 'c', 'd']) writer.mark(key);
  await pass(STATUS_COALESCE_MS);
  assert.deepEqual(written, ['a', 'b']);
  writer.mark('a');
  answers.get('b')?.resolve();
  await turn();
  assert.deepEqual(written, ['a', 'b', 'c']);
  answers.get('a')?.resolve();
  await turn();
  assert.deepEqual(written, ['a', 'b', 'c', 'd']);
  answers.get('c')?.resolve();
  await pass(STATUS_COALESCE_MS);
  assert.deepEqual(written.at(-1), 'a');
});

test('a patient status waits until a change makes it urgent or its time ends', async () => {
  const { writer, written, pass } = harness();
  writer.mark('a', 'patient');
  writer.mark('b', 'patient');
  await pass(1_000);
  writer.mark('b');
  await pass(STATUS_COALESCE_MS);
  assert.deepEqual(written, ['b']);
  writer.mark('a', 'patient');
  await pass(STATUS_PATIENCE_MS - 1_000 - STATUS_COALESCE_MS);
  assert.deepEqual([written, writer.waiting], [['b', 'a'], 0]);
});

test('a failed write is retried', async () => {
  const { writer, written, errors, pass, answers } = harness();
  writer.mark('a');
  await pass(STATUS_COALESCE_MS);
  answers.get('a')?.reject(new Error('busy'));
  await turn();
  await pass(1_000);
  assert.deepEqual([written, errors], [['a', 'a'], ['a']]);
});

test('a repeatedly refused status is retried less and less often, delays no other status, and is written at once after a change', async () => {
  const { writer, written, errors, pass, answers } = harness();
  const refuse = async (): Promise<void> => {
    answers.get('a')?.reject(new Error('refused'));
    await turn();
  };
  writer.mark('a');
  await pass(STATUS_COALESCE_MS);
  for (const waitMs of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, STATUS_RETRY.maxMs, STATUS_RETRY.maxMs]) {
    await refuse();
    const before = written.length;
    await pass(waitMs - 1);
    assert.equal(written.length, before, `not before ${waitMs} ms`);
    await pass(1);
    assert.equal(written.length, before + 1, `after ${waitMs} ms`);
  }
  await refuse();
  writer.mark('b');
  await pass(STATUS_COALESCE_MS);
  assert.equal(written.at(-1), 'b');
  writer.mark('a');
  await pass(STATUS_COALESCE_MS);
  assert.equal(written.at(-1), 'a');
  const known = errors.length;
  answers.get('a')?.resolve();
  await turn();
  const settled = written.length;
  await pass(2 * STATUS_RETRY.maxMs);
  assert.deepEqual([written.length, errors.length], [settled, known], 'a written status is not retried');
});

test('a closed writer writes nothing', async () => {
  const { writer, written, pass } = harness();
  writer.mark('a');
  writer.close();
  writer.mark('b');
  await pass(STATUS_COALESCE_MS);
  assert.deepEqual(written, []);
});
