import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runPool, startNoMoreFiles, type TimedResult } from './pool.ts';

const files = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `test/runner/pool/planted/${name}.test.ts`);

async function runAll(
  names: readonly string[],
  fileLimitMs = 120_000,
): Promise<{ results: readonly TimedResult[]; lines: readonly string[] }> {
  const [results, lines]: [TimedResult[], string[]] = [[], []];
  const options = { workers: 1, print: (line: string) => lines.push(line), fileLimitMs };
  await runPool(files(...names), options, (result) => results.push(result));
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
    results.map(({ file, failures: [failure] }) => [
      file.split('/').at(-1),
      failure?.what
        .replace(/^[^ ]+: /, '')
        .replace(/ An error that no test awaits: Error: nobody awaits this at check .*$/, ' (late)'),
    ]),
    [
      ['changes-process.test.ts', 'its tests have changed the variable HAMLET_PLANTED. Fix: undo it in after()'],
      ['breaks-off.test.ts', 'its process ended with code 3 before its tests did'],
      ['cannot-load.test.ts', 'at the top of the file'],
      ['fails-unawaited.test.ts', 'its tests have changed the exit code. Fix: undo it in after() (late)'],
      ['registers-late.test.ts', undefined],
      ['hooks.test.ts', undefined],
      ['hooks.test.ts', 'its worker ended with code 1 after it: this file or one before it fails late'],
    ],
  );
  assert.match(lines.join(' '), /"late" was registered after its file was loaded/);
});

test('an error that no test awaits fails the running test; nested tests and hooks belong to their own; promises have no ids', async () => {
  const { results, lines } = await runAll(['throws-unawaited']);
  assert.deepEqual(
    results.map(({ passed, failures }) => [passed, failures.map(({ what }) => what.replace(/^[^ ]+ /, ''))]),
    [[2, ['throws in a timer: thrown in a timer']]],
  );
  assert.deepEqual(lines, ['promises have no ids', 'nested has ended', 'after the nested']);
});

test('a file that never ends is ended after its limit', async () => {
  const { results } = await runAll(['loops'], 6_000);
  assert.deepEqual(
    results.map(({ failures }) => failures.map(({ what }) => what)),
    [[`${files('loops')[0]}: it was ended after its limit of 0.1 min`]],
  );
});

test('a spare worker waits for its turn before each file, and has the variables of the pool', async () => {
  const [results, order]: [TimedResult[], string[]] = [[], []];
  const options = {
    workers: 0,
    spare: { workers: 1, turn: async (isOver: () => boolean) => void order.push(isOver() ? 'over' : 'turn') },
    environment: { HAMLET_PLANTED: 'left' },
    print: () => undefined,
    fileLimitMs: 120_000,
  };
  await runPool(files('changes-process'), options, (result) => {
    results.push(result);
    order.push('file');
  });
  assert.deepEqual(order, ['turn', 'file', 'over']);
  assert.deepEqual(
    results.map(({ passed, failures }) => [passed, failures]),
    [[1, []]],
    'a file that sets a variable to what it is changes nothing',
  );
});

test('after an interruption no further file starts', async () => {
  const results: TimedResult[] = [];
  await runPool(files('hooks', 'hooks'), { workers: 1, print: () => undefined, fileLimitMs: 120_000 }, (result) => {
    results.push(result);
    startNoMoreFiles();
  });
  assert.equal(results.length, 1);
});
