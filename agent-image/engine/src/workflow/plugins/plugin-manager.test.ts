import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClockPort } from '../../loop/ports.ts';
import { SYSTEM_CLOCK } from '../../loop/system-clock.ts';
import { HOOKS, HOOKS_VERSION, type Hook, type HookContext } from './hooks.ts';
import { createPluginManager, type PluginManager } from './plugin-manager.ts';
import type { Plugin, PluginError } from './plugin.ts';

const TASK = { task: 't1', run: 'r1', workflow: 'review', pipeline: 'default' };
const STAGE = { task: 't1', run: 'r1', stage: 'judge', role: 'agent', attempt: 1, round: 1 } as const;
const AGENT = { task: 't1', run: 'r2', stage: 'judge', agent: 'critic', model: 'fast' };
const TOOL = {
  task: 't1',
  run: 'r2',
  stage: 'judge',
  agent: 'critic',
  call: '1.0',
  tool: 'read',
  effect: 'read',
  attempt: 1,
  arguments: { path: 'a.ts' },
} as const;
const FAILURE = {
  taskId: 't1',
  pipelineId: 'default',
  stageId: 'judge',
  nodeType: 'agent',
  category: 'tool',
  code: 'failed',
} as const;

const CONTEXTS: { readonly [H in Hook]: HookContext<H> } = {
  before_task: { ...TASK, mode: null, tags: [], input: { deep: { list: [1] } } },
  after_task: { ...TASK, status: 'completed', output: 'done', code: null },
  before_stage: { ...STAGE, input: 1 },
  after_stage: { ...STAGE, output: 2, failure: null },
  before_agent: { ...AGENT, input: 'Judge.' },
  after_agent: { ...AGENT, outcome: 'done', output: 'good', tokens: 15 },
  before_tool: TOOL,
  after_tool: { ...TOOL, outcome: 'ok', text: 'export' },
  on_error: { task: 't1', run: 'r1', where: 'tool', failure: FAILURE, message: 'It failed.' },
  on_completion: { ...TASK, output: 'done' },
};
const ALL = Object.keys(HOOKS) as readonly Hook[];

type Report = Readonly<{ run: string; where: string; error: PluginError }>;
type Managed = Readonly<{ manager: PluginManager; reports: Report[] }>;

function managed(plugins: readonly Plugin[], clock: Pick<ClockPort, 'after'> = SYSTEM_CLOCK): Managed {
  const reports: Report[] = [];
  const manager = createPluginManager({ clock, report: (problem) => void reports.push(problem) });
  for (const plugin of plugins) manager.register(plugin);
  return { manager, reports };
}

const aPlugin = (id: string, hooks: Plugin['hooks'] = {}, fields: Partial<Plugin> = {}): Plugin => ({
  id,
  hooksVersion: HOOKS_VERSION,
  hooks,
  ...fields,
});

const everywhere = (id: string, handle: (hook: Hook, context: unknown) => never | unknown): Plugin =>
  aPlugin(id, Object.fromEntries(ALL.map((hook) => [hook, (context: unknown) => handle(hook, context)])));

const emitAll = async (manager: PluginManager): Promise<readonly (string | null)[]> => {
  const answers: (string | null)[] = [];
  for (const hook of ALL) answers.push((await manager.emit(hook, CONTEXTS[hook])).vetoed);
  return answers;
};

test('plugins run one after the other, in the order of their registration, at every hook', async () => {
  const log: string[] = [];
  const logger = (id: string, waitMs: number): Plugin =>
    everywhere(id, async (hook) => {
      log.push(`${id} ${hook} begins`);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      log.push(`${id} ${hook} ends`);
    });
  const { manager, reports } = managed([logger('slow', 2), logger('fast', 0)]);
  assert.deepEqual(
    await emitAll(manager),
    ALL.map(() => null),
  );
  assert.deepEqual(
    log,
    ALL.flatMap((hook) => ['slow', 'fast'].flatMap((id) => [`${id} ${hook} begins`, `${id} ${hook} ends`])),
  );
  assert.deepEqual(reports, []);
});

