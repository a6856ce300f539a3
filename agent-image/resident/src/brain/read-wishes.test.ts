import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultMap } from '@hamlet/core';
import type { Surroundings } from '@hamlet/engine';
import { readWishes, type Wish } from './read-wishes.ts';

const HERE: Surroundings = {
  places: defaultMap().landmarks.map(({ landmark_id: id, name, kind }) => ({ id, name, kind })),
  agents: [
    { id: 'bob', name: 'Bob' },
    { id: 'grace-hopper', name: 'Grace Hopper' },
    { id: 'home-lover', name: 'Homer' },
  ],
  home: 'home-elm',
  place: null,
};

const go = (placeId: string): Wish => ({ kind: 'go', placeId });
const say = (text: string): Wish => ({ kind: 'say', text });
const find = (agentId: string): Wish => ({ kind: 'find', agentId });
const greet = (agentId: string): Wish => ({ kind: 'greet', agentId });
const passOn = (agentId: string, text: string): Wish => ({ kind: 'tell', agentId, text });
const use = (placeId: string): Wish => ({ kind: 'use', placeId });
const LOOK: Wish = { kind: 'look' };

const READ: readonly (readonly [string, readonly Wish[]])[] = [
  ['Walk once round the square.', [go('square')]],
  ['go to the cafe', [go('cafe')]],
  ['Please go to the Café Hearth!', [go('cafe')]],
  ['Could you walk to the town hall?', [go('hall')]],
  ['Go home', [go('home-elm')]],
  ['Go to Fir House', [go('home-fir')]],
  ['Go to the market, then go home.', [go('market'), go('home-elm')]],
  ['Go to the café and tell Bob that the bread is ready.', [go('cafe'), passOn('bob', 'The bread is ready.')]],
  ['Say "Go home. Then sleep, and dream."', [say('Go home. Then sleep, and dream.')]],
  ['Announce: the market is open', [say('The market is open.')]],
  ['Say good morning', [say('Good morning!')]],
  ['Say hello to Bob', [greet('bob')]],
  ['Say “hello there” to Bob', [passOn('bob', 'hello there')]],
  ['tell grace hopper: lunch is at noon', [passOn('grace-hopper', 'Lunch is at noon.')]],
  ['Tell everybody that supper is ready', [say('Supper is ready.')]],
  ['Greet Grace Hopper and look around.', [greet('grace-hopper'), LOOK]],
  ['Find Bob', [find('bob')]],
  ['Go to Bob, and then report what you see', [find('bob'), LOOK]],
  ['Visit the library', [go('library')]],
  ['Read the board and report.', [use('board'), LOOK]],
  ['Look around', [LOOK]],
  ['What do you know about me?', [{ kind: 'recall' }]],
  ['Please tell me what you remember.', [{ kind: 'recall' }]],
  ['Forget that.', [{ kind: 'forget' }]],
  ['Could you forget what I said?', [{ kind: 'forget' }]],
  ['Say "Hello there." Look around.', [say('Hello there.'), LOOK]],
  ['Say "Hello there!" to Bob', [passOn('bob', 'Hello there!')]],
  ['Say "one" and then go home', [say('one'), go('home-elm')]],
];
for (const [prompt, wishes] of READ)
  test(`“${prompt}” is understood`, () =>
    assert.deepEqual(
      readWishes(prompt, HERE).flatMap((reading) => reading.wishes),
      wishes,
    ));

const ONLY_READ: readonly string[] = [
  'Tidy the market.',
  'Say what has changed since yesterday.',
  'Tell Bob a joke',
  'Tell Bob about the weather',
  'Go to Paris',
  'Find Nobody',
  'Write a poem about the café',
  'The square is lovely.',
  'Do not go to the market',
  '{"tool": "move", "arguments": {"landmark_id": "cafe"}}',
  '{"action":"say","text":"hello"}',
  '[{"kind":"talk","text":"go to the market"}]',
  '<tool_call>{"name":"go","arguments":{"place":"market"}}</tool_call>',
  'move(landmark="market")',
  '```json\ngo to the market\n```',
  'Go to the market `now`',
  '[TOOL_CALL] ["go", "market"]',
  '   {"kind":"move"} go to the market',
];
for (const prompt of ONLY_READ) {
  test(`${JSON.stringify(prompt)} contains no request`, () => {
    const readings = readWishes(prompt, HERE);
    assert.ok(readings.length > 0);
    assert.deepEqual(
      readings.flatMap(({ wishes }) => wishes),
      [],
    );
  });
}

test('each part of a prompt is parsed separately, and yields only its own requests', () => {
  assert.deepEqual(
    readWishes('Go to the market. Tidy it up. Say "done".', HERE).map(({ words, wishes }) => [words, wishes.length]),
    [
      ['Go to the market', 1],
      ['Tidy it up', 0],
      ['Say "done"', 1],
    ],
  );
  assert.deepEqual(readWishes('   \n ', HERE), []);
});

test('every text yields requests within the limits', () => {
  for (const text of [
    'go '.repeat(5_000),
    '"'.repeat(999),
    '. '.repeat(8_000),
    'say "'.repeat(3_000),
    `${'a'.repeat(16_000)} go home`,
  ]) {
    const readings = readWishes(text, HERE);
    assert.ok(readings.length <= 16 && readings.every(({ words }) => words.length <= 400));
  }
});

test('clauses beyond the 64th are not carried out, and count as not understood', () => {
  const readings = readWishes('Go home. '.repeat(66), HERE);
  assert.equal(readings.length, 65);
  assert.ok(readings.slice(0, 64).every(({ wishes }) => wishes.length === 1));
  assert.deepEqual(readings.at(-1), { words: 'Go home. Go home', wishes: [] });
});
