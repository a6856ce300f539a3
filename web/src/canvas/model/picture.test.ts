import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SPEECH_TICKS } from '@hamlet/contract';
import type { DrawnAgent } from '@hamlet/core';
import { daylight } from './daylight.ts';
import { ADA, frame } from './drawn-agent.fixture.ts';
import { drawList, type FrameInput } from './draw-list.ts';
import { isLively, isMoving, pictureOf } from './picture.ts';

const shownAt = (change: Partial<FrameInput>, minute = 720) => {
  const input = frame(change);
  return { ...input, list: drawList(input), light: daylight(minute) };
};

test('a map on which nothing changes has the same picture at each tick, and each change has another one', () => {
  const first = pictureOf(shownAt({}), false);
  assert.equal(pictureOf(shownAt({ tick: 1001 }), false), first);
  const changes: readonly Partial<FrameInput>[] = [
    { agents: [{ ...ADA, x: 51 }] },
    { agents: [{ ...ADA, emote: 'wave' }] },
    { selected: 'ada' },
    { camera: { x: 51, y: 50, zoom: 32 } },
    { viewport: { ...frame().viewport, width: 900 } },
    { pins: [{ id: 'p', x: 50, y: 50, tone: 'draft' }] },
  ];
  for (const change of changes) assert.notEqual(pictureOf(shownAt(change), false), first, JSON.stringify(change));
  assert.notEqual(pictureOf(shownAt({}, 1200), false), first, 'the light');
});

test('a map at rest has a new picture only once its light has clearly changed', () => {
  const changed = (minute: number): boolean =>
    pictureOf(shownAt({}, minute), false) !== pictureOf(shownAt({}, 400), false);
  assert.deepEqual([404, 430].map(changed), [false, true]);
});

const ASLEEP: Partial<FrameInput> = { agents: [{ ...ADA, asleep: true }] };
const BUSY: Partial<FrameInput> = { hands: new Map([['ada', 'building']]) };

test('a sleeper has a new picture at each tick, busy hands at every fourth, and a calm map at none', () => {
  const changesLater = (change: Partial<FrameInput>, isCalm: boolean): readonly boolean[] =>
    [1001, 1004].map((tick) => pictureOf(shownAt({ ...change, tick }), isCalm) !== pictureOf(shownAt(change), isCalm));
  assert.deepEqual(
    [ASLEEP, BUSY].map((change) => [changesLater(change, false), changesLater(change, true)]),
    [
      [
        [true, true],
        [false, false],
      ],
      [
        [false, true],
        [false, false],
      ],
    ],
  );
});

test('a map is lively while words or an emote will disappear; unless it is calm, also while figures sleep or work', () => {
  const changes: readonly Partial<FrameInput>[] = [
    {},
    ASLEEP,
    BUSY,
    { agents: [{ ...ADA, emote: 'wave' }] },
    { agents: [{ ...ADA, speech: { text: 'Hello', tick: 1000 } }] },
  ];
  const lively = (isCalm: boolean) => changes.map((change) => isLively(shownAt(change).list, isCalm));
  assert.deepEqual(lively(false), [false, true, true, true, true]);
  assert.deepEqual(lively(true), [false, false, false, true, true]);
});

test('the map moves while an agent in sight walks or words fade, and not while words stand', () => {
  const moves = (change: Partial<DrawnAgent>): boolean => {
    const shown = shownAt({ agents: [{ ...ADA, ...change }] });
    return isMoving(shown, [{ ...ADA, ...change }]);
  };
  assert.deepEqual(
    [
      moves({}),
      moves({ moving: true }),
      moves({ moving: true, x: 5 }),
      moves({ speech: { text: 'Hello', tick: 1000 } }),
      moves({ speech: { text: 'Hello', tick: 1000 - SPEECH_TICKS + 5 } }),
    ],
    [false, true, false, false, true],
  );
});
