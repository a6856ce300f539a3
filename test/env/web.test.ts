/**
 * The web against a real API, Postgres, Redis and the residents of ada and bob, in a real browser. The parts run in this
 * order and share one village and one page.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageErrors } from './web/journey/stage.ts';
import './web/journey/first-visit.test.ts';
import './web/journey/chat.test.ts';
import './web/journey/operator.test.ts';
import './web/journey/offers.test.ts';
import './web/journey/economy.test.ts';
import './web/journey/models.test.ts';
import './web/journey/subscription.test.ts';
import './web/journey/rules.test.ts';

/** Refusals that the tests above caused: the viewer's page asks who is signed in, and some requests are refused on purpose. */
const ASKED_FOR = [
  / 401 .*\/api\/v1\/me$/,
  / 409 .*\/api\/v1\/economy\/penalize$/,
  / 409 .*\/api\/v1\/schedules$/,
  / 409 .*\/api\/v1\/economy\/credits$/,
  / 409 .*\/api\/v1\/models\/subscription\/finish$/,
];

test('the page logged no unexpected error', () => {
  assert.deepEqual(
    pageErrors().filter((error) => !ASKED_FOR.some((pattern) => pattern.test(error))),
    [],
  );
});