test('every hook gets its payload', async () => {
  const seen: unknown[] = [];
  const { manager } = managed([everywhere('observer', (hook, context) => void seen.push([hook, context]))]);
  await emitAll(manager);
  assert.deepEqual(seen, Object.entries(CONTEXTS));
  for (const hook of ALL) assert.deepEqual(HOOKS[hook].payload.strict().parse(CONTEXTS[hook]), CONTEXTS[hook]);
});

test('a plugin that fails at a hook is reported, and others run', async () => {
  const later: Hook[] = [];
  const failing = [
    everywhere('throws', () => {
      throw new Error('broken');
    }),
    everywhere('rejects', async () => Promise.reject(new Error('broken too'))),
    everywhere('throws_text', () => {
      throw 'words';
    }),
  ];
  const { manager, reports } = managed([...failing, everywhere('later', (hook) => void later.push(hook))]);
  assert.deepEqual(
    await emitAll(manager),
    ALL.map(() => null),
  );
  assert.deepEqual(later, ALL);
  assert.equal(reports.length, 3 * ALL.length);
  assert.deepEqual(
    [...new Set(reports.map(({ where, error }) => `${where} ${error.code}`))],
    ['plugin throws plugin_failed', 'plugin rejects plugin_failed', 'plugin throws_text plugin_failed'],
  );
  assert.equal(reports[0]?.error.message, 'The plugin throws failed at before_task: broken');
});

test('a plugin that fails at on_error is not called with its own failure', async () => {
  let called = 0;
  const { manager, reports } = managed([
    aPlugin('broken', {
      on_error: () => {
        called += 1;
        throw new Error('broken');
      },
    }),
  ]);
  await manager.emit('on_error', CONTEXTS.on_error);
  const [{ error } = assert.fail('no report')] = reports;
  await manager.emit('on_error', {
    ...CONTEXTS.on_error,
    failure: { ...FAILURE, category: 'engine', code: error.code },
  });
  assert.deepEqual([called, reports.length], [1, 1]);
});

test('a plugin that takes too long at a hook is reported, its late veto has no effect, and others run', async () => {
  const later: Hook[] = [];
  const limits: number[] = [];
  const clock: Pick<ClockPort, 'after'> = {
    after: (ms, run) => {
      limits.push(ms);
      return SYSTEM_CLOCK.after(1, run);
    },
  };
  const gate = Promise.withResolvers<void>();
  const slow = everywhere('slow', async () => {
    await gate.promise;
    return { veto: 'too late' };
  });
  const { manager, reports } = managed([slow, everywhere('later', (hook) => void later.push(hook))], clock);
  assert.deepEqual(
    await emitAll(manager),
    ALL.map(() => null),
  );
  gate.resolve();
  assert.deepEqual(later, ALL);
  assert.deepEqual(
    reports.map(({ where, error }) => `${where} ${error.code}`),
    ALL.map(() => 'plugin slow plugin_timed_out'),
  );
  assert.deepEqual([...new Set(limits)], [5_000]);
});

test('a veto of a hook before something has its reason, and ends the emission', async () => {
  for (const hook of ALL) {
    const later: Hook[] = [];
    const vetoing = everywhere('guard', () => ({ veto: 'Not on a Sunday.' }));
    const { manager, reports } = managed([vetoing, everywhere('later', () => void later.push(hook))]);
    const { vetoed } = await manager.emit(hook, CONTEXTS[hook]);
    assert.equal(vetoed, HOOKS[hook].vetoes ? 'Not on a Sunday. (plugin guard)' : null, hook);
    assert.deepEqual(later, HOOKS[hook].vetoes ? [] : [hook]);
    assert.deepEqual(
      reports.map(({ error }) => error.code),
      HOOKS[hook].vetoes ? [] : ['plugin_bad_answer'],
    );
  }
  assert.deepEqual(
    ALL.filter((hook) => HOOKS[hook].vetoes),
    ['before_task', 'before_stage', 'before_agent', 'before_tool'],
  );
});

test('a veto without a reason has no effect, and a long reason is cut', async () => {
  for (const veto of ['', '  ', 7, null, { allow: true }]) {
    const { manager, reports } = managed([everywhere('guard', () => ({ veto }))]);
    assert.equal((await manager.emit('before_tool', TOOL)).vetoed, null);
    assert.deepEqual(
      reports.map(({ error }) => error.code),
      ['plugin_bad_answer'],
    );
  }
  const { manager } = managed([everywhere('guard', () => ({ veto: 'x'.repeat(10_000) }))]);
  assert.equal((await manager.emit('before_tool', TOOL)).vetoed, `${'x'.repeat(500)} (plugin guard)`);
});

