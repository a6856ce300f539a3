/** A short version of the bench with our engine alone: it records figures, and asserts only that every task gives its texts. */
import { ok } from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { SubjectProcess } from '../engine/subject-process.ts';
import { POD_FLAGS } from '../pod-flags.ts';
import { measureAtOnce } from './at-once.ts';
import { measureBytes } from './bytes.ts';
import { FILES, type WorkflowStage } from './programs.ts';
import { measureSpeed } from './speed.ts';
import { measureValidation } from './validation.ts';

const folder = testFolder('bench-workflow');
let started = 0;

const stage: WorkflowStage = {
  start: (name) => {
    const own = join(folder, `${(started += 1)}`);
    mkdirSync(own);
    return SubjectProcess.start({
      file: FILES[name],
      flags: [...POD_FLAGS, '--expose-gc'],
      environment: { NODE_ENV: 'production', NODE_NO_WARNINGS: '1', BENCH_FOLDER: own },
    });
  },
};

test('a short version of the bench of workflows', async (t) => {
  const programs = ['hamlet'] as const;
  const rows = [
    ...(await measureSpeed(stage, { programs, rounds: 1, tasks: 1, stages: 20 })),
    ...(await measureBytes(stage, { programs, lengths: [50], textBytes: 1_024 })),
    ...(await measureValidation(stage, 1)),
    ...(await measureAtOnce(stage, { programs, tasks: 20, stages: 3 })),
  ];
  for (const { metric, ours, unit } of rows) t.diagnostic(`${metric}: ${ours.toPrecision(4)} ${unit}`);
  ok(rows.every(({ ours }) => ours > 0));
});
