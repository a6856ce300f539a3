import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { figureOf, measureBrake, tableOf } from './figures.ts';
import type { Brake, Limits } from './measure.ts';

const LIMITS: Limits = { flowMs: 400, quietMs: 100, giveUpMs: 500, pauseMs: 5 };

/** An effect every 10 ms, which ends `delayMs` after the brake is pulled; null: it never ends. */
function fakeBrake(delayMs: number | null) {
  const seen = { pulls: 0, releases: 0 };
  const brake: Brake = {
    name: 'Fake',
    arm: async () => {
      let count = 0;
      const beat = setInterval(() => (count += 1), 10);
      return {
        effects: [{ name: 'beat', look: () => String(count) }],
        pull: async () => {
          seen.pulls += 1;
          if (delayMs !== null) setTimeout(() => clearInterval(beat), delayMs);
        },
        release: async () => {
          seen.releases += 1;
          clearInterval(beat);
        },
      };
    },
  };
  return { brake, seen };
}

test('a brake that holds has the times from the click to the last effect', async () => {
  const { brake, seen } = fakeBrake(60);
  const figure = await measureBrake(brake, { trials: 3, limits: LIMITS });
  assert.deepEqual([figure.held, figure.trials, figure.effects], [true, 3, 'beat']);
  assert.ok(figure.p50_ms >= 40 && figure.max_ms >= figure.p50_ms, JSON.stringify(figure));
  assert.deepEqual(seen, { pulls: 3, releases: 3 });
});

test('a brake that does not hold is reported as failed after one trial, and released', async () => {
  const { brake, seen } = fakeBrake(null);
  const figure = await measureBrake(brake, { trials: 5, limits: LIMITS });
  assert.deepEqual([figure.held, figure.trials], [false, 1]);
  assert.ok(figure.max_ms >= LIMITS.giveUpMs - LIMITS.quietMs);
  assert.deepEqual(seen, { pulls: 1, releases: 1 });
  assert.match(tableOf([figure]), /DOES NOT HOLD/);
});

test('a brake whose effects never begin is not measured, and not pulled', async () => {
  const { brake, seen } = fakeBrake(0);
  const still: Brake = {
    ...brake,
    arm: async () => ({ ...(await brake.arm()), effects: [{ name: 'packet', look: () => 'none' }] }),
  };
  await assert.rejects(measureBrake(still, { trials: 5, limits: LIMITS }), /not steady before the click: packet/);
  assert.deepEqual(seen, { pulls: 0, releases: 1 });
});

test('an effect whose look fails ends the trial with its error', async () => {
  const { brake, seen } = fakeBrake(0);
  const blind: Brake = {
    ...brake,
    arm: async () => ({
      ...(await brake.arm()),
      effects: [{ name: 'x', look: () => Promise.reject(new Error('gone')) }],
    }),
  };
  await assert.rejects(measureBrake(blind, { trials: 5, limits: LIMITS }), /gone/);
  assert.equal(seen.releases, 1);
});

test('a silence without an answered check proves nothing', async () => {
  const { brake, seen } = fakeBrake(null);
  const arm = async () => {
    const { effects, ...armed } = await brake.arm();
    const slow = effects.map(({ name, look }) => ({
      name,
      look: async () => {
        if (seen.pulls > 0) await sleep(LIMITS.quietMs * 3);
        return look();
      },
    }));
    return { ...armed, effects: slow };
  };
  assert.equal((await measureBrake({ ...brake, arm }, { trials: 1, limits: LIMITS })).held, false);
});

test('the median is the lower one of an even number of trials', () => {
  const trials = [40, 10, 30, 20].map((lastEffectMs) => ({ lastEffectMs, held: true }));
  const { p50_ms: p50, max_ms: max } = figureOf('Fake', ['beat'], trials);
  assert.deepEqual([p50, max], [20, 40]);
});
