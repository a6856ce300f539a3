import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RUN_STATES } from '@hamlet/contract';
import { decideRun, isSettled, RUN_ATTEMPTS_MAX } from './decide-run.ts';
import type { RunCommand, RunProgress, RunVerdict } from './decide-run.ts';
import { didNothing, type RunResult } from './did-nothing.ts';

const queued: RunProgress = { state: 'queued', attempt: 0, progressAttempt: 0, cycle: null, cancelRequested: false };
const running: RunProgress = { state: 'running', attempt: 1, progressAttempt: 0, cycle: 3, cancelRequested: false };
const cancelling: RunProgress = { ...running, cancelRequested: true };
const done: RunProgress = { ...running, state: 'done' };
const lapsed: RunProgress = { ...running, state: 'queued' };
const waiting: RunProgress = { ...running, state: 'waiting_permission' };
const progressed: RunProgress = { ...running, progressAttempt: 1 };

const refused = (reason: Extract<RunVerdict, { kind: 'refused' }>['reason']): RunVerdict => ({
  kind: 'refused',
  reason,
});
const changed = (next: RunProgress, event: Extract<RunVerdict, { kind: 'change' }>['event']): RunVerdict => ({
  kind: 'change',
  next,
  event,
});
const failed = (run: RunProgress, code: 'too_many_attempts' | 'run_did_nothing'): RunVerdict => ({
  kind: 'failed',
  next: { ...run, state: 'failed' },
  event: 'settled',
  code,
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
  ['nothing lapses on a run that waits for a permission', waiting, { kind: 'lapse' }, SAME],
  [
    'a claim lapses for the last time',
    { ...running, attempt: RUN_ATTEMPTS_MAX },
    { kind: 'lapse' },
    failed({ ...running, attempt: RUN_ATTEMPTS_MAX }, 'too_many_attempts'),
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
    changed({ ...running, attempt: 2, progressAttempt: 2 }, 'step'),
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
  ['no cycle starts a run that waits for a permission', waiting, { kind: 'start', cycle: 4 }, refused('run_waiting')],
  ['an older cycle does not start the run', running, { kind: 'start', cycle: 2 }, refused('stale_cycle')],
  ['a settled run is not started', done, { kind: 'start', cycle: 4 }, refused('run_settled')],
  [
    'the run fails after too many attempts',
    { ...running, attempt: RUN_ATTEMPTS_MAX },
    { kind: 'start', cycle: 4 },
    failed({ ...running, attempt: RUN_ATTEMPTS_MAX }, 'too_many_attempts'),
  ],
  ['a step of a running run', running, { kind: 'step', cycle: 3 }, changed(progressed, 'step')],
  [
    'entries of the journal',
    running,
    { kind: 'journal', cycle: 3, attempt: 1 },
    { kind: 'progressed', next: progressed },
  ],
  ['entries under a lapsed lease', lapsed, { kind: 'journal', cycle: 3, attempt: 1 }, refused('claim_lapsed')],
  [
    'a run with progress lapses after many attempts',
    { ...running, attempt: 40, progressAttempt: 36 },
    { kind: 'lapse' },
    changed({ ...lapsed, attempt: 40, progressAttempt: 36 }, 'lapsed'),
  ],
  [
    'a run waits for a pending permission, without a lease',
    running,
    { kind: 'wait', cycle: 3, attempt: 1, pending: true },
    changed(waiting, 'waiting'),
  ],
  ['without a pending permission it stays', running, { kind: 'wait', cycle: 3, attempt: 1, pending: false }, RENEWED],
  ['a run to be cancelled does not wait', cancelling, { kind: 'wait', cycle: 3, attempt: 1, pending: true }, RENEWED],
  ['a second wait', waiting, { kind: 'wait', cycle: 3, attempt: 1, pending: true }, refused('claim_lapsed')],
  ['no renewal of a run that waits', waiting, { kind: 'renew', cycle: 3, attempt: 1 }, refused('claim_lapsed')],
  ['no end of a run that waits', waiting, { kind: 'settle', cycle: 3, state: 'done' }, refused('claim_lapsed')],
  ['the last answer queues a run that waits', waiting, { kind: 'resume' }, changed(lapsed, 'queued')],
  ['an answer changes no running run', running, { kind: 'resume' }, SAME],
  ['an answer changes no ended run', done, { kind: 'resume' }, SAME],
  [
    'a run that waits is cancelled at once',
    waiting,
    { kind: 'cancel' },
    changed({ ...waiting, state: 'cancelled' }, 'settled'),
  ],
  [
    'a run that did nothing is not done',
    running,
    { kind: 'settle', cycle: 3, state: 'done', didNothing: true },
    failed(running, 'run_did_nothing'),
  ],
  [
    'a run that did nothing is not done, again',
    { ...running, state: 'failed' },
    { kind: 'settle', cycle: 3, state: 'done', didNothing: true },
    SAME,
  ],
  [
    'a run that did nothing may fail',
    running,
    { kind: 'settle', cycle: 3, state: 'failed', didNothing: true },
    changed({ ...running, state: 'failed' }, 'settled'),
  ],
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
    { kind: 'journal', cycle: 3 },
    { kind: 'wait', cycle: 3, pending: true },
    { kind: 'resume' },
    { kind: 'lapse' },
  ];
  for (const state of RUN_STATES.filter(isSettled))
    for (const command of commands)
      assert.ok(
        ['same', 'refused'].includes(decideRun({ ...running, state }, command).kind),
        `${state} ${command.kind}`,
      );
});

const RESULTS: readonly (readonly [string, Partial<RunResult>, boolean])[] = [
  ['a resident that names no runtime has its summary', { runtime: null }, false],
  ['no effect and no answer', {}, true],
  ['white space is no answer', { answer: ' \n' }, true],
  ['an answer', { answer: 'Here.' }, false],
  ['an effect', { effects: 1 }, false],
  ['a message needs an answer', { kind: 'message', effects: 1 }, true],
  ['the summary answers a message, too', { kind: 'message', runtime: null }, false],
  ['an answered message', { kind: 'message', answer: 'Yes.' }, false],
];

for (const [name, changes, nothing] of RESULTS)
  test(`did nothing: ${name}`, () =>
    assert.equal(
      didNothing({ kind: 'prompt', runtime: 'engine', answer: undefined, effects: 0, ...changes }),
      nothing,
    ));
