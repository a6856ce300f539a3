import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runPool, startNoMoreFiles, type TimedResult } from './pool.ts';

const files = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `test/runner/pool/planted/${name}.test.ts`);

async function runAll(
  names: readonly string[],
): Promise<{ results: readonly TimedResult[]; lines: readonly string[] }> {
  const [results, lines]: [TimedResult[], string[]] = [[], []];
  await runPool(files(...names), { workers: 1, print: (line) => lines.push(line) }, (result) => results.push(result));
  return { results, lines };
}

test('files run one after the other in one process, and each has its own hooks', async () => {
  const { results, lines } = await runAll(['hooks', 'hooks']);
  assert.deepEqual(
    results.map(({ passed, failures }) => [passed, failures.length]),
    [
      [2, 0],
      [0, 0],
    ],
  );
  assert.deepEqual(lines, ['counted 2']);
});

test('a file that changes or ends its process or cannot be loaded fails by its name, and the next file runs; a late failure fails the worker', async () => {
  const { results, lines } = await runAll([
    'changes-process',
    'breaks-off',
    'cannot-load',
    'fails-unawaited',
    'registers-late',
    'hooks',
  ]);
  assert.deepEqual(
    results.map(({ file, failures: [failure] }) => [file.split('/').at(-1), failure?.what.replace(/^[^ ]+: /, '')]),
    [
      ['changes-process.test.ts', 'its tests have changed the variable HAMLET_PLANTED. Fix: undo it in after()'],
      ['breaks-off.test.ts', 'its process ended with 3 before its tests did'],
      ['cannot-load.test.ts', 'at the top of the file'],
      ['fails-unawaited.test.ts', 'its tests have changed the exit code. Fix: undo it in after()'],
      ['registers-late.test.ts', undefined],
      ['hooks.test.ts', undefined],
      ['hooks.test.ts', 'its worker ended with 1 after it: this file or one before it fails late'],
    ],
  );
  assert.match(lines.join(' '), /"late" was registered after its file was loaded/);
});

test('after an interruption no further file starts', async () => {
  const results: TimedResult[] = [];
  await runPool(files('hooks', 'hooks'), { workers: 1, print: () => undefined }, (result) => {
    results.push(result);
    startNoMoreFiles();
  });
  assert.equal(results.length, 1);
});
