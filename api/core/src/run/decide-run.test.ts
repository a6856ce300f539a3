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
const failed = (run: RunProgress, code: Extract<RunVerdict, { kind: 'failed' }>['code']): RunVerdict => ({
  kind: 'failed',
  next: { ...run, state: 'failed' },
  event: 'settled',
  code,
});
const SAME: RunVerdict = { kind: 'same' };
const RENEWED: RunVerdict = { kind: 'renewed' };

/** A command of the resident in a cycle, with the lease of an attempt. */
const claimed =
  <K extends 'start' | 'step' | 'renew' | 'journal'>(kind: K) =>
  (cycle: number, attempt?: number) => ({ kind, cycle, ...(attempt === undefined ? {} : { attempt }) });
const [start, step, renew, journal] = [claimed('start'), claimed('step'), claimed('renew'), claimed('journal')];
const wait = (pending: boolean): RunCommand => ({ kind: 'wait', cycle: 3, attempt: 1, pending });
const HOUR_MS = 3_600_000;
const park = (number: number, count = 1, totalMs = HOUR_MS): RunCommand => ({
  kind: 'park',
  cycle: 3,
  attempt: number,
  parks: { count, totalMs },
});
const settle = (state: 'done' | 'failed' | 'cancelled', cycle: number, attempt?: number): RunCommand => ({
  kind: 'settle',
  state,
  cycle,
  ...(attempt === undefined ? {} : { attempt }),
});
const ended = (run: RunProgress, state: RunProgress['state']): RunVerdict => changed({ ...run, state }, 'settled');
const attempt = (run: RunProgress, number: number): RunProgress => ({ ...run, attempt: number });

