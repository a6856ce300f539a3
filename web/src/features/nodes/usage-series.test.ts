import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentUsage } from '@hamlet/contract';
import { usageCharts, usageText, withGaps } from './usage-series.ts';

const START_MS = Date.parse('2026-11-30T01:00:00Z');
const point = (second: number, change: Partial<AgentUsage> = {}): AgentUsage => ({
  at: new Date(START_MS + second * 1_000).toISOString(),
  cpu_cores: null,
  memory_bytes: 1_024,
  disk_bytes: 0,
  received_per_s: 10,
  sent_per_s: null,
  gpu_percent: null,
  ...change,
});

test('a figure that nothing measures has no chart', () => {
  const titles = (points: readonly AgentUsage[]) => usageCharts(points).map(({ title }) => title);
  assert.deepEqual(titles([point(0)]), ['Memory', 'Disk', 'Network']);
  assert.deepEqual(titles([point(0, { cpu_cores: 0, gpu_percent: 5 })]), [
    'Processor',
    'Memory',
    'Disk',
    'Network',
    'GPU',
  ]);
  assert.deepEqual(titles([]), []);
});

test('the text of a chart has its last and its largest value', () => {
  const [cpu, , , network] = usageCharts([point(0, { cpu_cores: 1.5 }), point(15, { cpu_cores: 0.25 }), point(30)]);
  assert.ok(cpu !== undefined && network !== undefined);
  assert.equal(usageText(cpu), 'In use now 0.25 cores, at most 1.5 cores');
  assert.equal(usageText(network), 'Received now 10 B/s, at most 10 B/s; Sent: not known');
});

test('a line stops in a gap', () => {
  const points = [point(0), point(15), point(100, { memory_bytes: 5 })];
  const [memory] = usageCharts(points);
  assert.ok(memory !== undefined);
  const [times, values] = withGaps(points, memory);
  assert.deepEqual(
    times.map((time) => time - START_MS / 1_000),
    [0, 15, 16, 100],
  );
  assert.deepEqual(values, [1_024, 1_024, null, 5]);
});
