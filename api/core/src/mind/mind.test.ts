import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACP_PRESETS, Mind } from '@hamlet/contract';
import { installLabel, isForeign, mindIn, mindLabel, mindOfRuntime, MindCourse, mindWord, namedMind } from './mind.ts';

const CLAUDE: Mind = {
  runtime: 'acp',
  preset: 'claude-code',
  program: 'Claude Code',
  version: '0.101.0',
  installed: false,
};

const ENGINE = mindOfRuntime('engine');
const AIDER: Mind = { ...mindOfRuntime('command'), program: 'aider' };

test('a mind is named by its program and version, else by its runtime', () => {
  const rows: readonly (readonly [Partial<Mind>, string, boolean])[] = [
    [{}, 'Claude Code 0.101.0', true],
    [{ version: null }, 'Claude Code', true],
    [{ runtime: 'command', program: 'aider', version: null }, 'command: aider', true],
    [mindOfRuntime('engine'), "Hamlet's engine", false],
    [mindOfRuntime('scripted'), "Hamlet's scripted mind", false],
    [mindOfRuntime('echo'), 'echo', true],
  ];
  for (const [parts, label, foreign] of rows) {
    const mind = { ...CLAUDE, ...parts };
    assert.deepEqual([mindLabel(mind), isForeign(mind)], [label, foreign]);
  }
});

test('the spec names a mind by preset or program, without a version', () => {
  const rows = [
    [{}, null],
    [{ name: 'engine' }, "Hamlet's engine"],
    [{ name: 'acp', config: { preset: 'opencode' } }, ACP_PRESETS.opencode.title],
    [{ name: 'acp', config: { preset: 'of-tomorrow' } }, 'of-tomorrow'],
    [{ name: 'acp', config: { command: '/usr/local/bin/my-agent' } }, 'my-agent'],
    [{ name: 'command', config: { command: `/${'x'.repeat(200)}` } }, `command: ${'x'.repeat(64)}`],
    [{ name: 'command', config: { command: 'a\u202Eb\u0007' } }, 'command: ab'],
    [{ name: 'command', config: { command: '/' } }, 'command'],
    [{ name: 'echo', config: { preset: 'opencode' } }, 'echo'],
  ] as const;
  for (const [runtime, label] of rows) {
    const mind = namedMind(runtime);
    assert.equal(mind === null ? null : mindLabel(Mind.parse(mind)), label);
  }
});

test('words from a pod lose invisible characters and are shortened', () => {
  const rows = [
    ['1.0', '1.0'],
    [' \u0000 ', null],
    [null, null],
    [`${'x'.repeat(63)}🙂`, 'x'.repeat(63)],
  ] as const;
  for (const [text, word] of rows) assert.equal(mindWord(text), word);
});

test('size and licence of a program stand beside its installation', () => {
  const { megabytes, licence, version } = ACP_PRESETS['claude-code'];
  const facts = `${megabytes} MB, licence ${licence}`;
  assert.equal(installLabel(CLAUDE), `Its first run installs Claude Code ${version}: ${facts}`);
  const unknown = installLabel({ ...CLAUDE, installed: null });
  assert.equal(unknown, `Its first run installs Claude Code ${version} unless it is there: ${facts}`);
  assert.equal(installLabel({ ...CLAUDE, installed: true }), `Installed: ${facts}`);
  assert.equal(installLabel(mindOfRuntime('engine')), null);
});

test('the event of a start names the mind, unless an older village wrote it', () => {
  assert.deepEqual(mindIn({ cycle: 1, mind: CLAUDE }), CLAUDE);
  for (const detail of [{ cycle: 1 }, { mind: 'engine' }, { mind: { ...CLAUDE, version: '1\u202E' } }])
    assert.equal(mindIn(detail), null);
});

test('a line says where another mind begins; a program that has not started yet may be the previous one', () => {
  const rows: readonly (readonly [Mind | null, string | null])[] = [
    [ENGINE, null],
    [null, null],
    [ENGINE, null],
    [{ ...CLAUDE, version: null }, "Hamlet's engine to Claude Code"],
    [CLAUDE, null],
    [{ ...CLAUDE, version: null, installed: null }, null],
    [{ ...CLAUDE, version: '0.102.0' }, 'Claude Code 0.101.0 to Claude Code 0.102.0'],
    [AIDER, 'Claude Code 0.102.0 to command: aider'],
    [{ ...AIDER, program: 'goose' }, 'command: aider to command: goose'],
  ];
  const course = new MindCourse('Bob');
  for (const [mind, change] of rows)
    assert.equal(course.next(mind), change === null ? null : `Bob's mind changed from ${change}`);
});
