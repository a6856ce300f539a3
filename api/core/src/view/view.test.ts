import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMOTE_TICKS, SPEECH_TICKS, TICKS_PER_TILE } from '@hamlet/contract';
import { terrainCode } from '../map/terrain.ts';
import { buildMap } from '../map/world-map.ts';
import {
  createView,
  type DrawnAgent,
  type SeenAgent,
  viewAgents,
  DRAW_BEHIND_TICKS,
  createClock,
  observeTick,
  tickAt,
} from './view.ts';
import { drawBelow } from '../bytes/prng.ts';

const map = buildMap({
  width: 16,
  height: 4,
  terrain: new Uint8Array(64).fill(terrainCode('grass')),
  landmarks: [],
  zones: [],
});

const standing: SeenAgent = {
  agent: 0,
  walk: { tiles: [3], startTick: 0, lead: 0 },
  before: null,
  awake: true,
  online: true,
  activity: null,
  emote: null,
  speech: null,
  inventory: [],
};

function drawn(seen: Partial<SeenAgent>, tick: number): DrawnAgent | undefined {
  const view = createView(map);
  view.agents.set(0, { ...standing, ...seen });
  return viewAgents(view, tick)[0];
}

test('an agent is drawn on its earlier walk up to the tick at which the newer one begins', () => {
  const before = { tiles: [0, 1, 2, 3], startTick: 0, lead: 0 };
  const turned = { before, walk: { tiles: [3, 19], startTick: 12, lead: 2 } };
  // A walk that begins during a step includes that step; at earlier ticks the agent is on its previous walk.
  assert.deepEqual(
    [12 - TICKS_PER_TILE - 1, 12 - TICKS_PER_TILE, 12, 16].map((tick) => [
      drawn(turned, tick)?.x,
      drawn(turned, tick)?.y,
    ]),
    [
      [1.75, 0],
      [2, 0],
      [3, 0],
      [3, 1],
    ],
  );
  const jumped = { ...turned, before: { tiles: [0], startTick: 0, lead: 0 } };
  assert.deepEqual(
    [12 - TICKS_PER_TILE - 1, 12 - TICKS_PER_TILE].map((tick) => drawn(jumped, tick)?.x),
    [0, 2],
    'the newer walk counts from the beginning of the step under way',
  );
  const halted = { before, walk: { tiles: [3], startTick: 12, lead: 0 } };
  assert.deepEqual(
    [11, 12].map((tick) => drawn(halted, tick)?.moving),
    [true, false],
  );
  const elsewhere = { before: { tiles: [0], startTick: 0, lead: 0 }, walk: { tiles: [5], startTick: 12, lead: 0 } };
  assert.deepEqual(
    [11, 12].map((tick) => drawn(elsewhere, tick)?.x),
    [0, 5],
    'the newer walk counts from its start',
  );
  assert.equal(drawn(halted, 11)?.x, 2.75, 'a walk without a step under way does not count before its start');
});

test('activity, speech and emote end at their tick', () => {
  const busy = { activity: { activity: 'fishing' as const, until_tick: 50 } };
  assert.deepEqual(
    [49, 50].map((tick) => drawn(busy, tick)?.activity),
    ['fishing', 'idle'],
  );
  const spoken = { speech: { text: 'Hello', tick: 10 } };
  assert.deepEqual(
    [9 + SPEECH_TICKS, 10 + SPEECH_TICKS].map((tick) => drawn(spoken, tick)?.speech?.text ?? null),
    ['Hello', null],
  );
  const waving = { emote: { emote: 'wave' as const, tick: 10 } };
  assert.deepEqual(
    [9 + EMOTE_TICKS, 10 + EMOTE_TICKS].map((tick) => drawn(waving, tick)?.emote),
    ['wave', null],
  );
  assert.equal(drawn({ ...busy, awake: false }, 10)?.activity, 'sleeping');
});

test('an agent that left the view is drawn until the tick at which it left, and never twice', () => {
  const view = createView(map);
  view.gone = [{ seen: standing, tick: 20 }];
  assert.deepEqual(
    [19, 20].map((tick) => viewAgents(view, tick).length),
    [1, 0],
  );
  view.agents.set(0, standing);
  assert.equal(viewAgents(view, 19).length, 1);
});

test('the drawn tick never goes back, stays close and moves smoothly, even if frames are late', () => {
  const clock = createClock();
  let drawn = 0;
  let last = -1;
  const startMs = 5000;
  for (let ms = 0; ms < 60_000; ms += 16) {
    // A frame arrives every half second, up to 180 ms late.
    if (Math.floor(ms / 500) !== Math.floor((ms - 16) / 500))
      observeTick(clock, 1000 + Math.floor((ms - drawBelow(180, 3, ms)) / 100), startMs + ms);
    const tick = tickAt(clock, startMs + ms);
    if (last >= 0) {
      assert.ok(tick >= last, 'monotone');
      assert.ok(tick - last <= 0.16 * 1.11, 'smooth');
    }
    last = tick;
    drawn += 1;
    if (ms > 5000)
      assert.ok(
        Math.abs(tick - (1000 + ms / 100 - DRAW_BEHIND_TICKS)) < 2.5,
        `close to the truth at ${ms} ms: ${tick}`,
      );
  }
  assert.ok(drawn > 0);
});

test('the drawn tick jumps after a tab slept and after the village restarted', () => {
  const clock = createClock();
  observeTick(clock, 100, 0);
  tickAt(clock, 16);
  observeTick(clock, 700, 60_000);
  assert.ok(Math.abs(tickAt(clock, 60_000) - (700 - DRAW_BEHIND_TICKS)) < 1);
  observeTick(clock, 5, 60_100);
  assert.ok(Math.abs(tickAt(clock, 60_100) - (5 - DRAW_BEHIND_TICKS)) < 1);
});
