import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayPlanOf, purposeOutcome, purposesOf } from './turn-labels.ts';

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

test('acts are grouped by purpose across turns that served another one, newest first', () => {
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

test('a fresh decision to stay is an act with its reason; the turns after it are not', () => {
  const [purpose] = purposesOf([
    turn(3, { ...chosen('Bake bread'), why: 'I was rewarded' }),
    turn(2, { ...chosen('Bake bread', 'large'), why: 'I was rewarded' }),
  ]);
  assert.deepEqual(
    purpose?.acts.map(({ did, why, times }) => [did, why, times]),
    [['Stayed.', 'I was rewarded', 1]],
  );
});

test('the same purpose on another day is another group', () => {
  const both = [
    { ...turn(2, chosen('Bake bread')), perceived: { world: { time: { day: 4 } } } },
    turn(1, chosen('Bake bread')),
  ];
  assert.equal(purposesOf(both).length, 2);
  assert.equal(new Set(purposesOf(both).map(({ key }) => key)).size, 2);
});

test('equal acts in a row are counted, and waiting between them does not divide them', () => {
  const walk = { ...chosen('Bake bread'), command: WALK };
  const [purpose] = purposesOf([turn(3, walk, ACCEPTED), turn(2, chosen('Bake bread')), turn(1, walk, ACCEPTED)]);
  assert.deepEqual(
    purpose?.acts.map(({ times, key }) => [times, key]),
    [[2, 'turn 3']],
  );
  assert.equal(purpose === undefined ? '' : purposeOutcome(purpose), 'now · 2 acts');
});

test('a turn of an unknown form is a purpose by its reason', () => {
  const odd = { ...turn(1, { choice: 'yes' }), perceived: {} };
  assert.deepEqual(
    purposesOf([odd]).map(({ title, by }) => [title, by]),
    [['so', 'rules']],
  );
});

test('the plan is the newest one of the day of the newest turn', () => {
  const planned = (id: number, plan: string) => turn(id, { goal: 'x', choice: { option: 'stay', purpose: 'x', plan } });
  const yesterday = { ...planned(1, '09:00 sleep'), perceived: { world: { time: { day: 2 } } } };
  assert.equal(
    dayPlanOf([turn(4, { goal: 'y' }), planned(3, '10:00 bake'), planned(2, '09:00 rest'), yesterday]),
    '10:00 bake',
  );
  assert.equal(dayPlanOf([turn(4, { goal: 'y' }), yesterday]), null);
  assert.equal(dayPlanOf([]), null);
});
