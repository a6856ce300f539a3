import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentView } from '@hamlet/contract';
import { aSituation } from '../../testing/a-situation.ts';
import { AT } from '../../testing/a-village.ts';
import { NEWBORN, type Advice } from '../mind.ts';
import type { Situation } from '../situation.ts';
import { ADVICE_TICKS, adviceIn, followAdvice } from './advice.ts';

const situation = (advice: Advice | null, self: Partial<AgentView> = {}): Situation =>
  aSituation({ tick: 10_000, self, mind: { board: { ...NEWBORN.board, advice } } });

const ADVICE: Advice = { landmarkId: 'library', use: false, from: 'Grace', tick: 10_000 - ADVICE_TICKS };

test('text that names a place is advice to go to the first place it names, and to use it if the text says so', () => {
  const advice = (body: string) => adviceIn(situation(null), { author_name: 'Grace', body });
  assert.deepEqual(advice('Go to the library.'), { landmarkId: 'library', use: false, from: 'Grace', tick: 10_000 });
  assert.deepEqual(advice('Have coffee at the cafe, then go to the library.'), {
    landmarkId: 'cafe',
    use: true,
    from: 'Grace',
    tick: 10_000,
  });
  assert.deepEqual(advice('Say "hello". Go to the market.')?.landmarkId, 'market');
  for (const body of ['How are you?', 'Look around.', 'Go to the moon.', '{"go":"library"}'])
    assert.equal(advice(body), null, body);
  assert.equal(adviceIn(situation(null), { author_name: 'x'.repeat(99), body: 'Go home.' })?.from.length, 64);
});

test('the agent follows advice until it expires, and only if the place exists', () => {
  assert.deepEqual(followAdvice(situation(ADVICE))?.command, { kind: 'move', body: { landmark_id: 'library' } });
  assert.equal(followAdvice(situation({ ...ADVICE, tick: ADVICE.tick - 1 })), null);
  assert.equal(followAdvice(situation({ ...ADVICE, landmarkId: 'moon' })), null);
  assert.equal(followAdvice(situation(null)), null);
});

test('the agent finishes its walk, follows the advice at the place, and then drops it', () => {
  assert.deepEqual(
    followAdvice(situation(ADVICE, { moving_to: { ...AT.library, landmark_id: 'library', arrives_tick: 11_000 } }))
      ?.command,
    { kind: 'stay' },
  );
  const there = { landmark_id: 'library', position: AT.library };
  const smiled = followAdvice(situation(ADVICE, there));
  assert.deepEqual(
    [smiled?.command, smiled?.after.board.advice, smiled?.goal],
    [{ kind: 'act', body: { kind: 'emote', emote: 'smile' } }, null, 'spending time at the library'],
  );
  assert.deepEqual(followAdvice(situation({ ...ADVICE, use: true }, there))?.command, {
    kind: 'act',
    body: { kind: 'use', target: 'read' },
  });
});
