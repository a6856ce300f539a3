import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { testFolder } from '@hamlet/test/env/at-end';
import { DIARY, entityOf, MAX_OBSERVATION_CHARS, NOTE } from './entity.ts';
import { MAX_DIARY_ENTRIES, openLifeStore } from './life-store.ts';

const root = testFolder('life');
const aPath = () => join(mkdtempSync(join(root, 'agent-')), 'deep', 'life.jsonl');

test('after a restart the home and the last plan are remembered', () => {
  const path = aPath();
  const before = openLifeStore({ path });
  assert.equal(before.livedBefore, false);
  before.remember(
    entityOf('home', 'home', ['cottage-2']),
    entityOf('plan', 'plan', ['{"day":1}']),
    entityOf('turn 1', DIARY, ['I woke up.']),
  );
  before.remember(entityOf('plan', 'plan', ['{"day":2}']));
  before.close();
  const later = openLifeStore({ path });
  assert.equal(later.livedBefore, true);
  assert.deepEqual(later.recall('home')?.observations, ['cottage-2']);
  assert.deepEqual(later.recall('plan')?.observations, ['{"day":2}']);
  assert.deepEqual(pluck(later.diary(), 'name'), ['turn 1']);
  later.close();
});

test('a line truncated by a crash is dropped, earlier lines stay, and writing continues', () => {
  const path = aPath();
  const before = openLifeStore({ path });
  before.remember(entityOf('home', 'home', ['cottage-2']));
  before.close();
  appendFileSync(path, '{"type":"entity","name":"pl');
  const torn = openLifeStore({ path });
  torn.remember(entityOf('plan', 'plan', ['next']));
  torn.close();
  const later = openLifeStore({ path });
  assert.deepEqual(later.recall('home')?.observations, ['cottage-2']);
  assert.deepEqual(later.recall('plan')?.observations, ['next']);
  later.close();
});

test('the memory file of an earlier version gives home, plan and diary once, and keeps its notes', () => {
  const from = join(root, 'memory.jsonl');
  const note = { ...entityOf('m-1', NOTE, ['Ann likes tea.']), audience: null };
  const old = [entityOf('home', 'home', ['mill']), note, entityOf('turn 1', DIARY, ['I woke up.'])];
  writeFileSync(from, `${old.map((entity) => JSON.stringify(entity)).join('\n')}\nnot json\n`);
  const path = aPath();
  const first = openLifeStore({ path, from });
  assert.deepEqual([first.livedBefore, first.recall('m-1'), first.diary().length], [true, undefined, 1]);
  first.remember(entityOf('home', 'home', ['cottage-2']));
  first.close();
  const later = openLifeStore({ path, from });
  assert.deepEqual(later.recall('home')?.observations, ['cottage-2']);
  later.close();
});

test('the file stays bounded; the newest diary entries and every named entity survive', () => {
  const path = aPath();
  const maxBytes = 32 * 1024;
  const life = openLifeStore({ path, maxBytes });
  life.remember(entityOf('home', 'home', ['cottage-2']));
  for (let turn = 0; turn < 600; turn += 1) {
    life.remember(entityOf('plan', 'plan', [`plan ${turn}`]), entityOf(`turn ${turn}`, DIARY, ['I walked about.']));
    assert.ok(statSync(path).size <= maxBytes);
  }
  life.close();
  assert.deepEqual(readdirSync(join(path, '..')), ['life.jsonl']);
  const later = openLifeStore({ path });
  assert.equal(later.recall('plan')?.observations[0], 'plan 599');
  assert.equal(later.recall('home')?.observations[0], 'cottage-2');
  assert.equal(later.diary().length, MAX_DIARY_ENTRIES);
  assert.equal(later.diary().at(-1)?.name, 'turn 599');
  later.close();
});

test('an observation is shortened at its limit', () => {
  assert.equal(
    entityOf('x', 'y', ['z'.repeat(MAX_OBSERVATION_CHARS + 1)]).observations[0]?.length,
    MAX_OBSERVATION_CHARS,
  );
});
