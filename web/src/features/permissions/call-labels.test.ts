import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROGRAM_CALL_KINDS, PROGRAM_TOOL_PREFIX, VILLAGE_TOOLS } from '@hamlet/contract';
import type { CallItem } from '../../client/minds/trace-items.ts';
import { callStateLabel, isChange, placeLabel, postOf, shortCall } from './call-labels.ts';
import { toolLabel } from './tool-labels.ts';

const POST = '01a20000-0000-7000-8000-00000000000a';
const call = (more: Partial<CallItem>): CallItem => ({
  kind: 'call',
  key: 'call 2.0',
  at: '2026-11-23T12:00:00Z',
  endedAt: null,
  callId: '2.0',
  tool: 'post_to_board',
  effect: 'keyed',
  argumentsText: '{"title":"Rope"}',
  state: 'done',
  outcome: 'ok',
  resultText: `Posted “Bread”: https://village.example/?post=${POST}`,
  witnessed: true,
  permissions: [],
  ...more,
});

test('the label of a tool shows where it runs; an unknown tool counts as foreign code', () => {
  const words = ['say', 'look_around', 'shell', 'browser_open', 'mcp__files__read'].map(
    (tool) => placeLabel(tool).word,
  );
  assert.deepEqual(words, ['platform', 'platform', 'sandbox', 'sandbox', 'custom']);
});

test('every tool of the village has its own label, and an unknown one keeps its name', () => {
  const words = Object.keys(VILLAGE_TOOLS).map((tool) => toolLabel(tool).word);
  assert.equal(new Set(words).size, words.length);
  for (const word of words) assert.doesNotMatch(word, /_/);
  assert.deepEqual(
    ['teleport', 'constructor', 'a\u202Eb'].map((tool) => toolLabel(tool).word),
    ['teleport', 'constructor', 'a⟨U+202E⟩b'],
  );
});

test('every kind of claim of a program has words, and a folded claim shows what the program says', () => {
  for (const kind of [...PROGRAM_CALL_KINDS, 'plan', 'install'])
    assert.doesNotMatch(toolLabel(`${PROGRAM_TOOL_PREFIX}${kind}`).word, /program|_/);
  const claim = (more: object) => JSON.stringify({ kind: 'edit', title: 'Edit\u202E oven.ts', ...more });
  const shown = (tool: string, argumentsText: string) => shortCall(call({ tool, argumentsText }));
  assert.equal(shown('program.edit', claim({})), 'Edit⟨U+202E⟩ oven.ts');
  const plan = [{ text: 'bake', status: 'completed' }];
  assert.equal(
    shown('program.edit', claim({ title: 'edit src/oven.ts' })),
    'src/oven.ts',
    'the word of the tool stands before it',
  );
  assert.equal(shown('program.plan', claim({ kind: 'plan', plan })), '1 of 1 done');
  assert.equal(shown('program.edit', '{"x":1}'), '1', 'a text that is no claim is shown as arguments');
  assert.equal(shown('command', '{"prompt":"Bake.","resumes":false}'), '', 'the message stands above it');
});

test('a folded wait says for which process, text, file or time it waits', () => {
  const shown = (args: object) => shortCall(call({ tool: 'wait_for', argumentsText: JSON.stringify(args) }));
  assert.equal(shown({ process: '1.0', seconds: 300 }), 'for process 1.0, at most 300 s');
  assert.equal(shown({ process: '1.0', text: 'ready' }), 'for process 1.0 to print “ready”, at most 600 s');
  assert.equal(shown({ file: 'out/sum.txt' }), 'for out/sum.txt, at most 600 s');
  assert.equal(shown({ seconds: 5 }), '5 s');
  assert.equal(shown({ seconds: 'soon' }), 'soon', 'other arguments are shown as they are');
});

test('a folded git call shows its command, and a write to the outside shows its target', () => {
  const git = { action: 'commit', args: ['--all'], message: 'fix: no cent is lost' };
  const short = (tool: string, args: object) => shortCall({ tool, argumentsText: JSON.stringify(args) });
  assert.equal(short('git', git), "git commit --all -m 'fix: no cent is lost'");
  assert.equal(short('git', { action: 'bake' }), 'bake', 'arguments of another form');
  assert.equal(
    short('git_push', { call: '9.0', changes: ['new x at 1'], summary: 'push to a: new x at 1' }),
    'push to a',
  );
  assert.equal(short('say', { text: 'Hi', to: 'bob' }), 'Hi · bob');
  assert.equal(short('shell', { background: true, command: './build.sh' }), './build.sh');
  assert.equal(short('write_file', { content: 'long', path: 'a.py' }), 'a.py');
  assert.equal(short('shell', { cmd: 'ls' }), 'ls', 'arguments of another form');
  assert.equal(
    short('todo', {
      items: [
        { text: 'bake', status: 'done' },
        { text: 'sell', status: 'pending' },
      ],
    }),
    '1 of 2 done',
  );
  assert.equal(shortCall({ tool: 'git', argumentsText: null }), '');
  assert.equal(shortCall({ tool: 'ask_human', argumentsText: '{"question":"Rye or **wheat**?"}' }), 'Rye or wheat?');
});

test('every state of a call has its own label', () => {
  const states = ['running', 'waiting', 'done', 'failed', 'denied', 'unknown', 'left'] as const;
  const words = states.map((state) => callStateLabel(call({ tool: 'say', state })).word);
  assert.equal(new Set(words).size, words.length);
  assert.equal(callStateLabel(call({ tool: 'delegate' })).word, 'Handed over', 'its worker still works');
});

test('a program that ended with an exit code above 0 has no good mark', () => {
  const ended = (exit: number | null | undefined) => callStateLabel(call({ tool: 'shell', exit }));
  assert.deepEqual(ended(1), { word: 'Exit code 1', tone: 'bad' });
  assert.deepEqual(ended(null), { word: 'Ended by a signal', tone: 'bad' });
  assert.deepEqual([ended(0).word, ended(undefined).word], ['Done', 'Done']);
  assert.equal(callStateLabel(call({ tool: 'shell' }), 137).word, 'Exit code 137', 'by the log of the hands');
});

test('the post of a call is found in the result of a new post, or in the arguments of other calls', () => {
  assert.equal(postOf(call({})), POST);
  const reply = call({ tool: 'reply_on_board', argumentsText: `{"post_id":"${POST}"}`, resultText: 'Replied.' });
  assert.equal(postOf(reply), POST);
  assert.equal(postOf(call({ state: 'failed' })), null);
  assert.equal(postOf(call({ tool: 'say' })), null);
  assert.equal(postOf(call({ tool: 'read_board', argumentsText: '{}' })), null, 'a list of posts has no single post');
});

test('only a finished call that does more than read counts as a change', () => {
  assert.equal(isChange(call({})), true);
  assert.equal(isChange(call({ tool: 'shell' })), false, 'its files are listed instead');
  for (const other of [{ effect: 'read' }, { effect: 'idempotent' }, { effect: null }, { state: 'failed' as const }])
    assert.equal(isChange(call(other)), false);
});
