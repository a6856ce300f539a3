import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SceneAgent } from '../canvas/model/scene.ts';
import { agentDetail } from './agent-detail.fixture.ts';
import { happeningsBetween, MAX_HAPPENINGS, withHappenings, type Happening } from './happenings.ts';
import { rowsOf } from './rows.ts';

const CAFE = { id: 'cafe', name: 'Café', kind: 'cafe', x: 10, y: 10, slots: [{ x: 11, y: 10 }] };
const ZONES = [
  { id: 'a', name: 'Old town', kind: 'public', x: 0, y: 0, width: 50, height: 50 },
  { id: 'b', name: 'Garden', kind: 'quiet', x: 20, y: 20, width: 5, height: 5 },
];
const ADA: SceneAgent = {
  id: 'ada',
  name: 'Ada',
  x: 11,
  y: 10,
  facing: 'south',
  moving: false,
  asleep: false,
  online: true,
  speech: null,
  emote: null,
  activity: 'idle',
  carried: [],
};

const rows = (
  agents: readonly SceneAgent[],
  goals = new Map<string, { x: number; y: number }>(),
): ReturnType<typeof rowsOf> => rowsOf({ details: new Map(), agents, goals, landmarks: [CAFE], zones: ZONES });

test('a place is the landmark on whose slot one stands, else the smallest zone, else nothing', () => {
  assert.equal(rows([ADA])[0]?.place, 'Café');
  assert.equal(rows([{ ...ADA, x: 21, y: 22 }])[0]?.place, 'Garden');
  assert.equal(rows([{ ...ADA, x: 30, y: 30 }])[0]?.place, 'Old town');
  assert.equal(rows([{ ...ADA, x: 90, y: 90 }])[0]?.place, null);
});

test('a walker says where to', () => {
  assert.equal(rows([{ ...ADA, moving: true }], new Map([['ada', { x: 11, y: 10 }]]))[0]?.heading, 'Café');
  assert.equal(rows([{ ...ADA, moving: true }], new Map([['ada', { x: 77, y: 10 }]]))[0]?.heading, null);
});

test('happenings: each change is told once, in words', () => {
  const at = { minute: 600, serial: 1 };
  const texts = (change: Partial<SceneAgent>, goals?: Map<string, { x: number; y: number }>): string[] =>
    happeningsBetween(rows([ADA]), rows([{ ...ADA, ...change }], goals), at).map((happening) => happening.text);
  assert.deepEqual(texts({}), []);
  assert.deepEqual(texts({ speech: { text: 'Hello', tick: 1 } }), ['“Hello”']);
  assert.deepEqual(texts({ asleep: true }), ['fell asleep']);
  assert.deepEqual(texts({ carried: ['apple'] }), ['took an apple']);
  assert.deepEqual(texts({ carried: ['wood'] }), ['took some wood']);
  assert.deepEqual(texts({ activity: 'drinking_coffee' }), ['is drinking coffee at Café']);
  assert.deepEqual(texts({ activity: 'walking', moving: true }, new Map([['ada', { x: 10, y: 10 }]])), [
    'is walking to Café',
  ]);
});

test('a newcomer is no happening of everything at once', () => {
  assert.deepEqual(happeningsBetween([], rows([ADA]), { minute: 0, serial: 1 }), []);
});

test('what an agent does again is one line, until it does something else; the list is bounded', () => {
  const line = (id: number, text: string, agentId = 'ada'): Happening => ({
    id: String(id),
    agentId,
    name: agentId,
    text,
    kind: 'activity',
    minute: id,
  });
  const sitting = [line(1, 'is sitting')];
  assert.equal(withHappenings(sitting, [line(2, 'is sitting')]), sitting);
  assert.deepEqual(
    withHappenings([line(2, 'is reading'), ...sitting], [line(3, 'is sitting')]).map(({ id }) => id),
    ['3', '2', '1'],
  );
  assert.deepEqual(
    withHappenings(sitting, [line(2, 'is sitting', 'bob')]).map(({ id }) => id),
    ['2', '1'],
  );
  assert.equal(
    withHappenings(
      Array.from({ length: MAX_HAPPENINGS }, (_, index) => line(index, `${index}`)),
      [line(99, 'new')],
    ).length,
    MAX_HAPPENINGS,
  );
});

test('somebody who leaves the view, or comes back into it, did nothing by that', () => {
  const details = new Map([
    ['ada', agentDetail('ada', { activity: 'reading', inventory: [{ item_id: 'apple-1', kind: 'apple' }] })],
  ]);
  const source = { details, goals: new Map<string, { x: number; y: number }>(), landmarks: [CAFE], zones: ZONES };
  const live = rowsOf({ ...source, agents: [{ ...ADA, speech: { text: 'Hello', tick: 1 } }] });
  const away = rowsOf({ ...source, agents: [] });
  assert.deepEqual([live[0]?.live, away[0]?.live], [true, false]);
  assert.deepEqual(happeningsBetween(live, away, { minute: 0, serial: 1 }), []);
  assert.deepEqual(happeningsBetween(away, live, { minute: 0, serial: 2 }), []);
});

test('rows that say the same are the same objects, and so is a list of them', () => {
  const agents = [ADA, { ...ADA, id: 'bob', name: 'Bob', x: 30, carried: ['wood'] }];
  const source = {
    details: new Map(),
    goals: new Map<string, { x: number; y: number }>(),
    landmarks: [CAFE],
    zones: ZONES,
  };
  const before = rowsOf({ ...source, agents });
  assert.equal(
    rowsOf({ ...source, agents: agents.map((agent) => ({ ...agent, carried: [...agent.carried] })) }, before),
    before,
  );
  const after = rowsOf(
    { ...source, agents: [ADA, { ...ADA, id: 'bob', name: 'Bob', x: 31, carried: ['wood'] }] },
    before,
  );
  assert.notEqual(after, before);
  assert.equal(after[0], before[0]);
  assert.equal(after[1]?.x, 31);
  assert.notEqual(
    rowsOf({ ...source, agents: [ADA, { ...ADA, id: 'bob', name: 'Bob', x: 30, carried: ['bread'] }] }, before)[1],
    before[1],
  );
  assert.equal(rowsOf({ ...source, agents: [ADA] }, before).length, 1);
});
