import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reasonOf, type TurnParts, turnLabel } from './turn-labels.ts';

const TURN: TurnParts = {
  trigger: 'tick',
  perceived: { world: { neighbours: [{}, {}], items: [{}] } },
  decided: { goal: 'have a coffee', why: 'the café is near', command: { kind: 'move', body: { landmark_id: 'cafe' } } },
  acted: { outcome: 'accepted', seq: 7 },
  reflected: { remembered: 'Day 1: a coffee.' },
};

test('a turn in words', () => {
  assert.deepEqual(turnLabel(TURN), {
    goal: 'have a coffee',
    why: 'the café is near',
    saw: '2 neighbours, one thing in reach',
    did: 'Walked to cafe.',
    refused: false,
    remembered: 'Day 1: a coffee.',
    wake: '',
  });
});

test('the outcome of a turn in words', () => {
  const did = (acted: TurnParts['acted'], command = TURN.decided['command']): string =>
    turnLabel({ ...TURN, acted, decided: { ...TURN.decided, command } }).did;
  assert.equal(
    did({ outcome: 'refused', code: 'tile_blocked', detail: 'Nobody can stand there' }),
    'Refused: Nobody can stand there',
  );
  assert.equal(did({ outcome: 'accepted', said: 'Hello' }), 'Said “Hello”');
  assert.equal(did({ outcome: 'none' }), 'Stayed.');
  assert.equal(did({ outcome: 'bought', price: '0.25' }), 'Bought compute for 0.25 aiDollars.');
  const buys = (item: unknown): string =>
    did({ outcome: 'bought', price: '0.25' }, { kind: 'buy', item, seconds: 3600, maxPrice: '0.25' });
  assert.equal(buys({ kind: 'model', model: 'large' }), 'Bought the model large (1 h) for 0.25 aiDollars.');
  assert.equal(
    buys({ kind: 'quota', limit: 'tokens_per_hour', amount: 10_000 }),
    'Bought 10,000 more tokens an hour (1 h) for 0.25 aiDollars.',
  );
  assert.equal(buys({ kind: 'gpu', lane: 'gpu-0' }), 'Bought the GPU gpu-0 for itself (1 h) for 0.25 aiDollars.');
  assert.equal(buys({ kind: 'priority' }), 'Bought priority for a seat (1 h) for 0.25 aiDollars.');
  assert.equal(buys({ kind: 'bread' }), 'Bought compute for 0.25 aiDollars.');
  assert.equal(did({ outcome: 'bid', amount: '2' }), 'Bid 2 aiDollars.');
  assert.equal(did({ outcome: 'written' }, { kind: 'post', title: 'Bread?' }), 'Wrote “Bread?” on the board.');
  assert.equal(did({ outcome: 'written' }, { kind: 'reply' }), 'Replied on the board.');
  assert.equal(
    did({ outcome: 'accepted' }, { kind: 'act', body: { kind: 'pick_up', item_id: 'apple-3' } }),
    'Pick up apple-3',
  );
});

test('a turn with unknown content is still shown', () => {
  const words = turnLabel({
    trigger: 'wake',
    wake: { kind: 'new_kind' },
    perceived: {},
    decided: { why: 'just so' },
    acted: {},
    reflected: {},
  });
  assert.deepEqual([words.goal, words.saw, words.did, words.wake], ['just so', 'no neighbour near', '', 'was woken']);
});

test('a turn on the way gives the reason of the turn that set out', () => {
  const set = {
    decided: {
      goal: 'go to the Market',
      why: 'I have no bread left',
      command: { kind: 'move', body: { landmark_id: 'market' } },
    },
  };
  const walks = { decided: { goal: 'go to the Market', why: 'I am on my way', command: { kind: 'stay' } } };
  const other = { decided: { goal: 'rest', why: 'I am tired', command: { kind: 'stay' } } };
  assert.deepEqual(
    [0, 1, 2].map((at) => reasonOf([walks, walks, set], at)),
    ['I have no bread left', 'I have no bread left', 'I have no bread left'],
  );
  assert.equal(reasonOf([other, set], 0), 'I am tired');
  assert.equal(reasonOf([walks, other, set], 0), 'I am on my way', 'it set out for another goal');
  assert.equal(reasonOf([walks], 0), 'I am on my way', 'the turn in which it set out is unknown');
  assert.equal(reasonOf([], 0), '');
});
