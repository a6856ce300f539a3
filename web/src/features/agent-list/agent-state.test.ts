import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentDetail } from '../../client/agents/agent-detail.fixture.ts';
import { AgentRows } from '../../client/agents/rows.ts';
import { ADA } from '../../canvas/model/drawn-agent.fixture.ts';
import { doing, lifeState, populationOf } from './agent-state.ts';

const WHY = { ready: false, reason: 'Waiting', message: '' };
const AGENTS = [
  agentDetail('ada'),
  agentDetail('bob'),
  agentDetail('cleo', { power: 'Asleep' }),
  agentDetail('dan', { why: WHY }),
  agentDetail('eve', { standing: { ...agentDetail('eve').standing, frozen: true }, why: WHY }),
];

function words(agents: typeof AGENTS): string[] {
  const details = new Map(agents.map((agent) => [agent.agent_id, agent]));
  return populationOf(
    new AgentRows().update({ details, agents: [], goals: new Map(), hands: new Map(), landmarks: [], zones: [] }),
    details,
  ).map(({ tone, word, count }) => `${tone}: ${count} ${word}`);
}

test('agents are counted by state, each with its label', () => {
  assert.deepEqual(words(AGENTS), ['good: 2 online', 'sleep: 1 asleep', 'waiting: 1 not ready', 'bad: 1 restricted']);
});

test('the state and the sentence of an agent never contradict each other', () => {
  const detail = agentDetail('ada');
  const places = { goals: new Map(), hands: new Map(), landmarks: [], zones: [] };
  for (const online of [true, false]) {
    const agents = [{ ...ADA, online }];
    const [row] = new AgentRows().update({ details: new Map([['ada', detail]]), agents, ...places });
    assert.ok(row);
    const { word } = lifeState(row, detail);
    assert.deepEqual([word, /not connected/.test(doing(row))], [online ? 'Online' : 'Not connected', !online]);
  }
});

test('a state without agents is left out', () => {
  assert.deepEqual(words(AGENTS.slice(0, 2)), ['good: 2 online']);
  assert.deepEqual(words([]), []);
});
