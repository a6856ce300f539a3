import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mind } from '@hamlet/contract';
import { mindOfRuntime } from '@hamlet/core';
import { aCallEvent, aRun, aRunEvent } from '../../client/minds/minds.fixture.ts';
import { EMPTY_TRACE, type RunTrace } from '../../client/minds/run-trace.ts';
import { traceItems } from '../../client/minds/trace-items.ts';
import { changesBetween, mindChanges, traceMind } from './trace-mind.ts';

const ENGINE = mindOfRuntime('engine');
const CODE: Mind = { runtime: 'acp', preset: 'opencode', program: 'OpenCode', version: '1.18.33', installed: true };
const CHANGED = "Bob's mind changed from Hamlet's engine to OpenCode 1.18.33";

const traceOf = (...events: RunTrace['events']): RunTrace => ({ ...EMPTY_TRACE, events });
const startedBy = (mind: Mind | null): RunTrace =>
  traceOf(aRunEvent(1, 'queued'), aRunEvent(2, 'started', mind === null ? {} : { mind }));

test('the last start of a run names its mind; only the village has minds that a runtime names', () => {
  const restarted = traceOf(
    aRunEvent(1, 'started', { mind: ENGINE }),
    aRunEvent(2, 'redelivered', { mind: CODE }),
    aCallEvent(3, 'call_begun'),
  );
  assert.deepEqual(traceMind(restarted), CODE);
  const first = startedBy({ ...CODE, version: null });
  assert.deepEqual(traceMind({ ...first, run: aRun({ runtime: 'acp', mind: CODE }) }), CODE, 'named after its start');
  assert.deepEqual(traceMind({ ...startedBy(null), run: aRun({ runtime: 'engine' }) }), ENGINE);
  assert.equal(traceMind({ ...startedBy(null), run: aRun({ runtime: 'acp' }) }), null, 'no name of a program yet');
  assert.equal(traceMind(EMPTY_TRACE), null);
});

test('a run that another mind continues says so at that start', () => {
  const trace = traceOf(
    aRunEvent(1, 'started', { mind: ENGINE }),
    aRunEvent(2, 'redelivered', { mind: ENGINE }),
    aRunEvent(3, 'redelivered', { mind: CODE }),
  );
  assert.deepEqual([...mindChanges(traceItems(trace, []), 'Bob')], [['event 3', CHANGED]]);
});

test('a conversation says between which messages the mind changed; work of an unknown mind changes nothing', () => {
  const works = [startedBy(ENGINE), EMPTY_TRACE, startedBy(ENGINE), startedBy(CODE), startedBy(CODE)];
  assert.deepEqual(changesBetween(works, 'Bob'), [null, null, null, CHANGED, null]);
});
