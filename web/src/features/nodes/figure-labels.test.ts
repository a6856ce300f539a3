import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GpuFigures, NodeFigures } from '@hamlet/contract';
import { bytesLabel, coresLabel, findingsOf, networkLabel, usedBytes } from './figure-labels.ts';

const GIB = 2 ** 30;
const CALM: NodeFigures = {
  name: 'sparky1',
  ready: true,
  at: null,
  problem: null,
  cpu: { cores: 20, used_cores: 2, pressure_percent: 0 },
  memory: { total_bytes: 120 * GIB, available_bytes: 40 * GIB, source: 'kernel', pressure_percent: 0 },
  disk: { total_bytes: 100, available_bytes: 50, pressure_percent: null },
  network: { received_per_s: null, sent_per_s: null },
  temperature_celsius: null,
  gpus: [],
  pods: 0,
  users: [{ kind: 'namespace', name: 'models', cpu_cores: null, memory_bytes: 80 * GIB }],
};
const GPU: GpuFigures = {
  id: '0',
  model: null,
  busy_percent: 99,
  memory_used_bytes: null,
  memory_total_bytes: null,
  temperature_celsius: 88.4,
  power_watts: null,
  agent_ids: [],
};

test('bytes and cores have labels', () => {
  assert.deepEqual([0, 1_023, 1_024, 1_536, 10 * 2 ** 20, 1.25 * GIB, 9.96 * GIB, 3_000 * GIB].map(bytesLabel), [
    '0 B',
    '1023 B',
    '1.0 KiB',
    '1.5 KiB',
    '10 MiB',
    '1.3 GiB',
    '10 GiB',
    '2.9 TiB',
  ]);
  assert.deepEqual([0, 0.254, 1, 12.4].map(coresLabel), ['0 cores', '0.25 cores', '1 core', '12 cores']);
  assert.equal(usedBytes({ total_bytes: 5, available_bytes: null }), null);
});

test('a network is one line, with the rates that something measures', () => {
  const label = (received: number | null, sent: number | null): string =>
    networkLabel({ received_per_s: received, sent_per_s: sent });
  assert.equal(label(9_216, 512), '9.0 KiB/s received, 512 B/s sent');
  assert.equal(label(null, 512), '512 B/s sent');
  assert.equal(label(null, null), 'Not known');
});

const FINDINGS: readonly [name: string, node: Partial<NodeFigures>, texts: readonly RegExp[]][] = [
  ['a calm node', {}, [/^Nothing is short$/]],
  [
    'memory that work waits for',
    { memory: { ...CALM.memory, pressure_percent: 31.6 } },
    [/^Work waited for memory in 32 % of the last minute; the namespace models uses the most, 80 GiB$/],
  ],
  [
    'an agent that uses the most',
    {
      memory: { ...CALM.memory, pressure_percent: 20 },
      users: [{ kind: 'agent', name: 'hugo', memory_bytes: GIB, cpu_cores: null }],
    },
    [/; Hugo uses the most, 1\.0 GiB$/],
  ],
  [
    'little memory',
    { memory: { ...CALM.memory, available_bytes: 5 * GIB }, users: [] },
    [/^Only 5.0 GiB of memory is left$/],
  ],
  ['memory that is not known', { memory: { ...CALM.memory, available_bytes: null } }, [/^Nothing/]],
  [
    'memory that is short in both ways',
    { memory: { ...CALM.memory, available_bytes: 5 * GIB, pressure_percent: 40 } },
    [/^Work waited for memory.*80 GiB$/, /^Only 5.0 GiB of memory is left$/],
  ],
  ['a busy processor', { cpu: { ...CALM.cpu, pressure_percent: 25 } }, [/^Work waited for the processor in 25 %/]],
  [
    'a slow and full disk',
    { disk: { total_bytes: 100, available_bytes: 9, pressure_percent: 60 } },
    [/^Work waited for the disk in 60 %/, /^Only 9 B of the disk is left$/],
  ],
  ['a hot GPU', { gpus: [GPU] }, [/^The GPU is at 88 °C/]],
  [
    'a node that is lost',
    { ready: false, problem: { reason: 'unreachable', fix: 'Check the node' } },
    [/^The node is not ready/, /^Check the node$/],
  ],
];
for (const [name, node, texts] of FINDINGS)
  test(`says what is short on ${name}`, () => {
    const found = findingsOf({ ...CALM, ...node }, (id) => (id === 'hugo' ? 'Hugo' : id));
    assert.equal(found.length, texts.length);
    texts.forEach((text, at) => void assert.match(found[at]?.text ?? '', text));
  });
