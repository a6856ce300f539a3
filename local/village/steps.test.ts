import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSteps, type Step } from './steps.ts';

/** Steps that record their start and end. `slow` ends when `quick` has ended. */
function steps(events: string[], quick: () => void): readonly Step[] {
  const { promise: quickIsOver, resolve } = Promise.withResolvers<void>();
  return [
    { name: 'first', work: async () => void events.push('first') },
    {
      name: 'quick',
      work: async () => {
        events.push('quick');
        setImmediate(resolve);
        quick();
      },
    },
    {
      name: 'slow',
      startsWith: 'first',
      work: async () => {
        events.push('slow begins');
        await quickIsOver;
        events.push('slow ends');
      },
    },
    { name: 'last', work: async () => void events.push('last') },
  ];
}

test('a step can start together with an earlier step, and later steps wait for its end', async () => {
  const events: string[] = [];
  await runSteps(
    'test',
    steps(events, () => undefined),
  );
  assert.deepEqual(events, ['first', 'slow begins', 'quick', 'slow ends', 'last']);
});

test('a failure is reported after the steps that started early have ended', async () => {
  const events: string[] = [];
  await assert.rejects(
    runSteps(
      'test',
      steps(events, () => {
        throw new Error('broken');
      }),
    ),
    /broken/,
  );
  assert.deepEqual(events, ['first', 'slow begins', 'quick', 'slow ends']);
});
