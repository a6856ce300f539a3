import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryLabel } from './entry-label.ts';

const entry = {
  memory_id: 'm-0123456789ab',
  kind: 'entity',
  name: 'oven',
  type: 'thing',
  to: null,
  about: null,
} as const;

test('notes, entities and relations have labels', () => {
  const note = { ...entry, name: entry.memory_id, about: 'the mill', observations: ['It is old.'] };
  assert.deepEqual(entryLabel(note), { title: 'the mill', lines: ['It is old.'] });
  assert.deepEqual(entryLabel({ ...entry, observations: ['hot', 'hot'] }), { title: 'oven (thing)', lines: ['hot'] });
  const relation = { ...entry, kind: 'relation', name: 'oven', to: 'mill', type: 'in', observations: [] } as const;
  assert.deepEqual(entryLabel(relation), { title: null, lines: ['oven → in → mill'] });
});
