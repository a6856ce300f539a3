import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diceOf, seedOf } from '../../testing/dice.ts';
import type { HookContext } from './hooks.ts';
import { learnedRouter, type RouterState } from './learned-router.ts';
import type { Plugin } from './plugin.ts';

const CANDIDATES = ['full', 'quick', 'careful'];

type Router = Readonly<{
  choose: (task: string) => string;
  end: (task: string, pipeline: string, status?: HookContext<'after_task'>['status']) => void;
  state: () => RouterState | null;
}>;

function aRouter(state: unknown = null, seed = 7): Router {
  let saved: RouterState | null = null;
  const plugin: Plugin = learnedRouter({ id: 'router', seed, state, save: (next) => (saved = next) });
  return {
    choose: (task) =>
      plugin.route?.({ task, mode: null, tags: [], candidates: CANDIDATES }) ?? assert.fail('no choice'),
    end: (task, pipeline, status = 'completed') =>
      void plugin.hooks.after_task?.({ task, run: task, workflow: 'w', pipeline, status, output: null, code: null }),
    state: () => saved,
  };
}

test('the router tries every pipeline once, and then prefers the one that completes its tasks', () => {
  const seed = seedOf();
  const dice = diceOf(seed);
  const router = aRouter();
  const chances: Readonly<Record<string, number>> = { full: 0.3, quick: 0.9, careful: 0.3 };
  const counts = new Map<string, number>();
  const first: string[] = [];
  for (let number = 0; number < 1_000; number += 1) {
    const pipeline = router.choose(`t${number}`);
    if (number < 3) first.push(pipeline);
    counts.set(pipeline, (counts.get(pipeline) ?? 0) + 1);
    router.end(`t${number}`, pipeline, dice.chance(chances[pipeline] ?? 0) ? 'completed' : 'failed');
  }
  assert.deepEqual(first.toSorted(), CANDIDATES.toSorted());
  assert.ok((counts.get('quick') ?? 0) > 700, `seed ${seed}: ${JSON.stringify([...counts])}`);
});

test('the same state, seed and question give the same choice, even after the state was stored', () => {
  const router = aRouter();
  for (let number = 0; number < 50; number += 1) {
    const pipeline = router.choose(`t${number}`);
    router.end(`t${number}`, pipeline, number % 3 === 0 ? 'failed' : 'completed');
  }
  const state: unknown = JSON.parse(JSON.stringify(router.state()));
  assert.equal(aRouter(state).choose('next'), router.choose('next'));
  assert.equal(aRouter(state).choose('next'), aRouter(state).choose('other'));
});

test('the seed decides between pipelines of the same rank', () => {
  const choices = new Set([...Array(50).keys()].map((seed) => aRouter(null, seed).choose('t1')));
  assert.deepEqual([...choices].toSorted(), CANDIDATES.toSorted());
});

test('a cancelled task and one that the router did not choose teach nothing', () => {
  const router = aRouter();
  router.end('other', 'quick');
  const pipeline = router.choose('t1');
  router.end('t1', pipeline, 'cancelled');
  router.end('t1', pipeline, 'completed');
  assert.equal(router.state(), null);
});

test('a state of another form is refused', () => {
  for (const state of [
    {},
    { version: 2, pipelines: {} },
    { version: 1, pipelines: { a: { ended: -1, completed: 0 } } },
    'x',
  ])
    assert.throws(() => aRouter(state), { code: 'plugin_config' });
});
