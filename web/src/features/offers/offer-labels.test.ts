import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OFFER_STATES, RUN_STATES, type RunOffer } from '@hamlet/contract';
import { RUN_ID } from '../../client/minds/minds.fixture.ts';
import { mayDecide, OFFER_STATE_LABELS, offerLine, offerSentence } from './offer-labels.ts';

const offer = (more: Partial<RunOffer> = {}): RunOffer => ({
  run_id: RUN_ID,
  agent_id: 'ada',
  amount: '2.5',
  state: 'open',
  offered_by: { role: 'member', id: 'account mia' },
  offered_at: '2026-11-23T12:00:00Z',
  expires_at: '2026-11-30T12:00:00Z',
  ended_at: null,
  reason: null,
  ...more,
});

test('every state has a word and a sentence of its own', () => {
  const sentences = OFFER_STATES.map((state) => offerSentence(offer({ state }), { state: 'done' }, 'mia'));
  assert.equal(new Set(sentences).size, OFFER_STATES.length);
  assert.equal(new Set(OFFER_STATES.map((state) => OFFER_STATE_LABELS[state].word)).size, OFFER_STATES.length);
});

test('only the person who offered decides, and only after the run ended well', () => {
  assert.deepEqual(
    RUN_STATES.filter((state) => mayDecide(offer(), { state }, 'mia')),
    ['done'],
  );
  assert.equal(mayDecide(offer(), { state: 'done' }, 'max'), false);
  assert.equal(mayDecide(offer(), { state: 'done' }, null), false);
  for (const state of OFFER_STATES.filter((other) => other !== 'open'))
    assert.equal(mayDecide(offer({ state }), { state: 'done' }, 'mia'), false, state);
});

test('an open offer names its next step and the person who takes it', () => {
  assert.match(
    offerSentence(offer(), { state: 'running' }, 'mia'),
    /^You will accept or refuse .* when the run has ended/,
  );
  assert.match(offerSentence(offer(), { state: 'done' }, 'mia'), /^You can accept or refuse the result until /);
  assert.match(offerSentence(offer(), { state: 'done' }, 'max'), /^member mia can accept/);
  assert.match(
    offerSentence(offer({ state: 'paid', ended_at: '2026-11-24T12:00:00Z' }), { state: 'done' }, 'mia'),
    /from you on /,
  );
});

test('a line of a list has amount and state', () => {
  assert.equal(offerLine(offer()), '2.50 ai$ · Held');
  assert.equal(offerLine(offer({ state: 'paid' })), '2.50 ai$ · Paid');
});
