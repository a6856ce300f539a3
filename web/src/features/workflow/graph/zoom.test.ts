import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clampScale, firstScale, fittingScale, scrollAfter } from './zoom.ts';

const PICTURE = { width: 800, height: 400 };

test('a picture fits into its frame, and is never larger than itself', () => {
  assert.equal(fittingScale(PICTURE, { width: 400, height: 400 }), 0.5);
  assert.equal(fittingScale(PICTURE, { width: 800, height: 100 }), 0.25);
  assert.equal(fittingScale(PICTURE, { width: 4000, height: 4000 }), 1);
  assert.equal(fittingScale({ width: 1e6, height: 1e6 }, { width: 100, height: 100 }), clampScale(0));
});

test('a picture begins as wide as its frame while its words can be read', () => {
  assert.equal(firstScale(PICTURE, { width: 1600, height: 10 }), 1);
  assert.equal(firstScale(PICTURE, { width: 640, height: 10 }), 0.8);
  assert.equal(firstScale(PICTURE, { width: 80, height: 10 }), 0.6);
});

test('a change of the scale keeps the middle of the frame', () => {
  assert.equal(scrollAfter({ at: 300, frame: 200, before: 800, after: 1600 }), 700);
  assert.equal(scrollAfter({ at: 700, frame: 200, before: 1600, after: 800 }), 300);
  // A picture that was smaller than its frame grows from its middle.
  assert.equal(scrollAfter({ at: 0, frame: 400, before: 200, after: 800 }), 200);
  assert.equal(scrollAfter({ at: 0, frame: 400, before: 800, after: 200 }), 0);
});
