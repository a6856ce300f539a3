import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInPlugin, type PluginStates } from './built-in-plugins.ts';

const NO_STATES: PluginStates = { load: () => null, save: () => {} };

test('a manifest opens the plugins of the engine by their names', () => {
  const prices = { m: { input: '1', output: '2' } };
  const cost = builtInPlugin({ id: 'cost', uses: 'cost_tracking', config: { prices } }, NO_STATES);
  assert.equal(cost?.costOf?.('m', { prompt: 1, completion: 1 }), 3);
  const saved = new Map<string, unknown>();
  const states: PluginStates = { load: (id) => saved.get(id) ?? null, save: (id, state) => void saved.set(id, state) };
  const router = builtInPlugin({ id: 'router', uses: 'learned_router', config: {} }, states);
  const chosen =
    router?.route?.({ task: 't1', mode: null, tags: [], candidates: ['a', 'b'] }) ?? assert.fail('no choice');
  void router?.hooks.after_task?.({
    task: 't1',
    run: 't1',
    workflow: 'w',
    pipeline: chosen,
    status: 'completed',
    output: null,
    code: null,
  });
  assert.deepEqual(saved.get('router'), { version: 1, pipelines: { [chosen]: { ended: 1, completed: 1 } } });
  const again = builtInPlugin({ id: 'router', uses: 'learned_router', config: {} }, states);
  assert.notEqual(again?.route?.({ task: 't2', mode: null, tags: [], candidates: ['a', 'b'] }), chosen);
});

test('a plugin that is not built in is refused as unknown, and so is a wrong config', () => {
  assert.equal(builtInPlugin({ id: 'a', uses: 'audit', config: {} }, NO_STATES), null);
  for (const uses of ['cost_tracking', 'learned_router'])
    assert.throws(() => builtInPlugin({ id: 'a', uses, config: { seed: 'x' } }, NO_STATES), { code: 'plugin_config' });
});
