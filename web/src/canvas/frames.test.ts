import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Frames } from './frames.ts';

/** Frames whose `draw` returns these waits in turn; `repaint` is the browser's next repaint, false if none was requested. */
function started(context: TestContext, ...waits: number[]) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  let requested: ((nowMs: number) => void) | null = null;
  const browser = {
    requestAnimationFrame: (call: (nowMs: number) => void) => {
      requested = call;
      return 1;
    },
    cancelAnimationFrame: () => {
      requested = null;
    },
  };
  Object.assign(globalThis, browser);
  context.after(() => {
    for (const name of Object.keys(browser)) Reflect.deleteProperty(globalThis, name);
  });
  const frames = new Frames(() => waits.shift() ?? Infinity);
  const repaint = (): boolean => {
    const call = requested;
    requested = null;
    call?.(0);
    return call !== null;
  };
  return { frames, repaint, tick: (ms: number) => context.mock.timers.tick(ms) };
}

test('a frame that is due at once uses the next repaint; a later one sleeps until then', (context) => {
  const { frames, repaint, tick } = started(context, 0, 200, 0);
  frames.wake();
  assert.deepEqual([repaint(), repaint(), repaint()], [true, true, false]);
  tick(183);
  assert.equal(repaint(), false);
  tick(1);
  assert.equal(repaint(), true);
});

test('without a next frame only a wake draws; a wake ends a sleep, and a stop ends all', (context) => {
  const { frames, repaint, tick } = started(context, Infinity, 200, 200);
  frames.wake();
  assert.equal(repaint(), true);
  tick(60_000);
  assert.equal(repaint(), false);
  frames.wake();
  assert.equal(repaint(), true);
  frames.wake();
  assert.equal(repaint(), true);
  frames.stop();
  tick(60_000);
  assert.equal(repaint(), false);
});
