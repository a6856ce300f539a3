import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RUN_ANSWER_MAX_CHARS, RUN_COUNT_MAX, RUN_SUMMARY_MAX_CHARS } from '@hamlet/contract/resident';
import { endOf } from './settlement.ts';

const nothing = { progress: { done: [], underWay: null }, steps: [] };
const FACE = '\u{1F600}';

test('each text of an end is well-formed, also where it is cut', () => {
  const texts = [
    `${'x'.repeat(RUN_SUMMARY_MAX_CHARS - 2)}${FACE}${FACE}`,
    `half \uD83D of a face`,
    FACE.repeat(40_000),
  ];
  for (const text of texts) {
    const { summary, answer = '' } = endOf({ kind: 'done', text }, null, nothing);
    assert.ok(summary.isWellFormed() && answer.isWellFormed());
    assert.ok(summary.length <= RUN_SUMMARY_MAX_CHARS && answer.length <= RUN_ANSWER_MAX_CHARS);
  }
  assert.equal(endOf({ kind: 'done', text: `All ${FACE} whole` }, null, nothing).answer, `All ${FACE} whole`);
});

test('a usage that a provider made up does not keep the result from the API', () => {
  const spent = { steps: 3, tokens: 5_000_000_000, moneyMicros: 2, timeMs: 1, idleCalls: 0 };
  const { usage } = endOf({ kind: 'done', text: 'Done.' }, spent, nothing);
  assert.deepEqual(usage, { steps: 3, tokens: RUN_COUNT_MAX, cost: '0.000002' });
});

test('only a run that is done has the output that its runtime read', () => {
  assert.equal(endOf({ kind: 'done', text: 'Three: 3', output: '3' }, null, nothing).output, '3');
  assert.ok(!('output' in endOf({ kind: 'done', text: '3' }, null, nothing)));
  const failed = { kind: 'failed', code: 'output_not_valid', message: 'It does not fit.', unsettled: [] } as const;
  const { summary, answer, output, error } = endOf({ ...failed, text: 'Three.' }, null, nothing);
  assert.deepEqual([summary, answer, output], ['It does not fit.\n\nThree.', 'Three.', undefined]);
  assert.equal(error?.code, 'output_not_valid');
});

test('a cancelled run says that nothing was done only if no model answered', () => {
  const summaryAfter = (steps: number): string =>
    endOf({ kind: 'cancelled', unsettled: [] }, { steps, tokens: 0, moneyMicros: 0, timeMs: 0, idleCalls: 0 }, nothing)
      .summary;
  assert.equal(summaryAfter(0), 'Cancelled before anything was done.');
  assert.equal(summaryAfter(2), 'Cancelled after 2 answers of the model.');
});

test('a failed run keeps its code, and its last words are its answer', () => {
  const message = 'The run used up its budget of steps.';
  const failed = { kind: 'failed', code: 'budget_steps', message, unsettled: [] } as const;
  const said = endOf({ ...failed, text: 'Half of it is done.' }, null, nothing);
  assert.deepEqual([said.state, said.error], ['failed', { code: 'budget_steps', message }]);
  assert.deepEqual([said.answer, said.summary], ['Half of it is done.', `${message}\n\nHalf of it is done.`]);
  assert.equal('answer' in endOf(failed, null, nothing), false);
});
