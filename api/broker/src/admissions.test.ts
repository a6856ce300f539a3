import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EgressPolicy } from '@hamlet/contract';
import { deny } from '@hamlet/core/egress';
import { Admissions } from './admissions.ts';
import type { Admission } from './village.ts';

const policy = EgressPolicy.parse({ version: '1', allow: [], deny: [], openings: [] });
const admission: Admission = { agent: 'ada', uid: 'u', cycle: 1, policy };

function asked(answer: () => Promise<Admission | ReturnType<typeof deny>>) {
  const seen = { calls: 0, now: 0 };
  const admissions = new Admissions(
    {
      admit: () => {
        seen.calls += 1;
        return answer();
      },
    },
    () => seen.now,
  );
  return { seen, admissions };
}

test('one API lookup serves all requests for five seconds, unless a brake discards it', async () => {
  const { seen, admissions } = asked(async () => admission);
  await Promise.all([admissions.admit('t'), admissions.admit('t')]);
  assert.equal(seen.calls, 1);
  seen.now = 4999;
  await admissions.admit('t');
  assert.equal(seen.calls, 1);
  admissions.forget('other', true);
  await admissions.admit('t');
  assert.equal(seen.calls, 1);
  admissions.forget('u', true);
  await admissions.admit('t');
  assert.equal(seen.calls, 2);
  seen.now = 20_000;
  await admissions.admit('t');
  assert.equal(seen.calls, 3);
});

test('a brake also discards a lookup that was under way before it', async () => {
  let answer: (admission: Admission) => void = () => undefined;
  const { seen, admissions } = asked(() => new Promise((resolve) => (answer = resolve)));
  const before = admissions.admit('t');
  admissions.forget('u', true);
  const after = admissions.admit('t');
  assert.equal(seen.calls, 2);
  answer(admission);
  await after;
  assert.notEqual(before, after);
});

test('a refusal is cached for a second, a failure not at all', async () => {
  const refusing = asked(async () => deny('egress_identity_refused', 'no'));
  await refusing.admissions.admit('t');
  refusing.seen.now = 999;
  await refusing.admissions.admit('t');
  assert.equal(refusing.seen.calls, 1);
  refusing.seen.now = 1001;
  await refusing.admissions.admit('t');
  assert.equal(refusing.seen.calls, 2);
  const failing = asked(() => Promise.reject(new Error('down')));
  await assert.rejects(failing.admissions.admit('t'));
  await assert.rejects(failing.admissions.admit('t'));
  assert.equal(failing.seen.calls, 2);
});
