import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daylight, lightStep } from './daylight.ts';

const brightness = (tint: number): number => (tint >> 16) + ((tint >> 8) & 255) + (tint & 255);

test('noon is bright without lamps, midnight is dark with lamps', () => {
  assert.deepEqual(daylight(700).glow, 0);
  assert.ok(brightness(daylight(700).tint) > 750);
  assert.equal(daylight(0).glow, 1);
  assert.ok(brightness(daylight(0).tint) < 420);
});

test('light changes smoothly, also at midnight', () => {
  for (let minute = 0; minute < 1440; minute++) {
    const step = Math.abs(brightness(daylight(minute).tint) - brightness(daylight((minute + 1) % 1440).tint));
    assert.ok(step <= 12, `minute ${minute} jumps by ${step}`);
  }
});

test('the light of dusk stays for some minutes, so that a map at rest is seldom drawn', () => {
  const lights = Array.from({ length: 60 }, (_, minute) => JSON.stringify(daylight(1200 + minute)));
  assert.equal(new Set(lights).size, 15);
});

test('a day and a night have few steps of light, and none is large', () => {
  const minutes = Array.from({ length: 1441 }, (_, minute) => daylight(minute % 1440));
  const steps = minutes.map(lightStep);
  assert.equal(steps.filter((step, minute) => minute > 0 && step !== steps[minute - 1]).length, 30);
  const ofStep = Map.groupBy(minutes, lightStep);
  for (const lights of ofStep.values()) {
    const tints = lights.map(({ tint }) => brightness(tint));
    assert.ok(Math.max(...tints) - Math.min(...tints) <= 32, String(tints));
  }
});
