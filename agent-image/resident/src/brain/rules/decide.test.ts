import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentView, Wake } from '@hamlet/contract';
import { aSituation, type Seen } from '../../testing/a-situation.ts';
import { aConfig, anAgent, aStanding, AT, aWake, aWorld } from '../../testing/a-village.ts';
import { decide, settle } from './decide.ts';
import { NEWBORN } from '../mind.ts';
import { perceive } from '../../loop/perceive.ts';
import { REFUSAL_PAUSE_TICKS, type Command } from '../decision.ts';
import type { Situation } from '../situation.ts';
import { TALK_REST_TICKS } from '../life/talk.ts';
import { GREET_AGAIN_TICKS, MAX_ANSWERS_IN_A_ROW } from './company.ts';

const ACCEPTED = { accepted: true, final: false } as const;
const APPLE = { item_id: 'apple-1', kind: 'apple', position: { x: 61, y: 2 }, held_by: null } as const;

const situation = ({ mind, ...given }: Seen): Situation =>
  aSituation({ ...given, tick: (given.minute ?? 700) * 10, mind: { delivered: true, ...mind } });

const move = (landmark_id: string): Command => ({ kind: 'move', body: { landmark_id } });
const to = (landmark_id: keyof typeof AT) => ({ ...AT[landmark_id], landmark_id, arrives_tick: 9_000 });

const STAY: Command = { kind: 'stay' };
const BOB = [anAgent('bob')];
const HOME = { landmark_id: 'home', position: AT.home };
const use = (target: string): Command => ({ kind: 'act', body: { kind: 'use', target } });
const sign = (emote: 'smile' | 'heart'): Command => ({ kind: 'act', body: { kind: 'emote', emote } });
const words = (from: string, to: string | null, text: string): Wake => aWake('spoken_to', { from, to, text }, 9);

const TABLE: readonly (readonly [name: string, given: Seen, command: Command, why: RegExp])[] = [
  [
    'an agent that is spoken to answers',
    { others: BOB, wake: words('bob', 'ada', 'Hello') },
    { kind: 'answer', prompt: 'Hello', speaker: 'Bob', to: 'bob', wakeSeq: 9 },
    /Bob spoke to me/,
  ],
  [
    'the answer to a person who is not in the world is addressed to all',
    { wake: words('Grace', null, 'Hello') },
    { kind: 'answer', prompt: 'Hello', speaker: 'Grace', to: null, wakeSeq: 9 },
    /Grace spoke to me/,
  ],
  [
    'it answers at night too',
    { minute: 1_400, others: BOB, wake: words('bob', 'ada', 'Psst') },
    { kind: 'answer', prompt: 'Psst', speaker: 'Bob', to: 'bob', wakeSeq: 9 },
    /spoke to me/,
  ],
  [
    'words that address no one in particular get a smile',
    { others: BOB, wake: words('bob', null, 'What a day.') },
    sign('smile'),
    /I hear Bob/,
  ],
  [
    'an agent that is put to sleep does nothing more',
    { self: { power: 'Asleep' }, others: BOB, wake: words('bob', 'ada', 'Hello') },
    STAY,
    /power is Asleep/,
  ],
  [
    'the agent drinks coffee where it got it',
    {
      self: { landmark_id: 'cafe', position: AT.cafe, inventory: [{ item_id: 'coffee-3', kind: 'coffee' }] },
      mind: { visited: ['cafe'] },
    },
    use('coffee-3'),
    /I have coffee/,
  ],
  [
    'the agent gives thanks for a gift',
    { wake: aWake('handed', { from: 'bob', item_id: 'apple-1' }) },
    sign('heart'),
    /bob handed me apple-1/,
  ],
  ['at night it goes home', { minute: 1_345 }, move('home'), /it is night, and I live at the home/],
  ['after midnight too', { minute: 60 }, move('home'), /it is night/],
  ['on the way home it walks on', { minute: 1_345, self: { moving_to: to('home') } }, STAY, /it is night/],
  ['at home at night it goes to bed', { minute: 1_345, self: { ...HOME } }, use('sleep'), /to bed/],
  [
    'in bed it sleeps, even if another agent is near',
    { minute: 1_345, self: { ...HOME, activity: 'sleeping' }, others: [anAgent('bob', { position: AT.home })] },
    STAY,
    /in bed/,
  ],
  [
    'an errand begins with the nearest item on the ground',
    { minute: 900, items: [{ ...APPLE, position: { x: 70, y: 2 } }], mind: { delivered: false } },
    { kind: 'move', body: { x: 70, y: 2 } },
    /it lies about/,
  ],
  [
    'an item within reach is picked up',
    { minute: 900, items: [APPLE], mind: { delivered: false } },
    { kind: 'act', body: { kind: 'pick_up', item_id: 'apple-1' } },
    /it lies about/,
  ],
  [
    'no errand early in the day',
    { minute: 500, items: [APPLE], mind: { delivered: false, visited: ['square'] } },
    move('cafe'),
    /village has breakfast there/,
  ],
  [
    'the agent goes where the day plan leads at this hour',
    { minute: 1_120, self: { position: AT.cafe } },
    move('square'),
    /village gathers there/,
  ],
  [
    'at a place it does the typical activity of the place',
    { minute: 1_120, self: { landmark_id: 'square' } },
    use('meet'),
    /the square, where one can meet/,
  ],
  [
    'the agent does not repeat an activity of the same day',
    { minute: 1_120, self: { landmark_id: 'square' }, mind: { visited: ['square'] } },
    STAY,
    /time until the next hour/,
  ],
  [
    'an agent on its way continues its walk',
    { minute: 1_120, self: { moving_to: to('square') } },
    STAY,
    /gathers there/,
  ],
];

