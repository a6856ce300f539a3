import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { testFolder, untilEnd } from '@hamlet/test/env/at-end';
import type { Memory, NewFact } from '../memory.ts';
import { openMemory } from '../open-memory.ts';

const opened = (dir: string): Memory => untilEnd(openMemory({ dir }));
const fact = (id: string, more: Partial<NewFact> = {}): NewFact => ({
  kind: 'fact',
  id,
  subject: 'Ana',
  text: `Ana owns house number ${id}`,
  audience: ['ana'],
  ...more,
});
const ALL = { audience: 'keeper' } as const;
/** The next changes, which the copy takes. */
function taken(memory: Memory, limit = 100): readonly string[] {
  const { changed, gone, to } = memory.changes(limit);
  memory.settle(to);
  return [...changed.map(({ id }) => id), ...gone.map((id) => `-${id}`)];
}

test('each change of a memory is reported once, and again until it is settled', async () => {
  const memory = opened(testFolder('changes'));
  await memory.remember([fact('1'), fact('2'), fact('3')]);
  assert.deepEqual(memory.changes(2).changed.length, 2);
  assert.equal(memory.changes(2).more, true);
  assert.deepEqual(taken(memory), ['1', '2', '3']);
  assert.deepEqual(taken(memory), []);
  memory.pin('2', ALL);
  memory.use(['3']);
  memory.forget(['1'], ALL);
  await memory.remember([fact('4', { supersedes: '2', text: 'Ana sold her house' })]);
  assert.deepEqual(taken(memory).toSorted(), ['-1', '2', '3', '4']);
  memory.recheck(['3', 'never']);
  assert.deepEqual(taken(memory).toSorted(), ['-never', '3']);
  memory.recheck('all');
  assert.deepEqual(taken(memory), ['4', '3', '2'], 'those that were learned last come first');
});

test('a change between offer and settlement is reported, and the marks of an offer survive the process', async () => {
  const dir = testFolder('changes');
  const memory = openMemory({ dir });
  await memory.remember([fact('1')]);
  const first = memory.changes(10);
  memory.pin('1', ALL);
  memory.settle(first.to);
  assert.deepEqual(memory.changes(10).from, [first.to]);
  const offered = memory.changes(10);
  assert.deepEqual([offered.changed.length, offered.from], [1, [first.to, offered.to]]);
  memory.close();
  const later = opened(dir);
  assert.deepEqual(later.changes(10), offered);
});

test('two stores have different marks, and a store of an earlier version reports all of its memories', async () => {
  const [one, other] = [opened(testFolder('changes')), opened(testFolder('changes'))];
  assert.notDeepEqual(one.changes(1).from, other.changes(1).from);
  const dir = testFolder('changes');
  const memory = openMemory({ dir });
  await memory.remember([fact('1'), fact('2', { pinned: true })]);
  memory.settle(memory.changes(10).to);
  memory.close();
  const earlier = new DatabaseSync(join(dir, 'memory.db'));
  for (const name of ['added', 'changed', 'removed']) earlier.exec(`drop trigger memory_${name}`);
  earlier.exec('drop table change; drop table copy;');
  earlier.close();
  assert.deepEqual(taken(opened(dir)), ['2', '1']);
});
