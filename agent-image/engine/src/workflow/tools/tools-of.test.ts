/** Tools of manifests in the engine: results, denials before the intent, handlers and safe modes. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { untilEnd } from '@hamlet/test/env/at-end';
import { ToolOutcome } from '../../effects/tool-outcome.ts';
import { defineTool } from '../../effects/tool.ts';
import { outcomeOf, someJournals, Text } from '../../testing/a-tool.ts';
import { anEngine, aRequest } from '../../testing/an-engine.ts';
import { calls, says, scriptedModel } from '../../testing/scripted-model.ts';
import type { SafeMode } from './check-tool-call.ts';
import { executionOutput } from './execution.ts';
import { aWorkspace } from './testing/a-workspace.ts';
import type { ToolHandler } from './tool-handler.ts';
import { nextInPlan, ToolPlan, type SettledCall } from './tool-plan.ts';
import { toolsOf, type ToolManifests } from './tools-of.ts';

const workspace = await aWorkspace();
const journals = someJournals();
writeFileSync(join(workspace.root, 'README.md'), '# Hamlet\n');

const MANIFESTS: ToolManifests = {
  permissions: { filesystem: { read: ['**', '!secret/**'] } },
  tools: [
    { id: 'read', uses: 'filesystem.read_file', timeout_s: 5 },
    { id: 'list', uses: 'filesystem.list', timeout_s: 5, description: 'Lists a folder of the project.' },
    { id: 'write', uses: 'filesystem.write_file', timeout_s: 5, permissions: { filesystem: { write: ['out/**'] } } },
    {
      id: 'publish',
      uses: 'handler',
      description: 'Publishes a page.',
      effect: 'keyed',
      timeout_s: 5,
      permissions: { network: { allow: ['example.org'] } },
      input: {
        type: 'object',
        properties: { page: { type: 'integer' }, host: { type: 'string' } },
        required: ['page'],
      },
      output: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
    },
  ],
  agents: [
    { id: 'reader', tools: ['read', 'list'] },
    { id: 'writer', tools: ['read', 'write', 'publish'], permissions: { filesystem: { write: ['!out/closed/**'] } } },
  ],
};

const published: unknown[] = [];
const publish: ToolHandler = async (input, context) => {
  const { page, host = 'example.org' } = input as { page: number; host?: string };
  context.permit({ kind: 'network', host });
  if (page === 0) throw Object.assign(new Error('there is no page 0'), { code: 'no_such_page' });
  if (page === 1) throw new TypeError('a fault of the handler');
  if (page === 2) return { link: 'wrong' };
  published.push([page, context.key, context.mode]);
  return { url: `https://${host}/${page}` };
};

type Caller = Readonly<{ agent?: string | null; mode?: SafeMode | null; manifests?: ToolManifests }>;

const toolsFor = ({ agent = null, mode = null, manifests = MANIFESTS }: Caller) =>
  toolsOf({ manifests, handlers: new Map([['publish', publish]]), workspace, agent, mode, lineOf: () => 4 });

/** Lets the engine carry out calls of one answer. Gives their outcomes as the journal has them, and the types of all events. */
async function outcomes(caller: Caller, ...list: readonly (readonly [string, unknown])[]) {
  const journal = untilEnd(journals.open());
  const model = scriptedModel([calls(...list), says('done')]);
  const { engine } = anEngine({ journal, model, tools: toolsFor(caller) });
  const begun = await engine.start(aRequest());
  await outcomeOf(begun);
  const run = begun.ok ? begun.run : assert.fail(begun.code);
  const found = journal.eventsOf(run);
  const events = found.ok ? found.events : assert.fail(found.message);
  const settled = events.flatMap((event) =>
    event.type === 'tool_settled' ? [ToolOutcome.parse(JSON.parse(journal.textOf(event.result) ?? ''))] : [],
  );
  return { settled, types: events.map(({ type }) => type) };
}

const codesOf = ({ settled }: Readonly<{ settled: readonly ToolOutcome[] }>): readonly string[] =>
  settled.map((outcome) => ('code' in outcome ? `${outcome.kind}/${outcome.code}` : outcome.kind));

