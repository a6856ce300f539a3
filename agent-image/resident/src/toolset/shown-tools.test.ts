import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HANDS_TOOLS, TOOL_CLASSES, VILLAGE_TOOL_NAMES, villageTool, VILLAGE_TOOLS } from '@hamlet/contract';
import { defineTool, type Tool } from '@hamlet/engine';
import { findTools } from './find-tools.ts';
import { shownTools, type ToolRules } from './shown-tools.ts';
import { searchTools, TOOL_GROUPS } from './tool-groups.ts';
import { runToolsOf } from './tool-rules.ts';

const asTool = (name: string, description = ''): Tool =>
  defineTool<unknown>({
    name,
    description: villageTool(name)?.description ?? description,
    input: villageTool(name)?.input ?? VILLAGE_TOOLS.balance.input,
    effect: 'read',
    timeoutMs: 1,
    execute: async () => ({ kind: 'ok', text: '' }),
  });
const served = (count: number): readonly Tool[] =>
  Array.from({ length: count }, (_, at) => asTool(`mcp__files__read_${at}`, 'Read a file of the archive.'));

/** Programs that are minds ask for `program_act`, and engines of workflows for `run_stage`; a model never calls them. */
const ALL = VILLAGE_TOOL_NAMES.filter((name) => name !== 'program_act' && name !== 'run_stage').map((name) =>
  asTool(name),
);
const FREE: ToolRules = { verdictOf: () => 'allow', given: [], canBrowse: true };
const names = (tools: readonly Tool[]): readonly string[] => tools.map(({ name }) => name);
const shown = (calls: readonly (readonly [string, object | string])[], changes: Partial<ToolRules> = {}, tools = ALL) =>
  names(
    shownTools(
      tools,
      calls.map(([name, args]) => ({ name, arguments: typeof args === 'string' ? args : JSON.stringify(args) })),
      { ...FREE, ...changes },
    ),
  );

test('every tool of the village is shown in a task or can be found by the name of its group', () => {
  const task = shown([]);
  const grouped = Object.values(TOOL_GROUPS).flatMap(({ tools }) => tools);
  for (const { name } of ALL)
    assert.ok(task.includes(name) || grouped.includes(name) || name === 'read_skill_file', name);
  for (const [group, { tools }] of Object.entries(TOOL_GROUPS))
    assert.deepEqual(
      names(searchTools(ALL, group))
        .filter((name) => tools.includes(name))
        .toSorted(),
      [...tools].toSorted(),
    );
});

test('tools that a run has found or used stay shown, with those that their results refer to', () => {
  const first = shown([]);
  assert.ok(!first.includes('go_to') && !first.includes('buy'));
  const found = shown([['find_tools', { query: 'walk to the bakery' }]]);
  assert.ok(found.includes('go_to') && found.includes('say') && !found.includes('buy'));
  assert.ok(shown([['quote', {}]]).includes('buy'));
  assert.ok(shown([['load_skill', { name: 'x', why: 'y' }]]).includes('read_skill_file'));
  assert.ok(shown([['find_tools', { query: 'browser' }]]).includes('browser_click'));
  assert.deepEqual(
    shown([
      ['find_tools', '{"query":'],
      ['find_tools', { query: 7 }],
      ['nonsense', {}],
    ]),
    first,
  );
});

test('a denied tool is neither shown nor found, and a browser needs the memory of its tier', () => {
  const verdictOf: ToolRules['verdictOf'] = (tool) => (tool === 'shell' || tool === 'go_to' ? 'deny' : 'allow');
  const calls = [['find_tools', { query: 'walk browser' }]] as const;
  const some = shown(calls, { verdictOf, canBrowse: false });
  for (const name of ['shell', 'go_to', 'browser_open']) assert.ok(!some.includes(name), name);
  const found = findTools(ALL, 'go_to browser', { ...FREE, verdictOf, canBrowse: false });
  assert.ok(!/- (go_to|browser)/.test(found), found);
});

test('few tools are all shown, without a search; so are few tools of MCP servers, and many are found', () => {
  const allowed = ['say', 'go_to', 'shell', 'find_tools'];
  const verdictOf: ToolRules['verdictOf'] = (tool) => (allowed.includes(tool) ? 'allow' : 'deny');
  assert.deepEqual(shown([], { verdictOf }).toSorted(), ['go_to', 'say', 'shell']);
  const few = shown([], {}, [...ALL, ...served(12)]);
  assert.equal(few.filter((name) => name.startsWith('mcp__')).length, 12);
  const many = [...ALL, ...served(13)];
  assert.equal(shown([], {}, many).filter((name) => name.startsWith('mcp__')).length, 0);
  assert.equal(
    shown([['find_tools', { query: 'files archive' }]], {}, many).filter((name) => name.startsWith('mcp__')).length,
    12,
  );
});

test('without find_tools a run sees all that it may use', () => {
  const verdictOf: ToolRules['verdictOf'] = (tool) => (tool === 'find_tools' ? 'deny' : 'allow');
  assert.equal(shown([], { verdictOf }).length, ALL.length - 1);
});

test('an agent without hands sees the everyday tools of the village', () => {
  const pod = ALL.filter(({ name }) => !Object.hasOwn(HANDS_TOOLS, name));
  const seen = shown([], {}, pod);
  assert.ok(seen.includes('go_to') && seen.includes('post_to_board') && !seen.includes('bid'), seen.join(' '));
});

test('the answer of find_tools has arguments and use, and says which calls wait; without a hit it lists the groups', () => {
  const verdictOf: ToolRules['verdictOf'] = (tool) => (tool === 'buy' ? 'ask' : 'allow');
  const buying = findTools(ALL, 'buy tokens', { ...FREE, verdictOf });
  assert.match(
    buying,
    /^These tools are yours[^]*- buy\(item, seconds\?*, max_price\): [^\n]+ Each call waits for a person\./,
  );
  const none = findTools([...ALL, ...served(1)], 'zzz', FREE);
  assert.match(none, /^No tool fits[^]*- board: read_board, [^]*- files: mcp__files__read_0/);
});

test('the prompt names the shown tools that wait for a person, a server once, and the groups of the others', () => {
  const policy = {
    rules: [
      { tools: [...TOOL_CLASSES], verdict: 'allow' as const, from: 'village' as const },
      { tools: ['write_file', 'ask_human'], verdict: 'ask' as const, from: 'tier' as const },
      { tools: ['buy'], verdict: 'deny' as const, from: 'tier' as const },
    ],
    mcp: { files: null },
  };
  const tools = runToolsOf([...ALL, ...served(3)], { policy, canBrowse: false });
  assert.deepEqual(tools.asking, ['write_file', 'tools of files']);
  assert.deepEqual([tools.more.includes('market'), tools.more.includes('browser')], [true, false]);
  assert.equal(tools.asksToSend, false);
});
