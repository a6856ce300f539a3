import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONDITION_TYPES, REASONS } from '@hamlet/contract';
import { conditionLabels } from './condition-labels.ts';

const condition = (
  type: string,
  status: 'True' | 'False' | 'Unknown',
  more: { reason?: string; message?: string } = {},
): Parameters<typeof conditionLabels>[0][number] => ({
  type,
  status,
  reason: more.reason ?? 'Reason',
  message: more.message ?? '',
  last_transition_time: '2026-01-01T00:00:00Z',
});

test('every condition of the contract has a label for True and False', () => {
  for (const type of CONDITION_TYPES) {
    const [holds] = conditionLabels([condition(type, 'True')]);
    const [fails] = conditionLabels([condition(type, 'False')]);
    assert.notEqual(holds?.text, 'Reason', type);
    assert.notEqual(fails?.text, 'Reason', type);
    assert.notEqual(holds?.text, fails?.text);
  }
});

test("the text of a bad condition is the operator's message", () => {
  const [words] = conditionLabels([
    condition('PodScheduled', 'False', { reason: 'VolumePinned', message: 'the volume lies on sparky2' }),
  ]);
  assert.deepEqual({ text: words?.text, tone: words?.tone }, { text: 'the volume lies on sparky2', tone: 'bad' });
});

test('a bad condition has the advice of the contract, a good one has none', () => {
  const advice = (...of: Parameters<typeof condition>): string | null | undefined =>
    conditionLabels([condition(...of)])[0]?.advice;
  assert.equal(advice('Admitted', 'False', { reason: 'NodeFull' })?.slice(1), `${REASONS.NodeFull.slice(1)}.`);
  assert.equal(advice('Admitted', 'True', { reason: 'Admitted' }), null);
  assert.equal(advice('Connected', 'False', { reason: 'Waiting' }), null, 'the earlier condition has the advice');
  assert.equal(advice('Quarantined', 'False', { reason: 'NotQuarantined' }), null);
  assert.equal(advice('PodScheduled', 'False', { reason: 'OfAnotherVersion' }), null);
});

test('an agent that sleeps is awakened by a button, so no text names a field of its spec', () => {
  const asleep = { reason: 'Asleep', message: 'spec.power is Asleep: write Awake to let the agent run' };
  const [words] = conditionLabels([condition('Ready', 'False', asleep)]);
  assert.deepEqual([words?.text, words?.advice], ['It is asleep. Awaken lets it run.', null]);
});

test('a state that a person asked for has a calm tone, a fault does not', () => {
  const tone = (type: string, status: 'True' | 'False' | 'Unknown', reason: string): string =>
    conditionLabels([condition(type, status, { reason })])[0]?.tone ?? '';
  assert.equal(tone('Ready', 'True', 'Ready'), 'good');
  assert.equal(tone('Ready', 'False', 'Asleep'), 'waiting');
  assert.equal(tone('Connected', 'False', 'CrashLooping'), 'bad');
  assert.equal(tone('Connected', 'Unknown', 'ApiUnreachable'), 'waiting');
  assert.equal(tone('Admitted', 'False', 'NoSeat'), 'waiting');
  assert.equal(tone('Suspended', 'False', 'Awake'), 'good');
  assert.equal(tone('Suspended', 'True', 'Asleep'), 'info');
  assert.equal(tone('Quarantined', 'True', 'Quarantined'), 'bad');
});

test('hands that run again after a fault keep the message and the advice, in a calm tone', () => {
  const message = 'the hands ended, last: OOMKilled with exit code 137; restarts: 1; they run again';
  const [words] = conditionLabels([condition('HandsReady', 'True', { reason: 'HandsOutOfMemory', message })]);
  assert.deepEqual([words?.text, words?.tone], [message, 'waiting']);
  assert.match(words?.advice ?? '', /a tier with more memory\.$/);
  const [loop] = conditionLabels([condition('HandsReady', 'False', { reason: 'HandsCrashLooping', message: 'm' })]);
  assert.deepEqual([loop?.text, loop?.tone], ['m', 'bad']);
  const [runs] = conditionLabels([condition('HandsReady', 'True', { reason: 'HandsRunning', message: 'm' })]);
  assert.deepEqual([runs?.tone, runs?.advice], ['good', null]);
});

test('conditions are in reading order', () => {
  const types = conditionLabels([
    condition('Quarantined', 'False'),
    condition('Ready', 'True'),
    condition('New', 'True'),
    condition('Accepted', 'True'),
  ]).map((words) => words.type);
  assert.deepEqual(types, ['Accepted', 'Ready', 'Quarantined', 'New']);
});
