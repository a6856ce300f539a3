import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readLine, scoreOf } from './score.ts';

test('a line is exact, silently wrong or refused by its expected value; without one, a refusal is exact', () => {
  const long = readLine('{"raw":"x","expected":{"b":12345678901234567890,"a":[1]}}');
  assert.ok(typeof long !== 'string');
  for (const [found, score] of [
    [{ value: { a: [1], b: (long.expected as { b: unknown }).b } }, 'exact'],
    [{ value: { a: [1], b: Number('12345678901234567890') } }, 'silentlyWrong'],
    [null, 'refused'],
  ] as const)
    assert.equal(scoreOf(long, found), score);
  assert.deepEqual([scoreOf({}, null), scoreOf({}, { value: 1 })], ['exact', 'silentlyWrong']);
  for (const line of ['{', '[]', '{"expected":1}', '{"raw":"x","schema":3}'])
    assert.equal(typeof readLine(line), 'string');
});

test('hamlet-json prints the scores of a file', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'hamlet-json-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'lines.jsonl');
  writeFileSync(
    file,
    '{"raw":"{\\"a\\":1,}","expected":{"a":1}}\n\n{"raw":"{\\"a\\":NaN}"}\n{"raw":"{}","expected":[]}\n{"raw":"","expected":1}\n',
  );
  const printed = execFileSync(process.execPath, [join(import.meta.dirname, 'main.ts'), file, '--wrong'], {
    encoding: 'utf8',
  });
  assert.match(printed, /line 4, silently wrong: "\{\}"\n {2}\{\}\nline 5, refused: ""\n {2}JSON_SYNTAX_ERROR/);
  assert.match(printed, /4 lines: exact 50\.00 %, silently wrong 25\.00 %, refused 25\.00 %; [\d.]+ µs a line/);
});

test('hamlet-json explains itself, and says in one line what it cannot use', () => {
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args], { encoding: 'utf8' });
  const help = run('--help');
  assert.deepEqual([help.status, help.stderr], [0, '']);
  const [example = ''] = /^ {2}(\{.*\})$/m.exec(help.stdout)?.slice(1) ?? [];
  assert.equal(typeof readLine(example), 'object', 'the example of the usage is a line');
  for (const [argument, says] of [
    ['none.jsonl', /^none\.jsonl: there is no such file; name a file of JSON lines\n$/],
    ['--worng', /^Unknown option '--worng'/],
  ] as const) {
    const { status, stderr } = run(argument);
    assert.equal(status, 2);
    assert.match(stderr, says);
  }
});
