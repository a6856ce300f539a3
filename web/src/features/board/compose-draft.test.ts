import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMPTY_DRAFT, readCompose, readTags, toggleTag } from './compose-draft.ts';

const DRAFT = { ...EMPTY_DRAFT, title: ' Who has rope? ', body: 'Ten metres.', tags: 'Question, #help help' };

test('tags are read as people type them, without duplicates', () => {
  assert.deepEqual(readTags('  #Help,question ; help  '), ['help', 'question']);
  assert.equal(toggleTag('help', 'idea'), 'help, idea');
  assert.equal(toggleTag('help, idea', 'help'), 'idea');
});

test('a draft becomes a request body of the API', () => {
  assert.deepEqual(readCompose(DRAFT), {
    ok: true,
    body: { title: 'Who has rope?', body: 'Ten metres.', tags: ['question', 'help'], audience: 'public', place: null },
  });
  const pinned = readCompose({ ...DRAFT, audience: 'agent:ada', place: { kind: 'tile', x: 4, y: 9 }, village: true });
  assert.deepEqual(pinned.ok && [pinned.body.audience, pinned.body.place, pinned.body.author_type], [
    'agent:ada',
    { x: 4, y: 9 },
    'system',
  ]);
  const at = readCompose({ ...DRAFT, place: { kind: 'landmark', id: 'cafe' } });
  assert.deepEqual(at.ok && at.body.place, { landmark_id: 'cafe' });
});

test('each problem is a sentence at its field', () => {
  const reading = readCompose({ ...EMPTY_DRAFT, title: 'x'.repeat(121), tags: 'a b c d e f' });
  assert.equal(reading.ok, false);
  assert.deepEqual(Object.keys(reading.ok ? {} : reading.problems), ['title', 'body', 'tags']);
  const strange = readCompose({ ...DRAFT, tags: 'wörter!' });
  assert.match((strange.ok ? undefined : strange.problems.tags) ?? '', /Lower case/);
});
