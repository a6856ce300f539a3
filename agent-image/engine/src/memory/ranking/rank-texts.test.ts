import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rankTexts } from './rank-texts.ts';

test('texts are found by the words of the index: stems, accents and scripts without spaces; common words find nothing', () => {
  const texts = ['The ovens were heated.', 'Zoë likes café.', '東京に住んでいます', 'They were there.'];
  assert.deepEqual(rankTexts(texts, 'heating an oven'), [0]);
  assert.deepEqual(rankTexts(texts, 'which cafe does Zoe like?'), [1]);
  assert.deepEqual(rankTexts(texts, '東京'), [2]);
  assert.deepEqual(rankTexts(texts, 'were they there?'), []);
  assert.deepEqual(rankTexts([], 'oven'), []);
});

test('rare words say more than frequent ones, and equal texts keep their order', () => {
  const texts = ['bread and flour', 'bread and rye', 'bread and flour', 'bread'];
  assert.equal(rankTexts(texts, 'rye bread')[0], 1);
  const [first, second] = rankTexts(texts, 'flour');
  assert.deepEqual([first, second], [0, 2]);
});
