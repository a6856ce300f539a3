import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OfferedSkill } from '@hamlet/contract';
import { isOffered, withSkill } from './offered-skills.ts';

const offer = (name: string, map: string | null = null): OfferedSkill => ({
  name,
  from: map === null ? 'image' : 'config_map',
  config_map_name: map,
  description: 'What it is for.',
  problem: null,
});
const house = offer('style', 'house');

test('a check box adds a skill once, replaces another one of its name, and removes only its own', () => {
  const both = withSkill(withSkill([], offer('patch'), true), house, true);
  assert.deepEqual(both, [{ name: 'patch' }, { name: 'style', from: 'ConfigMap', configMapName: 'house' }]);
  assert.deepEqual(withSkill(both, house, true), both);
  assert.deepEqual(withSkill(both, offer('style'), true), [{ name: 'patch' }, { name: 'style' }]);
  assert.deepEqual(withSkill(both, offer('style'), false), both);
  assert.deepEqual(withSkill([{ name: 'patch', from: 'Image' }], offer('patch'), false), []);
});

test('a row with a version of its own, or of another source, stays in the list', () => {
  const known = [offer('patch'), house];
  assert.equal(isOffered({ name: 'patch' }, known), true);
  assert.equal(isOffered({ name: 'style', from: 'ConfigMap', configMapName: 'house' }, known), true);
  for (const row of [{ name: 'patch', sha256: 'a' }, { name: 'patch', from: 'Repository' }, { name: 'other' }])
    assert.equal(isOffered(row, known), false, JSON.stringify(row));
});
