import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draftOfStored, readChange, rebased } from './agent-change.ts';

const STORED = {
  resource_version: '7',
  spec: { displayName: 'Ada', wake: 'OnMessage', persona: { identity: 'A baker.', personality: 'Calm.' } },
};

test('an untouched draft changes nothing, even if the stored texts have spaces around them', () => {
  assert.equal(readChange(draftOfStored(STORED)).isChanged, false);
  const spec = { persona: { instructions: 'Bake.\n' } };
  const read = readChange({ version: '1', base: spec, spec });
  assert.equal(read.isChanged, false);
});

test('only what a person changed is sent', () => {
  const spec = { ...STORED.spec, persona: { identity: 'A baker.' }, model: { name: 'small' } };
  const read = readChange({ ...draftOfStored(STORED), spec });
  assert.deepEqual(read.patch, { persona: { personality: null }, model: { name: 'small' } });
  assert.equal(read.problems.size, 0);
});

test('changes move to a newer version, and keep what others changed', () => {
  const mine = { ...draftOfStored(STORED), spec: { ...STORED.spec, displayName: 'Ada B.' } };
  const newest = { resource_version: '9', spec: { ...STORED.spec, model: { name: 'large' } } };
  const moved = rebased(mine, newest);
  assert.equal(moved.version, '9');
  assert.deepEqual(moved.spec, { ...newest.spec, displayName: 'Ada B.' });
  assert.deepEqual(readChange(moved).patch, { displayName: 'Ada B.' });
});
