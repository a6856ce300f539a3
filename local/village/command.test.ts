import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { run, tryRun } from './command.ts';
import { Failure } from './failure.ts';
import { testFolder } from '@hamlet/test/env/at-end';

test('run returns standard output, and reports each line of both streams as it is printed', async () => {
  const lines: string[] = [];
  const answer = await run('sh', ['-c', 'echo out; echo err >&2; printf last'], { doing: (line) => lines.push(line) });
  assert.equal(answer, 'out\nlast');
  assert.deepEqual(lines.toSorted(), ['err', 'out']);
});

test('input, environment and folder reach the program', async () => {
  assert.equal(
    await run('sh', ['-c', 'cat; printf " $WORD $PWD"'], { input: 'in', env: { WORD: 'word' }, cwd: '/' }),
    'in word /',
  );
});

test('a failed program throws with the end of its output, the path of the log, and the fix', async () => {
  const folder = testFolder('command');
  const log = join(folder, 'log');
  const failed = run('sh', ['-c', 'echo before; echo why >&2; exit 3'], { log, fix: 'do that' });
  await assert.rejects(
    failed,
    (error) =>
      error instanceof Failure &&
      /ended with code 3:[\s\S]*why/.test(error.message) &&
      error.message.includes(log) &&
      error.fix === 'do that',
  );
  assert.match(readFileSync(log, 'utf8'), /^\$ sh -c/);
});

test('tryRun returns a non-zero exit code', async () => {
  assert.equal((await tryRun('sh', ['-c', 'exit 4'])).code, 4);
});

test('a missing program is reported as not installed', async () => {
  await assert.rejects(run('hamlet-no-such-program', []), /hamlet-no-such-program is not installed/);
});

test('a program that ends before it has read its input is reported by its exit code', async () => {
  assert.equal((await tryRun('sh', ['-c', 'exit 4'], { input: 'x'.repeat(1 << 20) })).code, 4);
});
