import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VILLAGE_TOOLS } from '@hamlet/contract';
import type { ProgramCall } from './claim.ts';
import { optionFor, villageCallOf } from './village-call.ts';

const CALL: ProgramCall = { kind: 'other', title: 'It', input: 'in', raw: null, output: '', locations: [], diffs: [] };
const asked = (fields: Partial<ProgramCall>) =>
  villageCallOf({ call: { ...CALL, ...fields }, workspace: '/workspace', cwd: '/workspace/tree' });
const at = (path: string) => ({ locations: [{ path, line: null }] });

test('a command is a call of shell, in each form in which programs write it', () => {
  for (const [raw, command] of [
    [{ command: 'npm test' }, 'npm test'],
    [{ command: ['bash', '-lc', 'npm test | tail'] }, 'npm test | tail'],
    [{ command: ['/bin/sh', '-c', 'a'] }, 'a'],
    [{ cmd: ['rm', '-r', "it's here"] }, `rm -r 'it'\\''s here'`],
    [{ command: ['bash', '-c', 'a', 'b'] }, 'bash -c a b'],
  ] as const)
    assert.deepEqual(asked({ kind: 'execute', raw }), { tool: 'shell', input: { command } });
});

test('changes and reads inside the workspace, and addresses, are calls of the tools for them', () => {
  const diffs = [{ path: '/workspace/a.ts', before: 'one', after: 'two' }];
  assert.deepEqual(asked({ kind: 'edit', diffs }), {
    tool: 'edit_file',
    input: { path: '/workspace/a.ts', old_text: 'one', new_text: 'two' },
  });
  assert.deepEqual(asked({ kind: 'edit', raw: { file_path: 'b.ts' }, ...at('/workspace/c.ts') }), {
    tool: 'edit_file',
    input: { path: '/workspace/c.ts, b.ts', new_text: 'in' },
  });
  assert.deepEqual(asked({ kind: 'read', ...at('/workspace/x') }), {
    tool: 'read_file',
    input: { path: '/workspace/x' },
  });
  assert.deepEqual(asked({ kind: 'fetch', raw: { url: 'https://example.org/' } }), {
    tool: 'web_fetch',
    input: { url: 'https://example.org/' },
  });
});

test('a person decides about everything that is outside, unclear or of another kind', () => {
  const command = 'x'.repeat(40_000);
  for (const fields of [
    { kind: 'edit', ...at('/etc/passwd') },
    { kind: 'edit', ...at('/workspace/../etc/passwd') },
    { kind: 'edit', ...at('/workspace/.git/config') },
    { kind: 'edit', diffs: [{ path: '/workspace/a', before: '', after: '' }], ...at('/root/.bashrc') },
    { kind: 'edit', ...at('../../etc/passwd') },
    { kind: 'edit' },
    { kind: 'read', ...at('/root/.ssh') },
    { kind: 'execute', raw: { command: '' } },
    { kind: 'execute', raw: { command: 'a\0b' } },
    { kind: 'execute', raw: { command: [1, 2] } },
    { kind: 'execute', raw: { command } },
    { kind: 'execute', raw: 'rm -r /' },
    { kind: 'fetch', raw: { url: 'file:///etc/passwd' } },
    { kind: 'fetch', raw: { query: 'bread' } },
    { kind: 'delete', ...at('/workspace/a') },
    { kind: 'move', ...at('/workspace/a') },
    { kind: 'switch_mode' },
    { kind: 'other', title: '', input: command },
  ] as const) {
    const { tool, input } = asked(fields);
    assert.equal(tool, 'program_act', JSON.stringify(fields).slice(0, 200));
    assert.ok(VILLAGE_TOOLS.program_act.input.safeParse(input).success);
  }
});

test('every call fits the limit of the API', () => {
  const long = 'ß\u0001"'.repeat(100_000);
  const calls = [
    asked({
      kind: 'edit',
      diffs: [{ path: '/workspace/a', before: 'ß"'.repeat(100_000), after: 'ß"'.repeat(100_000) }],
    }),
    asked({ kind: 'other', title: long.slice(0, 900), input: 'ß"'.repeat(100_000) }),
  ];
  for (const { input } of calls) assert.ok(JSON.stringify(input).length <= 65_536, `${JSON.stringify(input).length}`);
});

test('an answer holds once, never always, and a program without such an option gets none', () => {
  const options = (['allow_always', 'allow_once', 'reject_always', 'reject_once'] as const).map((kind) => ({
    optionId: kind,
    kind,
  }));
  assert.deepEqual([optionFor(true, options), optionFor(false, options)], ['allow_once', 'reject_once']);
  const always = options.filter(({ kind }) => kind.endsWith('always'));
  assert.deepEqual([optionFor(true, always), optionFor(false, always)], [null, null]);
  assert.equal(optionFor(true, [...always, { optionId: 'no', kind: 'reject_once' }]), 'no');
});
