import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemByItem } from './item-by-item.ts';

function batch() {
  const lines: unknown[] = [];
  const clock = { ms: 0 };
  const each = itemByItem<string>({
    log: (_level, _message, fields) => void lines.push([fields?.['item'], fields?.['again_in_ms']]),
    message: 'failed',
    keyOf: (item) => item,
    monotonicMs: () => clock.ms,
  });
  return { lines, clock, each };
}

test('an item that fails is logged and skipped, and the others are done', async () => {
  const { each, lines, clock } = batch();
  const worked: string[] = [];
  const work = async (item: string): Promise<boolean> => {
    if (item === 'poison') throw new Error('bad');
    worked.push(item);
    return true;
  };
  assert.equal(await each(['a', 'poison', 'b'], work), 2);
  assert.equal(await each(['poison', 'c'], work), 1, 'its pause is not over');
  clock.ms = 2_000;
  await each(['poison'], work);
  clock.ms = 6_000;
  await each(['poison'], work);
  assert.deepEqual(worked, ['a', 'b', 'c']);
  assert.deepEqual(lines, [
    ['poison', 2_000],
    ['poison', 4_000],
    ['poison', 8_000],
  ]);
});

test('a lost connection ends the batch, because every item would fail', async () => {
  const { each, lines } = batch();
  const lost = Object.assign(new Error('gone'), { code: '57P01' });
  await assert.rejects(
    each(['a', 'b'], () => Promise.reject(lost)),
    lost,
  );
  assert.deepEqual(lines, []);
});
