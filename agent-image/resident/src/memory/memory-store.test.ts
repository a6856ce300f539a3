import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { testFolder } from '@hamlet/test/env/at-end';
import { DIARY, entityOf, MAX_OBSERVATION_CHARS } from './entity.ts';
import { MAX_DIARY_ENTRIES, MAX_ENTITIES, openMemory } from './memory-store.ts';

const root = testFolder('memory');

const seed = { entities: [{ name: 'village', entityType: 'place', observations: ['A small village.'] }] };
const folder = () => mkdtempSync(join(root, 'agent-'));
const reopen = (path: string) => openMemory({ path, seed: { entities: [] } });

test('the first start writes the seed, and later starts keep the file', () => {
  const path = join(folder(), 'deep', 'memory.jsonl');
  const first = openMemory({ path, seed });
  assert.equal(first.livedBefore, false);
  assert.deepEqual(first.recall('village')?.observations, ['A small village.']);
  first.remember(entityOf('village', 'place', ['It has a café.']));
  first.close();
  const second = openMemory({ path, seed });
  assert.equal(second.livedBefore, true);
  assert.deepEqual(second.recall('village')?.observations, ['It has a café.']);
  second.close();
});

test('after a restart the home and the last plan are remembered', () => {
  const path = join(folder(), 'memory.jsonl');
  const before = openMemory({ path, seed });
  before.remember(
    entityOf('home', 'home', ['cottage-2']),
    entityOf('plan', 'plan', ['{"day":1}']),
    entityOf('turn 1', DIARY, ['I woke up.']),
  );
  before.remember(entityOf('plan', 'plan', ['{"day":2}']));
  const after = reopen(path);
  assert.deepEqual(after.recall('home')?.observations, ['cottage-2']);
  assert.deepEqual(after.recall('plan')?.observations, ['{"day":2}']);
  assert.deepEqual(pluck(after.diary(), 'name'), ['turn 1']);
  after.close();
  before.close();
});

test('a line truncated by a crash is dropped, earlier lines stay, and writing continues', () => {
  const path = join(folder(), 'memory.jsonl');
  const before = openMemory({ path, seed });
  before.remember(entityOf('home', 'home', ['cottage-2']));
  before.close();
  appendFileSync(path, '{"type":"entity","name":"pl');
  const torn = reopen(path);
  torn.remember(entityOf('plan', 'plan', ['next']));
  torn.close();
  const after = reopen(path);
  assert.deepEqual(after.recall('home')?.observations, ['cottage-2']);
  assert.deepEqual(after.recall('plan')?.observations, ['next']);
  after.close();
});

test('lines of other programs survive a compaction, damaged lines do not', () => {
  const path = join(folder(), 'memory.jsonl');
  openMemory({ path, seed }).close();
  appendFileSync(path, '{"type":"relation","from":"a","to":"b","relationType":"knows"}\nnot json\n');
  reopen(path).close();
  const lines = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).type);
  assert.deepEqual(lines, ['relation', 'entity']);
});

test('the file stays bounded; the newest diary entries and every named entity survive', () => {
  const path = join(folder(), 'memory.jsonl');
  const maxBytes = 64 * 1024;
  const memory = openMemory({ path, seed, maxBytes });
  for (let turn = 0; turn < 2_000; turn += 1) {
    memory.remember(entityOf('plan', 'plan', [`plan ${turn}`]), entityOf(`turn ${turn}`, DIARY, ['I walked about.']));
    assert.ok(statSync(path).size <= maxBytes);
  }
  memory.close();
  assert.deepEqual(readdirSync(join(path, '..')), ['memory.jsonl']);
  const after = reopen(path);
  assert.equal(after.recall('plan')?.observations[0], 'plan 1999');
  assert.equal(after.recall('village')?.observations[0], 'A small village.');
  assert.equal(after.diary().length, MAX_DIARY_ENTRIES);
  assert.equal(after.diary().at(-1)?.name, 'turn 1999');
  after.close();
});

test('beyond the limit, the least recently changed entities are dropped', () => {
  const memory = openMemory({ path: join(folder(), 'memory.jsonl'), seed });
  const people = Array.from({ length: MAX_ENTITIES }, (_, index) => entityOf(`agent ${index}`, 'agent', ['met']));
  memory.remember(entityOf('village', 'place', ['touched']), ...people.slice(0, MAX_ENTITIES - 1));
  memory.remember(entityOf('village', 'place', ['touched again']), ...people.slice(-1));
  assert.equal(memory.recall('agent 0'), undefined);
  assert.deepEqual(memory.recall('village')?.observations, ['touched again']);
  memory.close();
});

test('an observation is shortened at its limit', () => {
  assert.equal(
    entityOf('x', 'y', ['z'.repeat(MAX_OBSERVATION_CHARS + 1)]).observations[0]?.length,
    MAX_OBSERVATION_CHARS,
  );
});
