/** Every task can be solved as its tests ask, and doing nothing does not solve it. No model and no village take part. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { FULL_RUN } from '@hamlet/test/env/seeded';
import { handsBy, mustRun } from './hands.ts';
import { judge, layOut, putPart } from './task-folder.ts';
import { readTasks, type EvalTask } from './task.ts';

/** The number of our own tasks of each kind. */
const KINDS = {
  build: 2,
  data: 3,
  injected: 2,
  memory: 1,
  reboot: 1,
  refactor: 3,
  refused: 2,
  repair: 4,
  research: 2,
  workers: 1,
  write: 3,
};

const folder = testFolder('eval-tasks');
const { tasks, unfit } = readTasks(join(import.meta.dirname, 'tasks'));

// The builds of tasks take minutes; here each pause of a program takes a moment. Python is linked without the start of a version manager.
const programs = join(folder, 'bin');
mkdirSync(programs);
writeFileSync(join(programs, 'sleep'), '#!/bin/sh\nexec /bin/sleep 0.02\n', { mode: 0o755 });
const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' });
symlinkSync(python.trim(), join(programs, 'python3'));
const hands = handsBy(async () => [], { PATH: `${programs}:${process.env['PATH']}` });

test('every kind of work has its tasks, and each can be read', () => {
  assert.deepEqual(unfit, []);
  const found = Object.entries(Object.groupBy(tasks, ({ kind }) => kind)).map(([kind, of = []]) => [kind, of.length]);
  assert.deepEqual(Object.fromEntries(found), KINDS);
});

/** The tasks of the gate. */
const firstOfEachKind = (): readonly EvalTask[] =>
  Object.values(Object.groupBy(tasks, ({ kind }) => kind)).flatMap((of = []) => of.slice(0, 1));

describe('tasks', { concurrency: 2 }, () => {
  for (const task of FULL_RUN ? tasks : firstOfEachKind())
    test(`${task.name}: the reference solution passes, and doing nothing fails`, async () => {
      const base = join(folder, task.name);
      const place = { hands, task, base };
      await layOut(place);
      const undone = await judge(place);
      assert.equal(undone.reward, 0, 'nothing done');
      assert.match(undone.said, /\w.* · \w/, 'the failed line and its error');
      await putPart(place, 'solution');
      await mustRun(hands, `bash '${base}/solution/solve.sh'`);
      const { reward, said } = await judge(place);
      assert.equal(reward, 1, said);
    });
});
