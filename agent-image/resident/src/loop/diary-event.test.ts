/** The diary event for each outcome of each command. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AFFORDANCES, EMOTES, ITEM_KINDS, type AgentView } from '@hamlet/contract';
import { sentenceFaults } from '@hamlet/test/env/sentence-faults';
import { decision, type Command } from '../brain/decision.ts';
import type { Situation } from '../brain/situation.ts';
import { aSituation } from '../testing/a-situation.ts';
import { anAgent, AT } from '../testing/a-village.ts';
import type { Acted } from './act.ts';
import { diaryEventOf, placeOfTurn } from './diary-event.ts';

const situation = (self: Partial<AgentView> = { landmark_id: 'square' }): Situation =>
  aSituation({ self, others: [anAgent('bob')] });

const OCCASION = { prompt: 'p', fallback: 'f', facts: '' };
const COMMANDS: readonly Command[] = [
  { kind: 'stay' },
  { kind: 'move', body: { landmark_id: 'cafe' } },
  { kind: 'move', body: { x: 1, y: 2 } },
  { kind: 'act', body: { kind: 'talk', text: 'Hello, Bob!', to: 'bob' } },
  { kind: 'act', body: { kind: 'talk', text: 'I like it here' } },
  { kind: 'act', body: { kind: 'use_board' } },
  { kind: 'act', body: { kind: 'pick_up', item_id: 'apple-1' } },
  { kind: 'act', body: { kind: 'drop', item_id: 'apple-1' } },
  ...EMOTES.map((emote): Command => ({ kind: 'act', body: { kind: 'emote', emote } })),
  ...[...AFFORDANCES, ...ITEM_KINDS.map((kind) => `${kind}-7`), 'lamp-3'].map((target): Command => ({
    kind: 'act',
    body: { kind: 'use', target },
  })),
  { kind: 'answer', prompt: 'How are you?', speaker: 'Grace', to: null, wakeSeq: 1 },
  { kind: 'buy', item: { kind: 'priority' }, seconds: 3_600, maxPrice: '1' },
  { kind: 'bid', auctionId: 'a', amount: '1' },
  { kind: 'reply', postId: 'p', to: 'p', occasion: OCCASION, resolves: false },
  { kind: 'post', subject: 's', audience: 'public', title: 'Whose is it?', tags: [], occasion: OCCASION },
];
const OUTCOMES: readonly Acted[] = [
  { outcome: 'none' },
  { outcome: 'accepted', seq: 1, said: 'Good morning' },
  { outcome: 'refused', code: 'no_free_slot', detail: 'd' },
  { outcome: 'silent', why: 'the runtime is unreachable' },
  { outcome: 'unknown', why: 'w' },
  { outcome: 'written', post_id: 'p', reply_id: null, text: 'I have read it.\n\nMore.', by: 'template', without: null },
  { outcome: 'bought', purchase_id: 'p', price: '0.25', ends_at: 't' },
  { outcome: 'bid', bid_id: 'b', amount: '2' },
  { outcome: 'stale' },
];

const described = (command: Command, acted: Acted, goal = 'walking to the cafe') =>
  diaryEventOf(situation(), decision(situation(), { command, goal, why: 'there is time' }), acted);

test('each outcome of each command gives one whole sentence or nothing', () => {
  for (const command of COMMANDS) {
    for (const acted of OUTCOMES) {
      const text = described(command, acted);
      if (text !== null) assert.deepEqual(sentenceFaults(text), [], `${JSON.stringify(command)} ${acted.outcome}`);
      assert.equal(
        text === null,
        acted.outcome === 'none' ||
          acted.outcome === 'stale' ||
          (acted.outcome === 'accepted' && ['stay', 'buy', 'bid', 'reply', 'post'].includes(command.kind)),
      );
    }
  }
});

test('the diary has whole sentences', () => {
  const accepted: Acted = { outcome: 'accepted', seq: 1 };
  const refused: Acted = { outcome: 'refused', code: 'out_of_earshot', detail: 'd' };
  assert.equal(
    described({ kind: 'move', body: { landmark_id: 'cafe' } }, accepted),
    'I went to the cafe because there is time.',
  );
  assert.equal(
    described({ kind: 'move', body: { landmark_id: 'cafe' } }, accepted, 'going home to sleep'),
    'I was going home to sleep because there is time.',
  );
  assert.equal(
    described({ kind: 'move', body: { x: 1, y: 1 } }, accepted, 'fetching the apple'),
    'I was fetching the apple because there is time.',
  );
  assert.equal(
    described({ kind: 'act', body: { kind: 'talk', text: 'Hello!', to: 'bob' } }, accepted),
    'I said to Bob “Hello!”',
  );
  assert.equal(
    described({ kind: 'act', body: { kind: 'talk', text: 'Hello!', to: 'bob' } }, refused),
    'I spoke to Bob, but my words did not arrive (out_of_earshot).',
  );
  assert.equal(
    described({ kind: 'act', body: { kind: 'talk', text: 'Hello!' } }, refused),
    'I spoke, but my words did not arrive (out_of_earshot).',
  );
  const bread: Command = { kind: 'move', body: { landmark_id: 'market' } };
  assert.equal(described(bread, accepted, 'bread'), 'I went to the market because there is time.');
  assert.equal(
    described(bread, refused, 'bread'),
    'The village refused it while I was busy with “bread” (out_of_earshot).',
  );
  assert.equal(
    described(bread, { outcome: 'unknown', why: 'w' }, 'bread'),
    'The village did not answer while I was busy with “bread”.',
  );
  assert.equal(described({ kind: 'act', body: { kind: 'use', target: 'coffee-3' } }, accepted), 'I drank the coffee.');
  assert.equal(described({ kind: 'act', body: { kind: 'use', target: 'coffee' } }, accepted), 'I got a coffee.');
});

test("the place of a turn is the agent's location, its destination, or its new destination", () => {
  const place = (self: Partial<AgentView>, command: Command = { kind: 'stay' }, acted: Acted = { outcome: 'none' }) =>
    placeOfTurn(situation(self), { command }, acted);
  const walking = { moving_to: { ...AT.cafe, landmark_id: 'cafe', arrives_tick: 9_000 } };
  assert.deepEqual(place({ landmark_id: 'square' }), { place: 'square', name: 'the square' });
  assert.deepEqual(place({ landmark_id: null }), { place: null, name: 'out of doors' });
  assert.equal(place(walking).place, 'cafe');
  assert.equal(place({ moving_to: { x: 1, y: 1, landmark_id: null, arrives_tick: 9_000 } }).place, null);
  const move: Command = { kind: 'move', body: { landmark_id: 'market' } };
  assert.equal(place(walking, move, { outcome: 'accepted', seq: 1 }).place, 'market');
  assert.equal(
    place(walking, move, { outcome: 'refused', code: 'x', detail: 'd' }).place,
    'cafe',
    'it did not set out',
  );
  assert.equal(
    place({ landmark_id: 'square' }, { kind: 'move', body: { x: 1, y: 1 } }, { outcome: 'accepted', seq: 1 }).place,
    null,
  );
});
