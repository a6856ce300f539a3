import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayPlanOf, diaryOf, purposeOutcome, purposesOf, reasonOf, turnLabel, type TurnParts } from './turn-labels.ts';

const TURN: TurnParts = {
  trigger: 'tick',
  perceived: { world: { neighbours: [{}, {}], items: [{}] } },
  decided: { goal: 'have a coffee', why: 'the café is near', command: { kind: 'move', body: { landmark_id: 'cafe' } } },
  acted: { outcome: 'accepted', seq: 7 },
  reflected: {},
};

test('a turn is described in words', () => {
  assert.deepEqual(turnLabel(TURN), {
    goal: 'have a coffee',
    saw: '2 neighbours, one thing in reach',
    did: 'Walked to cafe.',
    refused: false,
    wake: '',
  });
});

test('the label of a turn describes its outcome', () => {
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

test('a turn during a walk has the reason of the turn that started it', () => {
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

type Decided = Record<string, unknown>;

const turn = (id: number, decided: Decided, acted: Decided = { outcome: 'none' }) => ({
  turn_id: `turn ${id}`,
  recorded_at: `2026-11-23T12:00:${String(id).padStart(2, '0')}Z`,
  trigger: 'tick' as const,
  perceived: { world: { time: { day: 3 } } },
  decided: { why: 'so', command: { kind: 'stay' }, ...decided },
  acted,
  reflected: {},
});
const chosen = (purpose: string, model?: string) => ({
  goal: purpose,
  choice: { option: 'stay', purpose, ...(model === undefined ? {} : { model, tokens: 18 }) },
});
const WALK = { kind: 'move', body: { landmark_id: 'bakery' } };
const ACCEPTED = { outcome: 'accepted' };

test('acts with the same purpose form a group, even with other turns between, newest first', () => {
  const purposes = purposesOf([
    turn(5, { ...chosen('Bake bread'), why: 'The oven is free' }, { outcome: 'refused', detail: 'The oven is taken' }),
    turn(4, { goal: 'sitting' }),
    turn(3, { ...chosen('bake bread', 'small'), why: 'I need flour', command: WALK }, ACCEPTED),
  ]);
  assert.deepEqual(
    purposes.map(({ title, by, model, isPresent, acts }) => ({ title, by, model, isPresent, acts: acts.length })),
    [
      { title: 'Bake bread', by: 'model', model: 'small', isPresent: true, acts: 2 },
      { title: 'sitting', by: 'rules', model: null, isPresent: false, acts: 0 },
    ],
  );
  assert.deepEqual(
    purposes[0]?.acts.map(({ did, why, refused }) => [did, why, refused]),
    [
      ['Refused: The oven is taken', 'The oven is free', true],
      ['Walked to bakery.', 'I need flour', false],
    ],
  );
  assert.deepEqual(purposes.map(purposeOutcome), ['now · 2 acts, 1 refused', 'only waited']);
});

test('a new decision to stay counts as an act with its reason; the turns after it do not', () => {
  const [purpose] = purposesOf([
    turn(3, { ...chosen('Bake bread'), why: 'I was rewarded' }),
    turn(2, { ...chosen('Bake bread', 'large'), why: 'I was rewarded' }),
  ]);
  assert.deepEqual(
    purpose?.acts.map(({ did, why, times }) => [did, why, times]),
    [['Stayed.', 'I was rewarded', 1]],
  );
});

test('the same purpose on another day forms a new group', () => {
  const both = [
    { ...turn(2, chosen('Bake bread')), perceived: { world: { time: { day: 4 } } } },
    turn(1, chosen('Bake bread')),
  ];
  assert.equal(purposesOf(both).length, 2);
  assert.equal(new Set(purposesOf(both).map(({ key }) => key)).size, 2);
});

test('consecutive equal acts are counted, and waiting between them does not separate them', () => {
  const walk = { ...chosen('Bake bread'), command: WALK };
  const [purpose] = purposesOf([turn(3, walk, ACCEPTED), turn(2, chosen('Bake bread')), turn(1, walk, ACCEPTED)]);
  assert.deepEqual(
    purpose?.acts.map(({ times, key }) => [times, key]),
    [[2, 'turn 3']],
  );
  assert.equal(purpose === undefined ? '' : purposeOutcome(purpose), 'now · 2 acts');
});

test('a turn of an unknown form uses its reason as purpose', () => {
  const odd = { ...turn(1, { choice: 'yes' }), perceived: {} };
  assert.deepEqual(
    purposesOf([odd]).map(({ title, by }) => [title, by]),
    [['so', 'rules']],
  );
});

test('the plan is the newest of the day of the newest turn', () => {
  const planned = (id: number, plan: string) => turn(id, { goal: 'x', choice: { option: 'stay', purpose: 'x', plan } });
  const yesterday = { ...planned(1, '09:00 sleep'), perceived: { world: { time: { day: 2 } } } };
  assert.equal(
    dayPlanOf([turn(4, { goal: 'y' }), planned(3, '10:00 bake'), planned(2, '09:00 rest'), yesterday]),
    '10:00 bake',
  );
  assert.equal(dayPlanOf([turn(4, { goal: 'y' }), yesterday]), null);
  assert.equal(dayPlanOf([]), null);
});

const stayTurn = (
  id: string,
  reflected: Record<string, unknown>,
  [goal, outcome]: readonly [string, string] = ['sitting', 'none'],
) => ({
  turn_id: id,
  recorded_at: `2026-11-23T12:00:0${id}Z`,
  trigger: 'tick' as const,
  perceived: {},
  decided: { goal, why: 'so' },
  acted: { outcome },
  reflected,
});
const stay = (id: string, entry: string) => ({ stay: { id, name: `place ${id}`, place: id, entry } });

test('turns of one stay form one entry with the newest text, without waiting turns', () => {
  const entries = diaryOf([
    stayTurn('5', stay('b', 'two')),
    stayTurn('4', stay('b', 'one'), ['walking', 'accepted']),
    stayTurn('3', stay('b', '')),
    stayTurn('2', stay('a', 'before')),
    stayTurn('1', stay('b', 'long ago')),
  ]);
  assert.deepEqual(
    entries.map(({ title, text, turns }) => [title, text, turns.map(({ turn_id }) => turn_id)]),
    [
      ['place b', 'two', ['4']],
      ['place a', 'before', ['2']],
      ['place b', 'long ago', ['1']],
    ],
  );
  assert.deepEqual(
    entries.map(({ key, at }) => [key, at]),
    [
      ['3', '2026-11-23T12:00:05Z'],
      ['2', '2026-11-23T12:00:02Z'],
      ['1', '2026-11-23T12:00:01Z'],
    ],
  );
});

test('turns without a stay are grouped by goal', () => {
  const entries = diaryOf([
    stayTurn('3', {}),
    stayTurn('2', { stay: 7 }),
    stayTurn('1', { stay: { id: 'x' } }, ['walking', 'none']),
  ]);
  assert.deepEqual(
    entries.map(({ title, text, turns }) => [title, text, turns.length]),
    [
      ['sitting', '', 1],
      ['walking', '', 1],
    ],
  );
  assert.deepEqual(diaryOf([]), []);
});
