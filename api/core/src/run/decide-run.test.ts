import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RUN_STATES } from '@hamlet/contract';
import { decideRun, isSettled, RUN_ATTEMPTS_MAX } from './decide-run.ts';
import type { RunCommand, RunProgress, RunVerdict } from './decide-run.ts';

const queued: RunProgress = { state: 'queued', attempt: 0, cycle: null, cancelRequested: false };
const running: RunProgress = { state: 'running', attempt: 1, cycle: 3, cancelRequested: false };
const cancelling: RunProgress = { ...running, cancelRequested: true };
const done: RunProgress = { ...running, state: 'done' };
const lapsed: RunProgress = { ...running, state: 'queued' };

const refused = (reason: Extract<RunVerdict, { kind: 'refused' }>['reason']): RunVerdict => ({
  kind: 'refused',
  reason,
});
const changed = (next: RunProgress, event: Extract<RunVerdict, { kind: 'change' }>['event']): RunVerdict => ({
  kind: 'change',
  next,
  event,
});
const SAME: RunVerdict = { kind: 'same' };
const RENEWED: RunVerdict = { kind: 'renewed' };

const TABLE: readonly (readonly [string, RunProgress, RunCommand, RunVerdict])[] = [
  ['an agent starts a queued run', queued, { kind: 'start', cycle: 3 }, changed(running, 'started')],
  ['a second start in the same cycle renews the claim', running, { kind: 'start', cycle: 3 }, RENEWED],
  [
    'a start after a lapsed claim is another attempt, also in the same cycle',
    lapsed,
    { kind: 'start', cycle: 3 },
    changed({ ...running, attempt: 2 }, 'redelivered'),
  ],
  [
    'a start after a lapsed claim is another attempt in a newer cycle',
    lapsed,
    { kind: 'start', cycle: 4 },
    changed({ ...running, cycle: 4, attempt: 2 }, 'redelivered'),
  ],
  [
    'a start after a lapsed claim from an older cycle is refused',
    lapsed,
    { kind: 'start', cycle: 2 },
    refused('stale_cycle'),
  ],
  ['a claim is renewed', running, { kind: 'renew', cycle: 3, attempt: 1 }, RENEWED],
  ['a claim is renewed by a resident that names no attempt', running, { kind: 'renew', cycle: 3 }, RENEWED],
  [
    'the claim on a run with a requested cancel is renewed',
    cancelling,
    { kind: 'renew', cycle: 3, attempt: 1 },
    RENEWED,
  ],
  ['a lapsed claim is not renewed', lapsed, { kind: 'renew', cycle: 3, attempt: 1 }, refused('claim_lapsed')],
  [
    'the claim before this one is not renewed',
    { ...running, attempt: 2 },
    { kind: 'renew', cycle: 3, attempt: 1 },
    refused('claim_lapsed'),
  ],
  [
    'the claim of an older cycle is not renewed',
    running,
    { kind: 'renew', cycle: 2, attempt: 1 },
    refused('stale_cycle'),
  ],
  ['no claim on a queued run', queued, { kind: 'renew', cycle: 3, attempt: 1 }, refused('run_not_started')],
  ['no claim on a settled run', done, { kind: 'renew', cycle: 3, attempt: 1 }, refused('run_settled')],
  ['a claim lapses: the run is queued again', running, { kind: 'lapse' }, changed(lapsed, 'lapsed')],
  [
    'a claim lapses while the run waits for a permission',
    { ...running, state: 'waiting_permission' },
    { kind: 'lapse' },
    changed(lapsed, 'lapsed'),
  ],
  [
    'a claim lapses for the last time',
    { ...running, attempt: RUN_ATTEMPTS_MAX },
    { kind: 'lapse' },
    { kind: 'spent', next: { ...running, attempt: RUN_ATTEMPTS_MAX, state: 'failed' }, event: 'settled' },
  ],
  [
    'a lapsed claim does not change a run with a requested cancel: give_up ends it',
    cancelling,
    { kind: 'lapse' },
    SAME,
  ],
  ['nothing lapses on a queued run', lapsed, { kind: 'lapse' }, SAME],
  ['nothing lapses on a settled run', done, { kind: 'lapse' }, SAME],
  ['a step under a lapsed claim', lapsed, { kind: 'step', cycle: 3, attempt: 1 }, refused('claim_lapsed')],
  [
    'a step under a lapsed claim, of a resident that names no attempt',
    lapsed,
    { kind: 'step', cycle: 3 },
    refused('claim_lapsed'),
  ],
  [
    'a step under the claim before this one',
    { ...running, attempt: 2 },
    { kind: 'step', cycle: 3, attempt: 1 },
    refused('claim_lapsed'),
  ],
  [
    'a step under this claim',
    { ...running, attempt: 2 },
    { kind: 'step', cycle: 3, attempt: 2 },
    changed({ ...running, attempt: 2 }, 'step'),
  ],
  [
    'settled under a lapsed claim',
    lapsed,
    { kind: 'settle', cycle: 3, attempt: 1, state: 'done' },
    refused('claim_lapsed'),
  ],
  [
    'settled under the claim before this one',
    { ...running, attempt: 2 },
    { kind: 'settle', cycle: 3, attempt: 1, state: 'done' },
    refused('claim_lapsed'),
  ],
  [
    'a lapsed run is cancelled at once',
    lapsed,
    { kind: 'cancel' },
    changed({ ...lapsed, state: 'cancelled' }, 'settled'),
  ],
  [
    'a newer cycle starts the run again',
    running,
    { kind: 'start', cycle: 4 },
    changed({ ...running, cycle: 4, attempt: 2 }, 'redelivered'),
  ],
  [
    'a newer cycle starts a run with a requested cancel too',
    cancelling,
    { kind: 'start', cycle: 4 },
    changed({ ...cancelling, cycle: 4, attempt: 2 }, 'redelivered'),
  ],
  [
    'a newer cycle starts a run that waits for a permission',
    { ...running, state: 'waiting_permission' },
    { kind: 'start', cycle: 4 },
    changed({ ...running, cycle: 4, attempt: 2 }, 'redelivered'),
  ],
  ['an older cycle does not start the run', running, { kind: 'start', cycle: 2 }, refused('stale_cycle')],
  ['a settled run is not started', done, { kind: 'start', cycle: 4 }, refused('run_settled')],
  [
    'the run fails after too many attempts',
    { ...running, attempt: RUN_ATTEMPTS_MAX },
    { kind: 'start', cycle: 4 },
    { kind: 'spent', next: { ...running, attempt: RUN_ATTEMPTS_MAX, state: 'failed' }, event: 'settled' },
  ],
  ['a step of a running run', running, { kind: 'step', cycle: 3 }, changed(running, 'step')],
  ['a step of a queued run', queued, { kind: 'step', cycle: 3 }, refused('run_not_started')],
  ['a step of an older cycle', running, { kind: 'step', cycle: 2 }, refused('stale_cycle')],
  ['a step of a cycle that has not started it', running, { kind: 'step', cycle: 4 }, refused('run_not_started')],
  ['a step of a settled run', done, { kind: 'step', cycle: 3 }, refused('run_settled')],
  ['done', running, { kind: 'settle', cycle: 3, state: 'done' }, changed(done, 'settled')],
  [
    'failed',
    running,
    { kind: 'settle', cycle: 3, state: 'failed' },
    changed({ ...running, state: 'failed' }, 'settled'),
  ],
  [
    'done despite a requested cancel, which came too late',
    cancelling,
    { kind: 'settle', cycle: 3, state: 'done' },
    changed({ ...cancelling, state: 'done' }, 'settled'),
  ],
  [
    'cancelled after a requested cancel',
    cancelling,
    { kind: 'settle', cycle: 3, state: 'cancelled' },
    changed({ ...cancelling, state: 'cancelled' }, 'settled'),
  ],
  [
    'cancelled without a requested cancel',
    running,
    { kind: 'settle', cycle: 3, state: 'cancelled' },
    refused('cancel_not_requested'),
  ],
  ['settled twice the same way', done, { kind: 'settle', cycle: 3, state: 'done' }, SAME],
  ['settled another way', done, { kind: 'settle', cycle: 3, state: 'failed' }, refused('run_settled')],
  ['settled by another cycle', done, { kind: 'settle', cycle: 4, state: 'done' }, refused('run_settled')],
  ['settled without a start', queued, { kind: 'settle', cycle: 3, state: 'done' }, refused('run_not_started')],
  ['settled by an older cycle', running, { kind: 'settle', cycle: 2, state: 'done' }, refused('stale_cycle')],
  [
    'a queued run is cancelled at once',
    queued,
    { kind: 'cancel' },
    changed({ ...queued, state: 'cancelled' }, 'settled'),
  ],
  [
    'a cancel of a running run is a request to its agent',
    running,
    { kind: 'cancel' },
    changed(cancelling, 'cancel_requested'),
  ],
  ['a repeated cancel changes nothing', cancelling, { kind: 'cancel' }, SAME],
  ['a settled run is not cancelled', done, { kind: 'cancel' }, refused('run_settled')],
  [
    'given up while queued',
    queued,
    { kind: 'give_up', state: 'failed' },
    changed({ ...queued, state: 'failed' }, 'settled'),
  ],
  [
    'given up while running',
    running,
    { kind: 'give_up', state: 'cancelled' },
    changed({ ...running, state: 'cancelled' }, 'settled'),
  ],
  ['given up after its end', done, { kind: 'give_up', state: 'failed' }, SAME],
];

for (const [name, run, command, verdict] of TABLE)
  test(`run: ${name}`, () => assert.deepEqual(decideRun(run, command), verdict));

test('no command changes a settled run', () => {
  const commands: readonly RunCommand[] = [
    { kind: 'start', cycle: 9 },
    { kind: 'step', cycle: 3 },
    { kind: 'settle', cycle: 3, state: 'done' },
    { kind: 'settle', cycle: 3, state: 'failed' },
    { kind: 'settle', cycle: 3, state: 'cancelled' },
    { kind: 'cancel' },
    { kind: 'give_up', state: 'failed' },
    { kind: 'give_up', state: 'cancelled' },
    { kind: 'renew', cycle: 3 },
    { kind: 'lapse' },
  ];
  for (const state of RUN_STATES.filter(isSettled))
    for (const command of commands)
      assert.ok(
        ['same', 'refused'].includes(decideRun({ ...running, state }, command).kind),
        `${state} ${command.kind}`,
      );
});