const TABLE: readonly (readonly [string, RunProgress, RunCommand, RunVerdict])[] = [
  ['an agent starts a queued run', queued, start(3), changed(running, 'started')],
  ['a second start in the same cycle renews the claim', running, start(3), RENEWED],
  [
    'a start after a lapsed claim is another attempt, also in the same cycle',
    lapsed,
    start(3),
    changed(attempt(running, 2), 'redelivered'),
  ],
  [
    'a start after a lapsed claim is another attempt in a newer cycle',
    lapsed,
    start(4),
    changed({ ...running, cycle: 4, attempt: 2 }, 'redelivered'),
  ],
  ['a start after a lapsed claim from an older cycle is refused', lapsed, start(2), refused('stale_cycle')],
  ['a claim is renewed', running, renew(3, 1), RENEWED],
  ['a claim is renewed by a resident that names no attempt', running, renew(3), RENEWED],
  ['the claim on a run with a requested cancel is renewed', cancelling, renew(3, 1), RENEWED],
  ['a lapsed claim is not renewed', lapsed, renew(3, 1), refused('claim_lapsed')],
  ['the claim before this one is not renewed', attempt(running, 2), renew(3, 1), refused('claim_lapsed')],
  ['the claim of an older cycle is not renewed', running, renew(2, 1), refused('stale_cycle')],
  ['no claim on a queued run', queued, renew(3, 1), refused('run_not_started')],
  ['no claim on a settled run', done, renew(3, 1), refused('run_settled')],
  ['a claim lapses: the run is queued again', running, { kind: 'lapse' }, changed(lapsed, 'lapsed')],
  ['nothing lapses on a run that waits for a permission', waiting, { kind: 'lapse' }, SAME],
  [
    'a claim lapses for the last time',
    attempt(running, RUN_ATTEMPTS_MAX),
    { kind: 'lapse' },
    failed(attempt(running, RUN_ATTEMPTS_MAX), 'too_many_attempts'),
  ],
  [
    'a lapsed claim does not change a run with a requested cancel: give_up ends it',
    cancelling,
    { kind: 'lapse' },
    SAME,
  ],
  ['nothing lapses on a queued run', lapsed, { kind: 'lapse' }, SAME],
  ['nothing lapses on a settled run', done, { kind: 'lapse' }, SAME],
  [
    'a run is parked: it is queued again, and its attempt counts as progress',
    running,
    park(1),
    changed({ ...lapsed, progressAttempt: 1 }, 'queued'),
  ],
  ['a run that is parked too often', running, park(1, 201), failed(running, 'parked_too_long')],
  ['a run that is parked too long in all', running, park(1, 8, 169 * HOUR_MS), failed(running, 'parked_too_long')],
  ['a parked run before its time', lapsed, { ...start(3), isParked: true }, refused('run_parked')],
  ['a run with a requested cancel is not parked', cancelling, park(1), RENEWED],
  ['a run is not parked under a lapsed claim', lapsed, park(1), refused('claim_lapsed')],
  ['a step under a lapsed claim', lapsed, step(3, 1), refused('claim_lapsed')],
  ['a step under a lapsed claim, from a resident that names no attempt', lapsed, step(3), refused('claim_lapsed')],
  ['a step under the claim before this one', attempt(running, 2), step(3, 1), refused('claim_lapsed')],
  [
    'a step under this claim',
    attempt(running, 2),
    step(3, 2),
    changed({ ...running, attempt: 2, progressAttempt: 2 }, 'step'),
  ],
  ['settled under a lapsed claim', lapsed, settle('done', 3, 1), refused('claim_lapsed')],
  ['settled under the claim before this one', attempt(running, 2), settle('done', 3, 1), refused('claim_lapsed')],
  ['a lapsed run is cancelled at once', lapsed, { kind: 'cancel' }, ended(lapsed, 'cancelled')],
  [
    'a newer cycle starts the run again',
    running,
    start(4),
    changed({ ...running, cycle: 4, attempt: 2 }, 'redelivered'),
  ],
  [
    'a newer cycle starts a run with a requested cancel too',
    cancelling,
    start(4),
    changed({ ...cancelling, cycle: 4, attempt: 2 }, 'redelivered'),
  ],
  ['no cycle starts a run that waits for a permission', waiting, start(4), refused('run_waiting')],
  ['an older cycle does not start the run', running, start(2), refused('stale_cycle')],
  ['a settled run is not started', done, start(4), refused('run_settled')],
  [
    'the run fails after too many attempts',
    attempt(running, RUN_ATTEMPTS_MAX),
    start(4),
    failed(attempt(running, RUN_ATTEMPTS_MAX), 'too_many_attempts'),
  ],
  ['a step of a running run', running, step(3), changed(progressed, 'step')],
  ['entries of the journal', running, journal(3, 1), { kind: 'progressed', next: progressed }],
  ['entries under a lapsed lease', lapsed, journal(3, 1), refused('claim_lapsed')],
  [
    'a run with progress lapses after many attempts',
    { ...running, attempt: 40, progressAttempt: 36 },
    { kind: 'lapse' },
    changed({ ...lapsed, attempt: 40, progressAttempt: 36 }, 'lapsed'),
  ],
  ['a run waits for a pending permission, without a lease', running, wait(true), changed(waiting, 'waiting')],
  ['without a pending permission it stays', running, wait(false), RENEWED],
  ['a run to be cancelled does not wait', cancelling, wait(true), RENEWED],
  ['a second wait', waiting, wait(true), refused('claim_lapsed')],
  ['no renewal of a run that waits', waiting, renew(3, 1), refused('claim_lapsed')],
  ['no end of a run that waits', waiting, settle('done', 3), refused('claim_lapsed')],
  ['the last answer queues a run that waits', waiting, { kind: 'resume' }, changed(lapsed, 'queued')],
  ['an answer changes no running run', running, { kind: 'resume' }, SAME],
  ['an answer changes no ended run', done, { kind: 'resume' }, SAME],
  ['a run that waits is cancelled at once', waiting, { kind: 'cancel' }, ended(waiting, 'cancelled')],
  [
    'a run that did nothing is not done',
    running,
    { kind: 'settle', cycle: 3, state: 'done', unfit: 'run_did_nothing' },
    failed(running, 'run_did_nothing'),
  ],
  [
    'a run that did nothing is not done, again',
    { ...running, state: 'failed' },
    { kind: 'settle', cycle: 3, state: 'done', unfit: 'run_did_nothing' },
    SAME,
  ],
  [
    'a run without an answer that fits its output schema is not done',
    running,
    { kind: 'settle', cycle: 3, state: 'done', unfit: 'output_not_valid' },
    failed(running, 'output_not_valid'),
  ],
  [
    'a run that did nothing may fail',
    running,
    { kind: 'settle', cycle: 3, state: 'failed', unfit: 'run_did_nothing' },
    ended(running, 'failed'),
  ],
  ['a step of a queued run', queued, step(3), refused('run_not_started')],
  ['a step of an older cycle', running, step(2), refused('stale_cycle')],
  ['a step of a cycle that has not started it', running, step(4), refused('run_not_started')],
  ['a step of a settled run', done, step(3), refused('run_settled')],
  ['done', running, settle('done', 3), changed(done, 'settled')],
  ['failed', running, settle('failed', 3), ended(running, 'failed')],
  ['done despite a requested cancel, which came too late', cancelling, settle('done', 3), ended(cancelling, 'done')],
  ['cancelled after a requested cancel', cancelling, settle('cancelled', 3), ended(cancelling, 'cancelled')],
  ['cancelled without a requested cancel', running, settle('cancelled', 3), refused('cancel_not_requested')],
  ['settled twice the same way', done, settle('done', 3), SAME],
  ['settled another way', done, settle('failed', 3), refused('run_settled')],
  ['settled by another cycle', done, settle('done', 4), refused('run_settled')],
  ['settled without a start', queued, settle('done', 3), refused('run_not_started')],
  ['settled by an older cycle', running, settle('done', 2), refused('stale_cycle')],
  ['a queued run is cancelled at once', queued, { kind: 'cancel' }, ended(queued, 'cancelled')],
  [
    'a cancel of a running run is a request to its agent',
    running,
    { kind: 'cancel' },
    changed(cancelling, 'cancel_requested'),
  ],
  ['a repeated cancel changes nothing', cancelling, { kind: 'cancel' }, SAME],
  ['a settled run is not cancelled', done, { kind: 'cancel' }, refused('run_settled')],
  ['given up while queued', queued, { kind: 'give_up', state: 'failed' }, ended(queued, 'failed')],
  ['given up while running', running, { kind: 'give_up', state: 'cancelled' }, ended(running, 'cancelled')],
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
    { kind: 'park', cycle: 3, parks: { count: 1, totalMs: HOUR_MS } },
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
  ['the summary of a resident that names no runtime is an answer', { runtime: null }, false],
  ['no effect and no answer', {}, true],
  ['white space does not count as an answer', { answer: ' \n' }, true],
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
