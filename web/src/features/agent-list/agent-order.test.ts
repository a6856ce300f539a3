import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentDetail } from '../../client/agents/agent-detail.fixture.ts';
import { AgentRows } from '../../client/agents/rows.ts';
import { type Order, orderedRows } from './agent-order.ts';

const BALANCES: Readonly<Record<string, string | null>> = { ada: '9.5', bob: '-3', cleo: '100', dan: null, eve: '9.5' };
const DETAILS = new Map(
  Object.entries(BALANCES).map(([id, balance]) => [
    id,
    agentDetail(id, { balance, node: id === 'bob' ? 'sparky2' : 'sparky1' }),
  ]),
);
const ROWS = new AgentRows().update({
  details: DETAILS,
  agents: [],
  goals: new Map(),
  hands: new Map(),
  landmarks: [],
  zones: [],
});
const ids = (order: Order, filter = ''): string[] => orderedRows(ROWS, DETAILS, { filter, order }).map(({ id }) => id);

test('balances are sorted as numbers, richest first; unknown balances are always last', () => {
  assert.deepEqual(ids('name'), ['ada', 'bob', 'cleo', 'dan', 'eve']);
  assert.deepEqual(ids('richest'), ['cleo', 'ada', 'eve', 'bob', 'dan']);
  assert.deepEqual(ids('poorest'), ['bob', 'ada', 'eve', 'cleo', 'dan']);
});

test('a filter finds names, places and nodes', () => {
  assert.deepEqual(ids('name', ' SPARKY2 '), ['bob']);
  assert.deepEqual(
    ids('richest', 'e'),
    ['cleo', 'ada', 'eve', 'bob', 'dan'].filter((id) => ids('name', 'e').includes(id)),
  );
  assert.deepEqual(ids('name', 'nobody like this'), []);
});
