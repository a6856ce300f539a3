import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexedText } from '../store/parts.ts';
import { namesOf, normalized, wordsOf } from './words.ts';
import { importanceOf } from './worth.ts';

test('forms of a word have one stem', () => {
  const groups = [
    ['live', 'lives', 'lived', 'living'],
    ['city', 'cities'],
    ['study', 'studies', 'studied', 'studying'],
    ['work', 'works', 'worked', 'working', 'worker', 'workers'],
    ['run', 'runs', 'running', 'runner'],
    ['box', 'boxes'],
    ['class', 'classes'],
    ['location', 'locate', 'located', 'locations'],
    ['CAFÉ', 'cafe', 'cafés'],
  ];
  for (const group of groups) assert.equal(new Set(group.flatMap(wordsOf)).size, 1, group.join(' '));
  for (const word of ['this', 'bus', 'glass', 'r2d2s']) assert.equal(wordsOf(`the ${word}`).at(-1) ?? word, word);
});

test('texts without spaces are indexed by pairs of letters; other scripts by word', () => {
  assert.deepEqual(wordsOf('東京都'), ['東京', '京都']);
  assert.deepEqual(wordsOf('Москва́ — город'), ['москва', 'город']);
  assert.deepEqual(wordsOf('🙂 … !'), []);
  assert.equal(normalized('  Hello,\n  WORLD! '), 'hello world');
});

test('names are capitalized inside a sentence, and numbers anywhere', () => {
  assert.deepEqual(namesOf('Yesterday Tomasz met Ana. She is 41! I agree.'), ['Tomasz', 'Ana', '41']);
  assert.deepEqual(namesOf('Dear Sofia, the Ridge Walkers met X in Lyon: Ines paid'), [
    'Sofia',
    'Ridge',
    'Walkers',
    'X',
    'Lyon',
    'Ines',
  ]);
  const turn = { kind: 'evidence', session: 's', turn: 1, speaker: 'Mira', audience: 'public' } as const;
  assert.deepEqual(namesOf(indexedText({ ...turn, text: 'Understood, Greta moved' })), ['Greta']);
});

test('a text is as important as it is new; a question is less', () => {
  assert.equal(importanceOf('anything', []), 0);
  assert.equal(importanceOf('anything', [0.1, 0.2]), 0);
  assert.ok(importanceOf('news', [1, 1]) > importanceOf('news', [1, 0.3]));
  assert.equal(importanceOf('all of it is new', Array(12).fill(Number.POSITIVE_INFINITY)), 1);
  assert.ok(importanceOf('is it new?', [1, 1]) < importanceOf('it is new', [1, 1]));
});
