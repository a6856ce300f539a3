import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OFFER_HOURS_DEFAULT, OFFER_HOURS_MAX, OFFER_STATES, RUN_STATES, type RunOffer } from '@hamlet/contract';
import { aCallEvent, RUN_ID } from '../../client/minds/minds.fixture.ts';
import { afterRunEvent, EMPTY_TRACE } from '../../client/minds/run-trace.ts';
import { traceItems } from '../../client/minds/trace-items.ts';
import {
  deliveryOf,
  deliverySentence,
  EMPTY_OFFER,
  mayDecide,
  OFFER_STATE_LABELS,
  OFFER_TIMES,
  offerSentence,
  readOffer,
} from './offer-labels.ts';

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

test('every state has a label and a sentence', () => {
  const sentences = OFFER_STATES.map((state) => offerSentence(offer({ state }), { state: 'done' }, 'you'));
  assert.equal(new Set(sentences).size, OFFER_STATES.length);
  assert.equal(new Set(OFFER_STATES.map((state) => OFFER_STATE_LABELS[state].word)).size, OFFER_STATES.length);
});

test('only the person who made the offer decides, and only after the run succeeded', () => {
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
    offerSentence(offer(), { state: 'running' }, 'you'),
    /^You will accept or refuse .* when the run has ended/,
  );
  assert.match(offerSentence(offer(), { state: 'done' }, 'you'), /^You can accept or refuse the result until /);
  assert.match(offerSentence(offer(), { state: 'done' }, 'Mia'), /^Mia can accept/);
  assert.match(
    offerSentence(offer({ state: 'paid', ended_at: '2026-11-24T12:00:00Z' }), { state: 'done' }, 'you'),
    /from you on /,
  );
});

test('a file that never reached people is named before the decision; one that a later call delivered is not', () => {
  const itemsOf = (...calls: readonly (readonly [path: string, outcome: string])[]) =>
    traceItems(
      calls
        .map(([path, outcome], at) => {
          const args = JSON.stringify({ kind: 'file', path });
          const detail = { call_id: `${at}.0`, tool: 'deliver', arguments_text: args, outcome };
          return aCallEvent(at + 1, 'call_settled', detail);
        })
        .reduce(afterRunEvent, EMPTY_TRACE),
      [],
    );
  const sheet = { name: 'sheet.csv', deliverable: 'file' as const };
  const whole = deliveryOf(itemsOf(['out/sheet.csv', 'failed'], ['out/sheet.csv', 'ok']), [sheet]);
  assert.equal(deliverySentence(whole), 'Delivered: sheet.csv.');
  const lacking = deliveryOf(itemsOf(['out/sheet.csv', 'ok'], ['report.pdf', 'denied']), [sheet]);
  assert.match(deliverySentence(lacking), /^report\.pdf was never delivered\./);
  assert.deepEqual(lacking.missing, ['report.pdf']);
  assert.match(deliverySentence(deliveryOf(itemsOf(), [])), /^No file was delivered/);
});

test('a task without an amount has no offer', () => {
  assert.deepEqual(readOffer(EMPTY_OFFER), { ok: true, offer: null });
  assert.deepEqual(readOffer({ amount: '  ', hours: '24' }), { ok: true, offer: null });
});

test('an amount is read with a comma or a point, and with the chosen duration', () => {
  assert.deepEqual(readOffer({ amount: '2,5', hours: '24' }), {
    ok: true,
    offer: { amount: '2.5', expires_in_hours: 24 },
  });
});

test('other text is not an offer', () => {
  for (const amount of ['0', '-1', '1e3', 'two', '0.0000001'])
    assert.deepEqual(readOffer({ amount, hours: '24' }), { ok: false });
});

test('a stored draft with an unknown duration falls back to the default', () => {
  const read = readOffer({ amount: '1', hours: '13' });
  assert.ok(read.ok);
  assert.equal(read.offer?.expires_in_hours, OFFER_HOURS_DEFAULT);
});

test('the API accepts every duration of the form, including the default', () => {
  assert.ok(OFFER_TIMES.every(([hours]) => Number(hours) >= 1 && Number(hours) <= OFFER_HOURS_MAX));
  assert.ok(OFFER_TIMES.some(([hours]) => Number(hours) === OFFER_HOURS_DEFAULT));
});