test('a read-only ToolPlan writes its result', async () => {
  const plan = ToolPlan.parse([
    { tool_name: 'list', arguments: { path: '.' }, result_field: 'files' },
    { tool_name: 'read', arguments: { path: '=files' }, result_field: 'readme' },
  ]);
  const fill = (template: unknown, results: Readonly<Record<string, unknown>>) => {
    const files = results['files'] as { entries: { name: string }[] } | undefined;
    return { ok: true, value: files === undefined ? template : { path: files.entries[0]?.name } } as const;
  };
  const settled: SettledCall[] = [];
  let move = nextInPlan(plan, settled, fill);
  for (; move.kind === 'call'; move = nextInPlan(plan, settled, fill)) {
    const { step, tool_name: name, arguments: input } = move.input;
    const { settled: ended } = await outcomes({ mode: 'analysis_only' }, [name, input]);
    settled.push({ step, output: executionOutput(ended[0] ?? assert.fail('an outcome'), 1) });
  }
  assert.ok(move.kind === 'done', JSON.stringify(move));
  assert.deepEqual(
    move.output.steps.map(({ status }) => status),
    ['ok', 'ok'],
  );
  const { readme } = move.output.results as { readme: { content: string } };
  assert.equal(readme.content, '# Hamlet\n');
});

test('a path outside of the root is blocked with a clear error, before the intent of the call', async () => {
  const ended = await outcomes({}, ['read', { path: '../secret' }], ['read', { path: '/etc/passwd' }]);
  assert.deepEqual(codesOf(ended), ['denied/path_outside_root', 'denied/path_outside_root']);
  const [first] = ended.settled;
  assert.ok(first?.kind === 'denied');
  assert.equal(
    first.text,
    '../secret leads up with "..": write the path from the root of the workspace, without "..".',
  );
  assert.ok(!ended.types.includes('tool_intent'));
});

test('an agent may use the tools that it lists, within the permissions of all levels', async () => {
  const reader = await outcomes({ agent: 'reader' }, ['list', {}], ['write', { path: 'out/a', content: 'x' }]);
  assert.deepEqual(codesOf(reader).toSorted(), ['denied/no_such_tool', 'ok']);
  assert.match(JSON.stringify(reader.settled), /There is no tool write\. Known: read, list\./);
  const writer = await outcomes(
    { agent: 'writer' },
    ['write', { path: 'out/a', content: 'x' }],
    ['write', { path: 'src/a', content: 'x' }],
    ['write', { path: 'out/closed/a', content: 'x' }],
    ['read', { path: 'secret/key' }],
    ['remove', { path: 'out/a' }],
  );
  assert.deepEqual(codesOf(writer), [
    'ok',
    'denied/path_not_permitted',
    'denied/path_not_permitted',
    'denied/path_not_permitted',
    'denied/no_such_tool',
  ]);
  const texts = writer.settled.map((outcome) => ('text' in outcome ? outcome.text : ''));
  assert.match(texts[1] ?? '', /no entry of tools\.yaml:4 \(tools\[2\]\.permissions\.filesystem\.write\) fits/);
  assert.match(
    texts[2] ?? '',
    /"!out\/closed\/\*\*" in agents\.yaml:4 \(agents\[1\]\.permissions\.filesystem\.write\[0\]\)/,
  );
  assert.match(texts[3] ?? '', /"!secret\/\*\*" in tools\.yaml:4 \(permissions\.filesystem\.read\[1\]\)/);
  assert.equal(writer.types.filter((type) => type === 'tool_intent').length, 1);
  assert.equal(readFileSync(join(workspace.root, 'out/a'), 'utf8'), 'x');
  assert.throws(() => toolsFor({ agent: 'stranger' }), /No agent stranger/);
});

test('tools that may change something are blocked by analysis_only', async () => {
  const ended = await outcomes(
    { mode: 'analysis_only' },
    ['write', { path: 'out/b', content: 'x' }],
    ['publish', { page: 5 }],
    ['read', { path: 'README.md' }],
  );
  assert.deepEqual(codesOf(ended), ['denied/analysis_only', 'denied/analysis_only', 'ok']);
  assert.ok(!existsSync(join(workspace.root, 'out/b')));
});

test('dry_run answers with the plan of a change', async () => {
  const ended = await outcomes(
    { mode: 'dry_run' },
    ['write', { path: 'out/c', content: 'x' }],
    ['write', { path: 'src/c', content: 'x' }],
    ['publish', { page: 5 }],
  );
  assert.deepEqual(codesOf(ended), ['ok', 'denied/path_not_permitted', 'ok']);
  const values = ended.settled.map((outcome) => (outcome.kind === 'ok' ? JSON.parse(outcome.text) : null));
  assert.deepEqual([values[0].planned, values[0].mutations[0].path], [true, 'out/c']);
  assert.deepEqual(values[2], { planned: true, tool: 'publish', arguments: { page: 5 }, mutations: [] });
  assert.ok(!existsSync(join(workspace.root, 'out/c')) && published.length === 0);
});

