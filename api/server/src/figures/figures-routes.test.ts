/** The routes of figures, over HTTP, with figures that a collection left in Redis. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentFigures, GpuFigures, NodeFigures } from '@hamlet/contract';
import { untilEnd } from '@hamlet/test/env/at-end';
import { codeOf, refusalOf } from '@hamlet/test/env/client';
import { agentToken, clientOf, eventually, startOwnVillage, TOKENS } from '../testing/test-village.ts';
import { inTransaction, openDatabase, pauseAgents, putShortage } from '@hamlet/store';
import { openFiguresStore } from './figures-store.ts';

/** After the agents of the village are created. */
const AT = new Date(Date.now() + 60_000).toISOString();
const NODE: NodeFigures = {
  name: 'box1',
  ready: true,
  at: AT,
  problem: null,
  cpu: { cores: 20, used_cores: 3.5, pressure_percent: 12 },
  memory: { total_bytes: 100, available_bytes: 30, source: 'kernel', pressure_percent: 0 },
  disk: { total_bytes: 100, available_bytes: 30, pressure_percent: null },
  network: { received_per_s: 1, sent_per_s: null },
  temperature_celsius: 61.5,
  gpus: [],
  pods: 7,
  users: [{ kind: 'agent', name: 'ada', cpu_cores: 0.5, memory_bytes: 10 }],
};
const ADA: AgentFigures = {
  agent_id: 'ada',
  node: 'box1',
  at: AT,
  cpu_cores: 0.5,
  memory_bytes: 10,
  disk_bytes: 5,
  received_per_s: 1,
  sent_per_s: 2,
  gpu_percent: null,
};

const GPU: GpuFigures = {
  id: '0',
  model: null,
  busy_percent: 80,
  memory_used_bytes: null,
  memory_total_bytes: null,
  temperature_celsius: null,
  power_watts: null,
  agent_ids: [],
};
const IDLE_GPU: GpuFigures = { ...GPU, id: '1', busy_percent: null };

const village = untilEnd(await startOwnVillage('migrated'));
const { peopleUrl } = await village.startReplica();
const member = clientOf(peopleUrl, TOKENS.member);
const store = openFiguresStore(village.redis.url, { namespace: 'hamlet', log: () => undefined });

test('members read the figures of nodes and agents, and the last hour of one agent', async () => {
  assert.deepEqual((await member.listNodeFigures()).nodes, [], 'before the first collection');
  await eventually('Redis is connected', () =>
    store.write({ nodes: [NODE], agents: [{ ...ADA, at: '2001-01-01T00:00:00.000Z' }], meters: {} }).then(
      () => true,
      () => false,
    ),
  );
  await store.write({ nodes: [NODE], agents: [ADA], meters: {} });
  assert.deepEqual((await member.listNodeFigures()).nodes, [NODE]);
  assert.deepEqual((await member.listAgentFigures()).agents, [ADA]);
  const { agent_id: _id, node: _node, ...point } = ADA;
  assert.deepEqual(
    (await member.getAgentFigures({ agent_id: 'ada' })).points,
    [point],
    'a point from before the agent was created belongs to another agent of that name',
  );
});

test('members read the last hour of a node, without the times at which the api could not read it', async () => {
  const later = new Date(Date.parse(AT) + 30_000).toISOString();
  const problem = { reason: 'unreachable', fix: 'start its kubelet' } as const;
  await store.write({ nodes: [{ ...NODE, problem }], agents: [], meters: {} });
  await store.write({ nodes: [{ ...NODE, name: 'box3', at: later, gpus: [GPU, IDLE_GPU] }], agents: [], meters: {} });
  const point = {
    at: AT,
    cpu_cores: 3.5,
    memory_bytes: 70,
    disk_bytes: 70,
    received_per_s: 1,
    sent_per_s: null,
    gpu_percent: null,
    cpu_pressure_percent: 12,
    memory_pressure_percent: 0,
  };
  assert.deepEqual((await member.getNodeFigures({ node: 'box1' })).points, [point, point]);
  assert.deepEqual((await member.getNodeFigures({ node: 'box3' })).points, [{ ...point, at: later, gpu_percent: 80 }]);
  assert.deepEqual((await member.getNodeFigures({ node: 'unknown' })).points, []);
  assert.equal(await codeOf(member.getNodeFigures({ node: 'box1 *' })), 'validation_failed');
});

test('an agent that does not exist, visitors and agents are refused', async () => {
  assert.equal(await codeOf(member.getAgentFigures({ agent_id: 'nora' })), 'no_such_agent');
  for (const [token, reason] of [
    [undefined, 'unauthenticated'],
    [agentToken('ada'), 'forbidden'],
  ] as const)
    assert.equal(refusalOf(await clientOf(peopleUrl, token).raw.listNodeFigures()), reason);
});

test('members read which node is short of memory, and the agents that wait for it', async () => {
  const db = openDatabase({ url: village.postgres.url(), poolSize: 1, onError: () => undefined });
  const at = new Date('2026-11-30T09:00:00Z');
  const known = { node: 'box1', tightReadings: 2, steppedAt: at, easySince: null, readAt: at };
  await inTransaction(db, async (tx) => {
    await putShortage(tx, 'box1', { ...known, since: at });
    await putShortage(tx, 'box2', { ...known, node: 'box2', since: null, steppedAt: null });
    await pauseAgents(tx, 'box1', ['bob', 'ada']);
  });
  await db.destroy();
  const { shortages } = await member.listNodeFigures();
  assert.deepEqual(shortages, [{ node: 'box1', since: at.toISOString(), paused: ['ada', 'bob'] }]);
});

test('without Redis the figures are unavailable, with the reason', async () => {
  store.close();
  await village.redis.stop();
  const answer = await eventually('a refusal', async () => {
    const refused = await member.raw.listNodeFigures();
    return refused.ok ? null : refused.problem;
  });
  assert.equal(answer.code, 'unavailable');
  assert.match(answer.detail ?? '', /Redis, which keeps the figures/);
});