test('other answers have no effect', async () => {
  for (const answer of [true, 'veto', { allow: true }, [], null, { verdict: 'deny' }]) {
    const { manager, reports } = managed([everywhere('guard', () => answer)]);
    assert.equal((await manager.emit('before_tool', TOOL)).vetoed, null);
    assert.deepEqual(reports, []);
  }
});

test('a payload is a frozen copy, so no plugin changes what the engine or the next plugin has', async () => {
  const context = { ...TASK, mode: null, tags: ['code'], input: { deep: { list: [1] } } };
  const seen: unknown[] = [];
  const changing = everywhere('changing', (_, payload) => {
    assert.ok(typeof payload === 'object' && payload !== null);
    assert.throws(() => Object.assign(payload, { task: 'other' }), TypeError);
    assert.throws(
      () => 'input' in payload && Object.assign((payload.input as typeof context.input).deep.list, [2]),
      TypeError,
    );
  });
  const { manager, reports } = managed([changing, everywhere('next', (_, payload) => void seen.push(payload))]);
  await manager.emit('before_task', context);
  assert.deepEqual(reports, []);
  assert.deepEqual(seen, [context]);
  assert.equal(Object.isFrozen(context.input), false);
});

test('a plugin for another version, with a known id or an unknown hook is refused', () => {
  const cases = [
    [[aPlugin('a', {}, { hooksVersion: HOOKS_VERSION + 1 })], 'plugin_version'],
    [[aPlugin('a'), aPlugin('a')], 'plugin_duplicate'],
    [[aPlugin('a', { after_everything: () => {} } as never)], 'plugin_unknown_hook'],
    [[aPlugin('a', JSON.parse('{"__proto__":{}}'))], 'plugin_unknown_hook'],
    [[...Array(33).keys()].map((number) => aPlugin(`p${number}`)), 'plugin_limit'],
  ] as const;
  for (const [plugins, code] of cases) assert.throws(() => managed(plugins), { code });
});

test('a failing report does not reach the engine', async () => {
  const manager = createPluginManager({
    clock: SYSTEM_CLOCK,
    report: () => {
      throw new Error('no report');
    },
  });
  manager.register(everywhere('throws', () => assert.fail('broken')));
  assert.deepEqual(await manager.emit('after_task', CONTEXTS.after_task), { vetoed: null });
});

test('the first plugin that knows a model gives its cost; plugins that fail or guess are skipped', () => {
  const costs = (costOf: NonNullable<Plugin['costOf']>, id: string): Plugin => aPlugin(id, {}, { costOf });
  const { manager, reports } = managed([
    costs(() => assert.fail('broken'), 'broken'),
    costs(() => 0.5, 'fraction'),
    costs((model) => (model === 'fast' ? 7 : null), 'table'),
    costs(() => 9, 'other'),
  ]);
  assert.equal(manager.costOf('fast', { prompt: 1, completion: 1 }), 7);
  assert.equal(manager.costOf('slow', { prompt: 1, completion: 1 }), 9);
  assert.deepEqual(
    reports.map(({ error }) => error.code),
    ['plugin_failed', 'plugin_bad_answer', 'plugin_failed', 'plugin_bad_answer'],
  );
  assert.equal(managed([]).manager.costOf('fast', { prompt: 1, completion: 1 }), null);
});

test('a router chooses only among the pipelines that fit', () => {
  const question = { task: 't1', mode: null, tags: [], candidates: ['full', 'quick'] };
  const routes = (id: string, answer: string | null): Plugin => aPlugin(id, {}, { route: () => answer });
  const { manager, reports } = managed([routes('none', null), routes('wild', 'secret'), routes('good', 'quick')]);
  assert.equal(manager.route(question), 'quick');
  assert.deepEqual(
    reports.map(({ where, error }) => `${where} ${error.code}`),
    ['plugin wild plugin_bad_answer'],
  );
  assert.equal(managed([routes('none', null)]).manager.route(question), null);
});
