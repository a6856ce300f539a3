import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADA, frame } from './drawn-agent.fixture.ts';
import { drawList, type FrameInput, speechAlpha } from './draw-list.ts';
import type { HandsActivity } from '@hamlet/contract';
import type { DrawnAgent } from '@hamlet/core';

test('a figure has a badge while its agent uses its hands', () => {
  const badge = (hands: FrameInput['hands']) => drawList(frame({ hands })).figures[0]?.hands;
  assert.equal(badge(new Map([['ada', 'building']])), 'building');
  assert.equal(badge(new Map([['bob', 'building']])), null);
});

test('a figure never lies down while its agent works, and a suspended agent has no badge', () => {
  const drawn = (change: Partial<DrawnAgent>, hands: HandsActivity): unknown => {
    const agents = [{ ...ADA, ...change }];
    const { figures, names } = drawList(frame({ agents, hands: new Map([['ada', hands]]) }));
    return [figures[0]?.asleep, figures[0]?.hands, names[0]?.tone];
  };
  assert.deepEqual(drawn({ activity: 'sleeping' }, 'typing'), [false, 'typing', 'plain']);
  assert.deepEqual(drawn({ activity: 'sleeping' }, 'waiting'), [true, 'waiting', 'asleep']);
  assert.deepEqual(drawn({ asleep: true, online: false }, 'typing'), [true, null, 'asleep']);
});

test("a figure's feet are in its agent's tile", () => {
  const [figure] = drawList(frame()).figures;
  assert.equal(figure?.x, 416);
  assert.equal(Math.round(figure.y), 325);
});

test('a figure further south is drawn in front', () => {
  const agents = [
    { ...ADA, agentId: 'a', y: 52 },
    { ...ADA, agentId: 'b', y: 48 },
    { ...ADA, agentId: 'c', y: 50 },
  ];
  assert.deepEqual(
    drawList(frame({ agents })).figures.map((figure) => figure.id),
    ['b', 'c', 'a'],
  );
});

test('a crowd is drawn from north to south, also above the map, and agents of one row stay in their order', () => {
  const agents = Array.from({ length: 500 }, (_, index) => ({
    ...ADA,
    agentId: `a${index}`,
    y: ((index * 37) % 100) / 8 - 5,
  }));
  const visible = { x: 40, y: -6, width: 20, height: 20 };
  const drawn = drawList(frame({ agents, visible })).figures;
  const wanted = agents.toSorted((left, right) => left.y - right.y);
  assert.deepEqual(
    drawn.map(({ id }) => id),
    wanted.map(({ agentId }) => agentId),
  );
});

test('an agent outside the viewport is not drawn', () => {
  const list = drawList(frame({ agents: [{ ...ADA, x: 5 }] }));
  assert.deepEqual([list.figures, list.names, list.bubbles], [[], [], []]);
});

test('walking changes the legs, standing does not', () => {
  const steps = (moving: boolean): number[] =>
    [1000, 1002, 1004, 1006].map(
      (tick) => drawList(frame({ tick, agents: [{ ...ADA, moving }] })).figures[0]?.step ?? -1,
    );
  assert.deepEqual(steps(false), [0, 0, 0, 0]);
  assert.deepEqual(new Set(steps(true)), new Set([0, 1, 2]));
});

test('states differ in shape and name, not only in colour', () => {
  const cases: readonly (readonly [Partial<DrawnAgent>, { asleep: boolean; alpha: number; tone: string }])[] = [
    [{}, { asleep: false, alpha: 1, tone: 'plain' }],
    [
      { asleep: true, online: false },
      { asleep: true, alpha: 1, tone: 'asleep' },
    ],
    [{ activity: 'sleeping' }, { asleep: true, alpha: 1, tone: 'asleep' }],
    [{ online: false }, { asleep: false, alpha: 0.45, tone: 'offline' }],
  ];
  for (const [change, wanted] of cases) {
    const list = drawList(frame({ agents: [{ ...ADA, ...change }] }));
    assert.deepEqual(
      { asleep: list.figures[0]?.asleep, alpha: list.figures[0]?.alpha, tone: list.names[0]?.tone },
      wanted,
    );
  }
});

