import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openMemory } from '@hamlet/engine/memory';
import { testFolder } from '@hamlet/test/env/at-end';
import { NEW_TO_LIFE } from '../brain/life/life-mind.ts';
import { NEW_DAY } from '../brain/mind.ts';
import { recallMind } from '../loop/reflect.ts';
import { MindDocument } from './agent-memory.ts';
import { stateOf } from './entity.ts';
import { openLifeStore } from './life-store.ts';
import { withStateDocument } from './state-life.ts';

const root = testFolder('state-life');

/** The life of one process of an agent. */
function aLife(dir: string) {
  const path = join(dir, 'life.jsonl');
  const [store, file] = [openMemory({ dir: join(dir, 'store') }), openLifeStore({ path })];
  const life = withStateDocument(file, store.state(MindDocument), ['plan', 'life']);
  const close = () => {
    store.close();
    life.close();
  };
  return { life, file, store, close, text: () => readFileSync(path, 'utf8') };
}

const day = (goal: string) => ({ ...NEW_DAY, day: 3, goal });

test('goal and plan are in the state document; the file of an earlier version is read until the first write', () => {
  const dir = mkdtempSync(join(root, 'agent-'));
  const first = aLife(dir);
  first.file.remember(stateOf('plan', day('baking')), stateOf('home', { at: 'mill' }));
  assert.equal(recallMind(first.life).goal, 'baking');
  const life = { ...NEW_TO_LIFE, day: 3 };
  first.life.remember(stateOf('plan', day('selling bread')), stateOf('life', life), stateOf('stay', { at: 'market' }));
  assert.match(first.text(), /market/);
  assert.doesNotMatch(first.text(), /selling bread/);
  first.close();
  const second = aLife(dir);
  assert.deepEqual([recallMind(second.life).goal, recallMind(second.life).life.day], ['selling bread', 3]);
  assert.ok(second.life.recall('stay') !== undefined && second.life.recall('home') !== undefined);
  second.close();
});

test('a damaged version gives the previous one', () => {
  const dir = mkdtempSync(join(root, 'agent-'));
  const first = aLife(dir);
  for (const goal of ['baking', 'resting']) first.life.remember(stateOf('plan', day(goal)));
  first.close();
  const database = new DatabaseSync(join(dir, 'store/memory.db'));
  database.exec('update state set value = substr(value, 1, 20) where version = 2');
  database.close();
  const second = aLife(dir);
  assert.equal(recallMind(second.life).goal, 'baking');
  second.life.remember(stateOf('plan', day('sowing')));
  assert.equal(recallMind(second.life).goal, 'sowing');
  second.close();
});
