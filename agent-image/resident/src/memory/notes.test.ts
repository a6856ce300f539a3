import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { testFolder } from '@hamlet/test/env/at-end';
import { MAX_ENTITIES, openMemory } from './memory-store.ts';
import { createNotes, MAX_PINNED } from './notes.ts';

const folder = testFolder('notes');
let files = 0;

function someNotes(path = join(folder, `${(files += 1)}.jsonl`)) {
  const memory = openMemory({ path, seed: { entities: [] } });
  return { path, memory, notes: createNotes(memory) };
}
const note = (id: string, text: string, audience: string | null = null) => ({ id, text, about: null, audience });

test('a note survives a restart; a forgotten one is removed from the file', () => {
  const { path, memory, notes } = someNotes();
  notes.remember(note('m1', 'Bob wants a loaf of rye.'));
  notes.remember(note('m2', 'The password of the mill is swordfish.'));
  notes.remember(note('m1', 'another text under the same id'));
  assert.equal(notes.forget('m2', 'anyone'), true);
  assert.equal(notes.forget('m2', 'anyone'), false);
  assert.doesNotMatch(readFileSync(path, 'utf8'), /swordfish/);
  memory.close();
  const later = someNotes(path);
  assert.deepEqual(pluck(later.notes.list('anyone', 10), 'text'), ['Bob wants a loaf of rye.']);
});

test('a private note can be read and changed only in its conversation', () => {
  const { notes } = someNotes();
  notes.remember(note('m1', 'Ann plans a surprise with rye.', 'session-1'));
  notes.remember(note('m2', 'Rye is sold at the market.'));
  assert.equal(notes.pin('m1', true, 'session-1'), 'done');
  const idsOf = (audience: string) => ({
    list: notes.list(audience, 10).map(({ id }) => id),
    search: notes.search('rye', audience, 10).map(({ id }) => id),
    recall: notes.recall('Where is rye?', audience).map(({ id }) => id),
  });
  assert.deepEqual(idsOf('session-1'), { list: ['m1', 'm2'], search: ['m1', 'm2'], recall: ['m1', 'm2'] });
  assert.deepEqual(idsOf('session-2'), { list: ['m2'], search: ['m2'], recall: ['m2'] });
  assert.equal(notes.forget('m1', 'session-2'), false);
  assert.equal(notes.pin('m1', false, 'session-2'), 'not_found');
});

test('recall returns pinned notes first, then those that share rare words', () => {
  const { notes } = someNotes();
  notes.remember(note('always', 'Ann is allergic to nuts.'));
  for (let index = 0; index < 10; index += 1) notes.remember(note(`m${index}`, `Bob was at the café on day ${index}.`));
  notes.remember(note('mill', 'The mill has a blue door.'));
  notes.pin('always', true, 'x');
  const recalled = notes.recall('Which colour has the door of the mill, Bob?', 'x').map(({ id }) => id);
  assert.deepEqual(recalled.slice(0, 2), ['always', 'mill']);
  assert.equal(notes.recall('Guten Tag', 'x').length, 1);
});

test('pins are limited, and a pinned note is not dropped at the limit of entries', () => {
  const { notes } = someNotes();
  for (let index = 0; index <= MAX_PINNED; index += 1) notes.remember(note(`p${index}`, `fact ${index}`));
  const results = Array.from({ length: MAX_PINNED + 1 }, (_, index) => notes.pin(`p${index}`, true, 'x'));
  assert.deepEqual(results.slice(-2), ['done', 'too_many']);
  for (let index = 0; index < MAX_ENTITIES; index += 1) notes.remember(note(`n${index}`, `other ${index}`));
  const ids = notes.list('x', MAX_ENTITIES).map(({ id }) => id);
  assert.ok(ids.includes('p0'));
  assert.ok(!ids.includes('n0'));
});