test('a handler gets arguments that fit its schema, and its result must fit its own', async () => {
  const ended = await outcomes(
    { agent: 'writer' },
    ['publish', { page: '7' }],
    ['publish', { page: 'seven' }],
    ['publish', { page: 0 }],
    ['publish', { page: 1 }],
    ['publish', { page: 2 }],
    ['publish', { page: 8, host: 'example.com' }],
  );
  assert.deepEqual(codesOf(ended), [
    'ok',
    'invalid_input',
    'failed/no_such_page',
    'failed/handler_failed',
    'failed/bad_output',
    'denied/network_not_permitted',
  ]);
  const [ok, invalid, , , bad] = ended.settled;
  assert.ok(ok?.kind === 'ok' && ok.text === '{"url":"https://example.org/7"}');
  assert.ok(invalid?.kind === 'invalid_input' && invalid.issues[0]?.path === 'page', JSON.stringify(invalid));
  assert.match(bad?.kind === 'failed' ? bad.text : '', /output schema: .*url/);
  assert.equal(published.length, 1);
  const [[page, key, mode]] = published as [[number, string, null]];
  assert.deepEqual([page, mode], [7, null]);
  assert.ok(key.length > 10);
});

test('results of handlers without a schema are texts or JSON, and others are refused', async () => {
  const [, , , spec] = MANIFESTS.tools;
  assert.ok(spec?.uses === 'handler');
  const { output: _, ...bare } = spec;
  const results: readonly (readonly [unknown, string])[] = [
    ['a text', 'a text'],
    [undefined, 'null'],
    [{ a: [1] }, '{"a":[1]}'],
    [1n, 'bad_output'],
    ['x'.repeat(1_000_001), 'too_large'],
  ];
  for (const [result, expected] of results) {
    const handlers = new Map<string, ToolHandler>([['publish', async () => result]]);
    const manifests = { ...MANIFESTS, tools: [bare] };
    const [tool] = toolsOf({ manifests, handlers, workspace, agent: null, mode: null });
    const journal = untilEnd(journals.open());
    const model = scriptedModel([calls(['publish', { page: 1 }]), says('done')]);
    const { engine } = anEngine({ journal, model, tools: tool === undefined ? [] : [tool] });
    const begun = await engine.start(aRequest());
    await outcomeOf(begun);
    const found = journal.eventsOf(begun.ok ? begun.run : '');
    const settled = found.ok ? found.events.find((event) => event.type === 'tool_settled') : undefined;
    assert.ok(settled?.type === 'tool_settled');
    const outcome = ToolOutcome.parse(JSON.parse(journal.textOf(settled.result) ?? ''));
    assert.equal('code' in outcome ? outcome.code : 'text' in outcome ? outcome.text : outcome.kind, expected);
  }
  assert.throws(
    () => toolsOf({ manifests: MANIFESTS, handlers: new Map(), workspace, agent: null, mode: null }),
    /No handler publish/,
  );
});

test('a tool that refuses a call is not executed', () => {
  const refusal: ToolOutcome = { kind: 'denied', code: 'policy', text: 'no' };
  const tool = defineTool({
    name: 'a',
    description: 'a',
    input: Text,
    effect: 'once',
    timeoutMs: 1_000,
    refuses: ({ text }) => (text === 'no' ? refusal : null),
    execute: () => assert.fail('not executed'),
  });
  assert.deepEqual(tool.prepare({ text: 'no' }), { ok: false, outcome: refusal });
  assert.equal(tool.prepare({ text: 'yes' }).ok, true);
});

test('a cancel of a run ends its command with all processes', async () => {
  const journal = untilEnd(journals.open());
  const manifests: ToolManifests = {
    permissions: { shell: { enabled: true, allow: ['sh'] } },
    tools: [{ id: 'run', uses: 'command.run', timeout_s: 60 }],
    agents: [],
  };
  const tools = toolsOf({ manifests, handlers: new Map(), workspace, agent: null, mode: null });
  const command = 'sleep 60 & echo $! > sleeper.pid; wait';
  const { engine } = anEngine({ journal, model: scriptedModel([calls(['run', { command }])]), tools });
  const begun = await engine.start(aRequest());
  const run = begun.ok ? begun.run : assert.fail(begun.code);
  const file = join(workspace.root, 'sleeper.pid');
  const isWritten = (): boolean => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n');
  for (let round = 0; round < 500 && !isWritten(); round += 1) await sleep(10);
  const pid = Number(readFileSync(file, 'utf8'));
  assert.ok(engine.cancel(run).ok);
  const ended = await outcomeOf(begun);
  assert.equal(ended.kind, 'cancelled', JSON.stringify(ended));
  const isAlive = (): boolean => existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  for (let round = 0; round < 300 && isAlive(); round += 1) await sleep(10);
  assert.ok(!isAlive(), 'the process is gone');
});
