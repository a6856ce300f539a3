import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeFrame } from '@hamlet/core';
import { adasMorning } from './recording.fixture.ts';

test('frames move the drawn agent, and each event is returned once', () => {
  const { world, until } = adasMorning();
  const ada = (tick: number): unknown => {
    const [agent] = world.at(tick).agents;
    return agent === undefined ? undefined : [agent.x, agent.moving, agent.activity, agent.speech?.text ?? null];
  };
  assert.deepEqual([until(100), ada(100)], [[], [0, false, 'idle', null]]);
  const walk = until(120);
  assert.deepEqual(ada(112), [0.5, true, 'walking', null]);
  const later = until(300);
  assert.deepEqual(ada(200), [8, false, 'sleeping', 'Hello']);
  assert.deepEqual(
    [...walk, ...later].map(({ kind, tick }) => `${kind} ${tick}`),
    ['walk 105', 'activity 150', 'speech 160', 'item 170', 'power 180'],
    'a path that arrives twice counts as one walk',
  );
});

test('a frame with only the clock changes nothing', () => {
  const { world, until } = adasMorning();
  until(300);
  const clock = { type: 'world_state', epoch: 1, tick: 310, seq: 310, urgent: false } as const;
  const received = [[{ kind: 'clock' }], [{ kind: 'despawn', agent: 0 }]] as const;
  assert.deepEqual(
    received.map((messages) => world.receive(encodeFrame({ ...clock, messages: [...messages] })).isChange),
    [false, true],
  );
});