for (const [name, given, command, why] of TABLE) {
  test(name, () => {
    const decided = decide(situation(given));
    assert.deepEqual(decided.command, command);
    assert.match(decided.why, why);
  });
}

test('an agent in earshot is greeted by name, once', () => {
  const given = { others: [anAgent('bob')] };
  const first = situation(given);
  const decided = decide(first);
  assert.ok(decided.command.kind === 'act' && decided.command.body.kind === 'talk');
  assert.equal(decided.command.body.to, 'bob');
  assert.match(decided.command.body.text, /Hello, Bob!/);
  const again = decide({ ...first, mind: settle(first, decided, ACCEPTED) });
  assert.ok(!(again.command.kind === 'act' && again.command.body.kind === 'talk' && again.command.body.to === 'bob'));
});

test('a friend is greeted again after six village hours, to the tick', () => {
  const met = (ago: number) =>
    /I meet Bob/.test(decide(situation({ others: [anAgent('bob')], mind: { greeted: { bob: 7_000 - ago } } })).why);
  assert.deepEqual([met(GREET_AGAIN_TICKS - 1), met(GREET_AGAIN_TICKS)], [false, true]);
});

test('an agent that is asleep or far away is not greeted', () => {
  for (const bob of [anAgent('bob', { power: 'Asleep' }), anAgent('bob', { position: { x: 90, y: 90 } })]) {
    assert.doesNotMatch(decide(situation({ others: [bob] })).why, /I meet/);
  }
});

test('two agents stop answering each other, and begin again after a silence', () => {
  const talk = { others: [anAgent('bob')], wake: aWake('spoken_to', { from: 'bob', to: 'ada', text: 'And you?' }) };
  let now = situation(talk);
  let answers = 0;
  for (; decide(now).command.kind === 'answer' && answers < 20; answers += 1)
    now = { ...now, mind: settle(now, decide(now), ACCEPTED) };
  assert.equal(answers, MAX_ANSWERS_IN_A_ROW);
  assert.equal(decide({ ...now, tick: now.tick + TALK_REST_TICKS + 1 }).command.kind, 'answer');
});

test('a person is answered as often as they speak', () => {
  let now = situation({ wake: aWake('spoken_to', { from: 'Grace', to: null, text: 'And now?' }) });
  for (let times = 0; times < 10; times += 1) {
    assert.equal(decide(now).command.kind, 'answer');
    now = { ...now, mind: settle(now, decide(now), ACCEPTED) };
  }
});

test('the agent repeats a refused command only after a pause', () => {
  const before = situation({ minute: 900, items: [APPLE], mind: { delivered: false } });
  const decided = decide(before);
  const after = { ...before, mind: settle(before, decided, { accepted: false, final: false }) };
  assert.notEqual(decide(after).key, decided.key);
  assert.equal(decide({ ...after, tick: after.tick + REFUSAL_PAUSE_TICKS }).key, decided.key);
});

test('the agent carries an item to a place that needs it and puts it down there', () => {
  const inventory: AgentView['inventory'] = [{ item_id: 'apple-1', kind: 'apple' }];
  const carrying = situation({ minute: 900, self: { inventory }, mind: { delivered: false } });
  const decided = decide(carrying);
  assert.ok(decided.command.kind === 'move' && 'landmark_id' in decided.command.body);
  const place = decided.command.body.landmark_id;
  assert.ok(place === 'cafe' || place === 'market');
  const there = situation({
    minute: 900,
    self: { inventory, landmark_id: place, position: AT[place] },
    mind: { delivered: false },
  });
  const laidDown = decide(there);
  assert.deepEqual(laidDown.command, { kind: 'act', body: { kind: 'drop', item_id: 'apple-1' } });
  assert.equal(laidDown.after.delivered, true);
});

test('the agent does not answer an agent that has left earshot', () => {
  const wake = aWake('spoken_to', { from: 'bob', to: 'ada', text: 'Hello' });
  for (const position of [
    { x: 70, y: 2 },
    { x: 120, y: 120 },
  ]) {
    assert.notEqual(decide(situation({ others: [anAgent('bob', { position })], wake })).command.kind, 'answer');
  }
});

test('a new day starts with empty lists', () => {
  const mind = { day: 3, visited: ['cafe'], delivered: true };
  const seen = aSituation({ world: { time: { day: 4, minute: 700, phase: 'day' } }, mind });
  assert.deepEqual([seen.mind.day, seen.mind.visited, seen.mind.delivered], [4, [], false]);
});

test('an agent that is not in the world sees nothing', () => {
  assert.equal(
    perceive({ world: aWorld({ agents: [] }), standing: aStanding(), config: aConfig(), wake: null, mind: NEWBORN }),
    null,
  );
});
