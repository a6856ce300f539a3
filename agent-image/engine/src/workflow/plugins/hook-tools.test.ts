/** The hooks of tools in a real engine, with its policy and its journal. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tool } from '../../effects/tool.ts';
import type { PolicyPort } from '../../loop/ports.ts';
import { SYSTEM_CLOCK } from '../../loop/system-clock.ts';
import { aTool, outcomeOf, someJournals } from '../../testing/a-tool.ts';
import { anEngine, aRequest } from '../../testing/an-engine.ts';
import { calls, says, scriptedModel } from '../../testing/scripted-model.ts';
import { HOOKS_VERSION } from './hooks.ts';
import { withToolHooks } from './hook-tools.ts';
import { createPluginManager } from './plugin-manager.ts';
import type { Plugin } from './plugin.ts';

const journals = someJournals();
const PLACE = { task: 't1', stage: 'ship', agent: null };

type Ran = Readonly<{ result: string; executed: readonly string[]; problems: number }>;

/** One run whose model calls `post` once; `result` is the result that the model reads. */
async function run(
  hooks: Plugin['hooks'],
  given: Readonly<{ policy?: PolicyPort; tool?: Tool; isPlaced?: boolean }> = {},
): Promise<Ran> {
  const executed: string[] = [];
  let problems = 0;
  const post = aTool({ name: 'post', effect: 'once' }, async ({ text }) => {
    executed.push(text);
    return { kind: 'ok', text: `posted ${text}` };
  });
  const plugins = createPluginManager({ clock: SYSTEM_CLOCK, report: () => void (problems += 1) });
  plugins.register({ id: 'guard', hooksVersion: HOOKS_VERSION, hooks });
  const tools = withToolHooks([given.tool ?? post], plugins, () => (given.isPlaced === false ? null : PLACE));
  const model = scriptedModel([calls(['post', { text: 'a' }]), says('Done.')]);
  const { engine } = anEngine({
    journal: journals.open(),
    model,
    tools,
    ...(given.policy && { policy: given.policy }),
  });
  const outcome = await outcomeOf(await engine.start(aRequest()));
  assert.equal(outcome.kind, 'done');
  const message = model.requests[1]?.messages.at(-1);
  return { result: message?.content ?? '', executed, problems };
}

test('a plugin that vetoes a call keeps its tool from running, and the model reads the reason', async () => {
  const { result, executed } = await run({ before_tool: () => ({ veto: 'Not on a Sunday.' }) });
  assert.deepEqual(executed, []);
  assert.equal(result, 'The call did not run: denied (policy). Not on a Sunday. (plugin guard)');
});

test('the hooks around a call get its place, its arguments and its result', async () => {
  const seen: unknown[] = [];
  const { result, executed } = await run({
    before_tool: (context) => void seen.push(['before', context]),
    after_tool: (context) => void seen.push(['after', context]),
  });
  assert.equal(result, 'posted a');
  assert.deepEqual(executed, ['a']);
  const call = {
    ...PLACE,
    run: 'run-1-1',
    call: '1.0',
    tool: 'post',
    effect: 'once',
    attempt: 1,
    arguments: { text: 'a' },
  };
  assert.deepEqual(seen, [
    ['before', call],
    ['after', { ...call, outcome: 'ok', text: 'posted a' }],
  ]);
});

test('a plugin cannot allow a call that the policy denies: it is not even asked', async () => {
  let asked = 0;
  const { result, executed } = await run(
    {
      before_tool: () => {
        asked += 1;
        return { allow: true, veto: undefined, verdict: 'allow' } as never;
      },
    },
    { policy: { judge: () => ({ verdict: 'deny', reason: 'Never.' }) } },
  );
  assert.deepEqual([asked, executed], [0, []]);
  assert.equal(result, 'The call did not run: denied (policy). Never.');
});

test('a plugin that fails around a call changes nothing', async () => {
  const broken = (): never => assert.fail('broken');
  const { result, executed, problems } = await run({ before_tool: broken, after_tool: broken });
  assert.equal(result, 'posted a');
  assert.deepEqual([executed, problems], [['a'], 2]);
});

test('the hook after a call sees a tool that throws', async () => {
  const seen: string[] = [];
  const tool = aTool({ name: 'post', effect: 'read' }, async () => {
    throw new Error('no network');
  });
  const { result } = await run({ after_tool: ({ outcome, text }) => void seen.push(`${outcome} ${text}`) }, { tool });
  assert.match(result, /no network/);
  assert.deepEqual(seen, ['failed Error: no network']);
});

test('runs outside of a task call no hooks', async () => {
  let asked = 0;
  const { result } = await run({ before_tool: () => void (asked += 1) }, { isPlaced: false });
  assert.deepEqual([result, asked], ['posted a', 0]);
});

test('a call whose time is over while its hook runs never reaches its tool', async () => {
  const executed: string[] = [];
  const gate = Promise.withResolvers<void>();
  const tool = aTool({ name: 'post', effect: 'read', timeoutMs: 20 }, async ({ text }) => {
    executed.push(text);
    return { kind: 'ok', text };
  });
  const { result } = await run({ before_tool: () => gate.promise }, { tool });
  gate.resolve();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.match(result, /ended after 20 ms/);
  assert.deepEqual(executed, []);
});
