import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DrillFigure } from '@hamlet/contract';
import { drillSummary, withinLabel } from './drill-labels.ts';

const figure = (brake: string, max: number, held = true): DrillFigure => ({
  brake,
  effects: 'word',
  trials: 5,
  p50_ms: 10,
  max_ms: max,
  held,
});

test('a drill shows the slowest brake, or those that do not hold', () => {
  const figures = [figure('Kill of an agent', 420), figure('Stop of a run', 1_240)];
  assert.deepEqual([withinLabel(0), withinLabel(12)], ['at once', '12 ms']);
  assert.equal(drillSummary({ figures }), '2 brakes hold, each within 1.2 s');
  assert.equal(
    drillSummary({ figures: [...figures, figure('Freeze of the village', 20_000, false)] }),
    'Freeze of the village: does not hold',
  );
});
