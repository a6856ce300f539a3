import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SPEECH_TICKS } from '@hamlet/contract';
import type { DrawnAgent } from '@hamlet/core';
import { daylight } from './daylight.ts';
import { ADA, frame } from './drawn-agent.fixture.ts';
import { drawList, type FrameInput } from './draw-list.ts';
import { isMoving, pictureOf } from './picture.ts';

const shownAt = (change: Partial<FrameInput>, minute = 720) => {
  const input = frame(change);
  return { ...input, list: drawList(input), light: daylight(minute) };
};

test('a map on which nothing changes has the same picture at each tick, and each change has another one', () => {
  const first = pictureOf(shownAt({}));
  assert.equal(pictureOf(shownAt({ tick: 1001 })), first);
  const changes: readonly Partial<FrameInput>[] = [
    { agents: [{ ...ADA, x: 51 }] },
    { agents: [{ ...ADA, emote: 'wave' }] },
    { selected: 'ada' },
    { camera: { x: 51, y: 50, zoom: 32 } },
    { viewport: { ...frame().viewport, width: 900 } },
    { pins: [{ id: 'p', x: 50, y: 50, tone: 'draft' }] },
  ];
  for (const change of changes) assert.notEqual(pictureOf(shownAt(change)), first, JSON.stringify(change));
  assert.notEqual(pictureOf(shownAt({}, 1200)), first, 'the light');
});

test('a sleeper and busy hands have a new picture at each tick', () => {
  const changes: readonly Partial<FrameInput>[] = [
    { agents: [{ ...ADA, asleep: true }] },
    { hands: new Map([['ada', 'building']]) },
  ];
  for (const change of changes)
    assert.notEqual(pictureOf(shownAt(change)), pictureOf(shownAt({ ...change, tick: 1001 })));
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
