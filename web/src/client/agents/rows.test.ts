import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row } from '../app-state.ts';
import type { DrawnAgent } from '@hamlet/core';
import { ADA as DRAWN } from '../../canvas/model/drawn-agent.fixture.ts';
import { agentDetail } from './agent-detail.fixture.ts';
import { AgentRows, type RowSource } from './rows.ts';

const CAFE = { id: 'cafe', name: 'Café', kind: 'cafe', x: 10, y: 10, slots: [{ x: 11, y: 10 }] };
const ZONES = [
  { id: 'a', name: 'Old town', kind: 'public', x: 0, y: 0, width: 50, height: 50 },
  { id: 'b', name: 'Garden', kind: 'quiet', x: 20, y: 20, width: 5, height: 5 },
];
const ADA: DrawnAgent = { ...DRAWN, x: 11, y: 10 };

const rowsOf = (source: RowSource): readonly Row[] => new AgentRows().update(source);
const SOURCE: RowSource = {
  details: new Map(),
  agents: [ADA],
  goals: new Map(),
  hands: new Map(),
  landmarks: [CAFE],
  zones: ZONES,
};
const rows = (agents: readonly DrawnAgent[], goals = SOURCE.goals): readonly Row[] =>
  rowsOf({ ...SOURCE, agents, goals });

test('a place is the landmark with a slot at the tile, else the smallest zone, else nothing', () => {
  assert.equal(rows([ADA])[0]?.place, 'Café');
  assert.equal(rows([{ ...ADA, x: 21, y: 22 }])[0]?.place, 'Garden');
  assert.equal(rows([{ ...ADA, x: 30, y: 30 }])[0]?.place, 'Old town');
  assert.equal(rows([{ ...ADA, x: 90, y: 90 }])[0]?.place, null);
});

test('the row of a walking agent has its destination', () => {
  assert.equal(rows([{ ...ADA, moving: true }], new Map([['ada', { x: 11, y: 10 }]]))[0]?.heading, 'Café');
  assert.equal(rows([{ ...ADA, moving: true }], new Map([['ada', { x: 77, y: 10 }]]))[0]?.heading, null);
});

test('a row shows the agent as in the frames, or as last reported by the API', () => {
  const details = new Map([
    ['ada', agentDetail('ada', { activity: 'reading', inventory: [{ item_id: 'apple-1', kind: 'apple' }] })],
  ]);
  const source = { ...SOURCE, details };
  const [live] = rowsOf({ ...source, agents: [{ ...ADA, speech: { text: 'Hello', tick: 1 } }] });
  const [away] = rowsOf({ ...source, agents: [] });
  assert.deepEqual([live?.activity, live?.speech, live?.carried], ['idle', 'Hello', []]);
  assert.deepEqual([away?.activity, away?.speech, away?.carried], ['reading', null, ['apple']]);
});

test('unchanged rows are the same objects, and so is an unchanged list', () => {
  const table = new AgentRows();
  const agents = [ADA, { ...ADA, agentId: 'bob', name: 'Bob', x: 30, inventory: ['wood-1'] }];
  const source = { ...SOURCE, details: new Map([['ada', agentDetail('ada')]]) };
  const before = table.update({ ...source, agents });
  const same = agents.map((agent) => ({ ...agent, inventory: [...agent.inventory] }));
  assert.equal(table.update({ ...source, agents: same }), before);
  const details = new Map([['ada', agentDetail('ada', { balance: '99' })]]);
  assert.equal(table.update({ ...source, details, agents }), before, 'no row shows a balance');
  const moved = table.update({
    ...source,
    agents: [ADA, { ...ADA, agentId: 'bob', name: 'Bob', x: 31, inventory: ['wood-1'] }],
  });
  assert.notEqual(moved, before);
  assert.deepEqual([moved[0] === before[0], moved[1]?.x], [true, 31]);
  const richer = table.update({
    ...source,
    agents: [ADA, { ...ADA, agentId: 'bob', name: 'Bob', x: 31, inventory: ['bread-1'] }],
  });
  assert.deepEqual(richer[1]?.carried, ['bread']);
  assert.deepEqual(
    table.update({ ...source, agents: [ADA] }).map(({ id }) => id),
    ['ada'],
  );
});

test('rows stay sorted by name when a name changes or one agent replaces another', () => {
  const table = new AgentRows();
  const names = (...agents: readonly (readonly [string, string])[]): string[] =>
    table
      .update({ ...SOURCE, agents: agents.map(([agentId, name]) => ({ ...ADA, agentId, name })) })
      .map(({ name }) => name);
  assert.deepEqual(names(['a', 'Ada'], ['b', 'Bob']), ['Ada', 'Bob']);
  assert.deepEqual(names(['a', 'Zoe'], ['b', 'Bob']), ['Bob', 'Zoe']);
  assert.deepEqual(names(['c', 'Cleo'], ['a', 'Zoe']), ['Cleo', 'Zoe']);
});

test('when landmarks change, every row gets its new place', () => {
  const table = new AgentRows();
  assert.equal(table.update({ ...SOURCE, landmarks: [], zones: [] })[0]?.place, null);
  assert.equal(table.update(SOURCE)[0]?.place, 'Café');
});

test('a row shows the activity of the hands, and is rebuilt when it changes', () => {
  const table = new AgentRows();
  const hands = (...entries: readonly (readonly [string, 'typing'])[]) =>
    table.update({ ...SOURCE, hands: new Map(entries) });
  assert.equal(hands()[0]?.hands, null);
  assert.equal(hands(['ada', 'typing'])[0]?.hands, 'typing');
  const agents = [{ ...ADA, asleep: true }];
  assert.equal(table.update({ ...SOURCE, agents, hands: new Map([['ada', 'typing']]) })[0]?.hands, null, 'asleep');
  assert.equal(hands()[0]?.hands, null);
});
