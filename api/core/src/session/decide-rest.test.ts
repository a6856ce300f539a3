import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideRest, type RestFacts } from './decide-session.ts';

const AWAKE: RestFacts = {
  power: 'Awake',
  idle: false,
  wake: 'OnMessage',
  idleSleepAfterMs: 1_000,
  held: false,
  work: null,
  activeAtMs: 4_000,
  addressedAtMs: null,
  asleepSinceMs: null,
  nowMs: 5_000,
};
const ASLEEP: RestFacts = { ...AWAKE, power: 'Asleep', idle: true, asleepSinceMs: 4_500 };

test('an idle agent sleeps at its time, unless it works, a measure holds, or it never sleeps', () => {
  const cases: readonly (readonly [Partial<RestFacts>, string])[] = [
    [{}, 'sleep'],
    [{ activeAtMs: 4_001 }, 'stay'],
    [{ activeAtMs: null }, 'stay'],
    [{ idleSleepAfterMs: null }, 'stay'],
    [{ work: 'message' }, 'stay'],
    [{ work: 'other' }, 'stay'],
    [{ held: true }, 'stay'],
  ];
  for (const [changes, verdict] of cases) assert.equal(decideRest({ ...AWAKE, ...changes }), verdict);
});

test('work and words on the board awaken an agent that idles; nothing awakens one that a person suspended', () => {
  const cases: readonly (readonly [Partial<RestFacts>, string])[] = [
    [{}, 'stay'],
    [{ work: 'message' }, 'wake'],
    [{ work: 'other' }, 'wake'],
    [{ work: 'message', wake: 'Never' }, 'stay'],
    [{ work: 'other', wake: 'Never' }, 'wake'],
    [{ addressedAtMs: 4_501 }, 'wake'],
    [{ addressedAtMs: 4_500 }, 'stay'],
    [{ addressedAtMs: 4_501, asleepSinceMs: null }, 'stay'],
    [{ work: 'message', idle: false }, 'stay'],
    [{ work: 'other', held: true }, 'stay'],
  ];
  for (const [changes, verdict] of cases) assert.equal(decideRest({ ...ASLEEP, ...changes }), verdict);
});
