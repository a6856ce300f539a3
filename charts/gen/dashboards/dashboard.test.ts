import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AGENTS_DASHBOARD } from './agents.ts';
import { grafanaOf, VILLAGE, type Dashboard, type Panel } from './dashboard.ts';
import { MONEY_DASHBOARD } from './money.ts';
import { NODES_DASHBOARD } from './nodes.ts';
import { VILLAGE_DASHBOARD } from './village.ts';

const ALL = [VILLAGE_DASHBOARD, AGENTS_DASHBOARD, MONEY_DASHBOARD, NODES_DASHBOARD];

interface Drawn {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig?: {
    readonly defaults: {
      readonly thresholds: { readonly steps: readonly { readonly color: string; readonly value: number | null }[] };
    };
  };
}

const drawn = (dashboard: Dashboard): readonly Drawn[] =>
  (grafanaOf(dashboard, 'made by a test') as { readonly panels: readonly Drawn[] }).panels;

/** The cells of the grid that a panel covers. */
const cellsOf = ({ gridPos: { x, y, w, h } }: Drawn): readonly string[] =>
  Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`);

test('dashboards have names of their own, and panels places of their own within 24 columns', () => {
  assert.equal(new Set(ALL.map(({ uid }) => uid)).size, ALL.length);
  for (const dashboard of ALL) {
    const panels = drawn(dashboard);
    for (const { title, gridPos } of panels) assert.ok(gridPos.x + gridPos.w <= 24, title);
    const cells = panels.flatMap(cellsOf);
    assert.equal(new Set(cells).size, cells.length, `panels of ${dashboard.uid} cover each other`);
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  }
});

test('each selector of the village has its namespace, so that a panel never mixes two villages', () => {
  for (const { rows } of ALL)
    for (const [, expression] of Object.values(rows).flatMap((panels) => panels.flatMap(({ queries }) => queries)))
      for (const [selector] of expression.matchAll(/\b(?:hamlet_|vllm:)\w+(\{[^}]*\})?/g))
        assert.ok(selector.includes(VILLAGE), expression);
});

test('limits colour a number from below and from above; without limits it has no colour', () => {
  const stepsOf = (limits: Partial<Panel>): unknown => {
    const panel: Panel = { title: 'one', shape: 'number', queries: [['one', 'up']], ...limits };
    const [, number] = drawn({ uid: 'test', title: 'Test', about: '', rows: { Now: [panel] } });
    return number?.fieldConfig?.defaults.thresholds.steps.map(({ color, value }) => [color, value]);
  };
  assert.deepEqual(stepsOf({}), [['text', null]]);
  assert.deepEqual(stepsOf({ redFrom: 2 }), [
    ['green', null],
    ['red', 2],
  ]);
  assert.deepEqual(stepsOf({ redBelow: 1, redFrom: 2 }), [
    ['red', null],
    ['green', 1],
    ['red', 2],
  ]);
});
