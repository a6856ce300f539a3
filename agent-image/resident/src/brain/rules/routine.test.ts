import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EARSHOT_TILES } from '@hamlet/contract/resident';
import type { AgentView, Landmark } from '@hamlet/contract';
import { aSituation, type Seen } from '../../testing/a-situation.ts';
import { anAgent, AT, LANDMARKS } from '../../testing/a-village.ts';
import { NEWBORN, type Mind } from '../mind.ts';
import type { Decision } from '../decision.ts';
import { followDayPlan, linger } from './routine.ts';

type Given = Seen & { affordances?: Landmark['affordances'] };

function lingers({ self, affordances = ['meet', 'sit'], ...given }: Given = {}): Decision {
  const landmarks = LANDMARKS.map((place): Landmark =>
    place.landmark_id === 'square' ? { ...place, affordances } : place,
  );
  const decided = linger(
    aSituation({ minute: 600, ...given, world: { landmarks }, self: { landmark_id: 'square', ...self } }),
  );
  assert.ok(decided !== null);
  return decided;
}

const kinds = (given: Given): readonly string[] =>
  Array.from({ length: 300 }, (_, index) => lingers({ ...given, tick: 7_000 + index })).map(({ command }) =>
    command.kind === 'act' ? command.body.kind : command.kind,
  );
const SIT = { kind: 'act', body: { kind: 'use', target: 'sit' } };

test('an agent on its way continues its walk', () => {
  const { command, why } = lingers({ self: { moving_to: { ...AT.cafe, landmark_id: 'cafe', arrives_tick: 9_000 } } });
  assert.deepEqual([command, why], [{ kind: 'stay' }, 'I am on my way']);
});

test('an idle agent without company takes a seat, and stays seated', () => {
  assert.deepEqual(lingers().command, SIT);
  const sitting = lingers({ self: { activity: 'sitting' } });
  assert.deepEqual([sitting.command, sitting.goal], [{ kind: 'stay' }, 'sitting at the square']);
});

test('the agent takes up a pastime of the place, but never one that yields an item', () => {
  assert.deepEqual(lingers({ affordances: ['rest', 'sit'] }).command, SIT, 'a seat before a bed');
  assert.deepEqual(lingers({ affordances: ['read', 'rest'] }).command, {
    kind: 'act',
    body: { kind: 'use', target: 'rest' },
  });
  for (const affordances of [
    [],
    ['coffee'],
    ['bread', 'fish', 'gather_wood', 'craft', 'tend', 'water', 'meet', 'board', 'sleep'],
  ] as const)
    assert.deepEqual(lingers({ affordances: [...affordances] }).command, { kind: 'stay' });
});

test('the agent does not retry a refused seat for a while, and never sits out of doors', () => {
  assert.deepEqual(lingers({ mind: { refused: { 'use:sit': 6_990 } } }).command, { kind: 'stay' });
  assert.deepEqual(lingers({ mind: { refused: { 'use:sit': 6_400 } } }).command, SIT);
  const outside = lingers({ self: { landmark_id: null } });
  assert.deepEqual([outside.command, outside.goal], [{ kind: 'stay' }, 'looking about']);
});

test('with others nearby the agent sometimes speaks or smiles; alone it never does', () => {
  const share = (all: readonly string[], kind: string) => all.filter((each) => each === kind).length / all.length;
  const near = kinds({ others: [anAgent('bob', { position: { x: AT.square.x + EARSHOT_TILES, y: AT.square.y } })] });
  assert.ok(share(near, 'talk') > 0.08 && share(near, 'talk') < 0.22, String(share(near, 'talk')));
  assert.ok(share(near, 'emote') > 0.08 && share(near, 'emote') < 0.22, String(share(near, 'emote')));
  for (const given of [
    {},
    { others: [anAgent('bob', { position: { x: AT.square.x + EARSHOT_TILES + 1, y: AT.square.y } })] },
  ]) {
    const all = kinds(given);
    assert.deepEqual([share(all, 'talk'), share(all, 'emote'), share(all, 'use')], [0, 0, 1]);
  }
});

test('the agent does not repeat a remark on the same day', () => {
  const company = { others: [anAgent('bob')] };
  const words = Array.from({ length: 300 }, (_, index) => lingers({ ...company, tick: 7_000 + index })).flatMap(
    ({ command, after }) =>
      command.kind === 'act' && command.body.kind === 'talk' ? [{ text: command.body.text, said: after.said }] : [],
  );
  assert.ok(words.length > 0 && words.every(({ text, said }) => said.includes(text)));
  const said = [...new Set(words.map(({ text }) => text))];
  assert.ok(
    kinds({ ...company, mind: { said } }).every((kind) => kind !== 'talk'),
    'all is said',
  );
});

test('the agent states the reason of a stop once a day, and keeps the stop on the way', () => {
  const decided = (mind: Mind, self: Partial<AgentView> = {}): Decision => {
    const world = { time: { day: 0, minute: 1_120, phase: 'evening' as const } };
    const decision = followDayPlan(aSituation({ world, self: { position: AT.library, ...self }, mind }));
    assert.ok(decision !== null);
    return decision;
  };
  const first = decided(NEWBORN);
  assert.deepEqual(first.command, { kind: 'move', body: { landmark_id: 'square' } });
  assert.equal(first.why, 'the village gathers there in the evening');
  const walking = decided(first.after, { moving_to: { ...AT.square, landmark_id: 'square', arrives_tick: 9_000 } });
  assert.deepEqual([walking.command, walking.why], [{ kind: 'stay' }, first.why]);
  const back = decided(first.after);
  assert.deepEqual([back.command, back.why], [first.command, 'that is where I want to be at this hour']);
});
