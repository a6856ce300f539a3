import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentFigures, NodeFigures, NodeUsage } from '@hamlet/contract';
import { Failure } from '../../command.ts';
import { hourTable } from './hour-table.ts';
import { topAct } from './top.ts';
import { agentsTable, nodesTable } from './top-tables.ts';

const AT = '2026-11-30T01:00:00.000Z';
const MIB = 2 ** 20;
const agent = (agentId: string, change: Partial<AgentFigures>): AgentFigures => ({
  agent_id: agentId,
  node: 'sparky1',
  at: AT,
  cpu_cores: null,
  memory_bytes: 100 * MIB,
  disk_bytes: 7 * MIB,
  received_per_s: null,
  sent_per_s: 2_048,
  gpu_percent: null,
  ...change,
});
const AGENTS = [
  agent('ada', { cpu_cores: 0.25, memory_bytes: 300 * MIB }),
  agent('bob', { cpu_cores: 1.5, gpu_percent: 40 }),
  agent('cleo', { received_per_s: 1_000_000 }),
];
const NODE: NodeFigures = {
  name: 'sparky1',
  ready: true,
  at: AT,
  problem: null,
  cpu: { cores: 20, used_cores: 5, pressure_percent: 12.4 },
  memory: { total_bytes: 1_000 * MIB, available_bytes: 250 * MIB, source: 'kernel', pressure_percent: 0 },
  disk: { total_bytes: null, available_bytes: null, pressure_percent: null },
  network: { received_per_s: null, sent_per_s: null },
  temperature_celsius: 55,
  gpus: [
    {
      id: '0',
      model: null,
      busy_percent: 90,
      memory_used_bytes: null,
      memory_total_bytes: null,
      temperature_celsius: 71.6,
      power_watts: 99.5,
      agent_ids: [],
    },
  ],
  pods: 4,
  users: [],
};
const order = (text: string): readonly string[] =>
  text
    .split('\n')
    .slice(1)
    .map((line) => line.split(' ')[0] ?? '');

test('the table of agents has one line for each, in the chosen order', () => {
  assert.equal(
    agentsTable(AGENTS.slice(0, 2), 'cpu'),
    [
      'AGENT   NODE      CPU     MEMORY   DISK   RECEIVED   SENT    GPU',
      'bob     sparky1   1500m   100Mi    7Mi    -          2Ki/s   40%',
      'ada     sparky1   250m    300Mi    7Mi    -          2Ki/s   -',
    ].join('\n'),
  );
  assert.deepEqual(order(agentsTable(AGENTS, 'memory')), ['ada', 'bob', 'cleo']);
  assert.deepEqual(order(agentsTable(AGENTS, 'network')), ['cleo', 'ada', 'bob']);
  assert.deepEqual(order(agentsTable(AGENTS.toReversed(), 'name')), ['ada', 'bob', 'cleo']);
  assert.match(agentsTable([], 'cpu'), /^no figures/);
});

test('the table of nodes has pressure, heat and power, and the reason of a failed reading', () => {
  assert.equal(
    nodesTable([NODE], 'cpu'),
    [
      'NODE      STATE   CPU     CPU%   MEMORY   MEMORY%   FREE    WAITS(CPU/MEM/IO)   GPU   HEAT   POWER   PODS',
      'sparky1   Ready   5000m   25%    750Mi    75%       250Mi   12%/0%/-            90%   72C    100W    4',
    ].join('\n'),
  );
  const lost: NodeFigures = { ...NODE, name: 'sparky2', problem: { reason: 'untrusted', fix: 'x' } };
  assert.match(nodesTable([lost], 'name'), /^sparky2 {3}untrusted/m);
  assert.match(nodesTable([{ ...NODE, ready: false, gpus: [] }], 'gpu'), /NotReady.* 55C {4}- /);
});

test('the command line names nodes or agents, and a field to sort by', () => {
  assert.deepEqual(topAct({ names: [], flags: {} }), { kind: 'agents', order: 'cpu' });
  assert.deepEqual(topAct({ names: ['nodes'], flags: { sort: 'memory' } }), { kind: 'nodes', order: 'memory' });
  for (const [names, sort] of [
    [['pods'], 'cpu'],
    [['nodes'], 'disk'],
    [['agents'], 'constructor'],
  ] as const)
    assert.throws(
      () => topAct({ names, flags: { sort } }),
      (error) => error instanceof Failure && error.exitCode === 2,
    );
});

test('the last hour of a node has a bar for five minutes, and a space where nothing was read', () => {
  const reading = (minute: number, change: Partial<NodeUsage>): NodeUsage => ({
    at: new Date(Date.parse(AT) + minute * 60_000).toISOString(),
    cpu_cores: null,
    memory_bytes: null,
    disk_bytes: null,
    received_per_s: null,
    sent_per_s: null,
    gpu_percent: null,
    cpu_pressure_percent: null,
    memory_pressure_percent: null,
    ...change,
  });
  const points = [
    reading(1, { cpu_cores: 1 }),
    reading(3, { cpu_cores: 7 }),
    reading(30, { cpu_cores: 3.5, memory_bytes: 5 * MIB }),
    reading(59, { cpu_cores: 0 }),
  ];
  assert.equal(
    hourTable([{ node: 'sparky1', points }], Date.parse(AT) + 60 * 60_000),
    [
      'NODE      FIGURE   LAST HOUR        LAST   MOST',
      'sparky1   cpu      |█    ▅     ▁|   0m     7000m',
      'sparky1   memory   |     █      |   5Mi    5Mi',
    ].join('\n'),
  );
});

test('only nodes have a last hour', () => {
  assert.deepEqual(topAct({ names: ['nodes'], flags: { hour: true } }), { kind: 'hour' });
  assert.throws(() => topAct({ names: [], flags: { hour: true } }), Failure);
});