test('a figure shows its carried item and its emote; a lying figure shows no item', () => {
  const drawn = (change: Partial<DrawnAgent>): unknown => {
    const [figure] = drawList(frame({ agents: [{ ...ADA, ...change }] })).figures;
    return [figure?.carried, figure?.emote];
  };
  assert.deepEqual(drawn({}), [null, null]);
  assert.deepEqual(
    drawn({ inventory: ['bread-1', 'apple-2'], emote: 'wave' }),
    ['bread', 'wave'],
    'the first of several items',
  );
  assert.deepEqual(drawn({ inventory: ['bread-1'], activity: 'sleeping' }), [null, null]);
  assert.deepEqual(drawn({ inventory: ['bread-1'], asleep: true, online: false }), [null, null]);
});

test('speech fades out, and is not shown before its tick', () => {
  assert.equal(speechAlpha(1000, 1001), 0);
  assert.equal(speechAlpha(1000, 1000), 1);
  assert.ok(speechAlpha(1055, 1000) > 0 && speechAlpha(1055, 1000) < 1);
  assert.equal(speechAlpha(1060, 1000), 0);
});

test('overlapping bubbles merge, but the selected agent keeps its own', () => {
  const talking = ['a', 'b', 'c'].map((agentId, index) => ({
    ...ADA,
    agentId,
    name: agentId.toUpperCase(),
    x: 50 + index,
    speech: { text: 'hello', tick: 990 + index },
  }));
  const crowd = drawList(frame({ agents: talking })).bubbles;
  assert.deepEqual(
    crowd.map(({ text, count }) => ({ text, count })),
    [{ text: '3 agents are talking here', count: 3 }],
  );
  const chosen = drawList(frame({ agents: talking, selected: 'a' })).bubbles;
  assert.deepEqual(
    chosen.map(({ text, count }) => ({ text, count })),
    [{ text: 'A: hello', count: 3 }],
  );
  const apart = drawList(frame({ agents: talking.map((agent, index) => ({ ...agent, x: 42 + index * 6 })) })).bubbles;
  assert.equal(apart.length, 3);
});

test("names never overlap, and the selected agent's name is always shown", () => {
  const agents = Array.from({ length: 6 }, (_, index) => ({
    ...ADA,
    agentId: `a${index}`,
    name: 'Somebody',
    x: 50 + index * 0.2,
  }));
  const names = drawList(frame({ agents, selected: 'a5' })).names;
  assert.ok(names.length < 6);
  assert.ok(names.some((name) => name.id === 'a5' && name.selected));
});

test('at far zoom a crowd is drawn as dots, and a larger one as counts', () => {
  const crowd = (count: number): DrawnAgent[] =>
    Array.from({ length: count }, (_, index) => ({
      ...ADA,
      agentId: `a${index}`,
      x: index % 100,
      y: Math.floor(index / 100),
    }));
  const far = { camera: { x: 50, y: 30, zoom: 6 }, visible: { x: 0, y: 0, width: 128, height: 128 } };
  const dots = drawList(frame({ ...far, agents: crowd(500) }));
  assert.equal(dots.level, 'district');
  assert.ok(dots.figures.every((figure) => figure.dot));
  const counts = drawList(frame({ ...far, agents: crowd(3000), clusters: [{ x: 8, y: 8, count: 40 }] }));
  assert.equal(counts.level, 'far');
  assert.deepEqual([counts.figures.length, counts.clusters.length], [0, 1]);
});

test('homes show names only at close zoom, and a zone with the name of its place shows no label', () => {
  const landmarks = [
    { id: 'h', name: 'Elm Cottage', kind: 'home', x: 50, y: 50, slots: [] },
    { id: 'c', name: 'Café', kind: 'cafe', x: 45, y: 45, slots: [] },
  ];
  const zones = [{ id: 'z', name: 'Café', kind: 'work', x: 44, y: 44, width: 4, height: 4 }];
  const labelled = (zoom: number): string[] =>
    drawList(frame({ landmarks, zones, camera: { x: 50, y: 50, zoom } }))
      .landmarks.filter((landmark) => landmark.labelled)
      .map((landmark) => landmark.id);
  assert.deepEqual(labelled(12), ['c']);
  assert.deepEqual(labelled(32).sort(), ['c', 'h']);
  assert.equal(drawList(frame({ landmarks, zones, camera: { x: 50, y: 50, zoom: 12 } })).zones[0]?.labelAlpha, 0);
});
