import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as settled } from 'node:timers/promises';
import type { Caller, Reply } from './api.ts';
import { apiThat, refusal, refusedWith } from './api.fixture.ts';
import { INITIAL_STATE } from './app-state.ts';
import { SessionMonitor, verdictOf } from './session.ts';
import { createStore } from './store.ts';

const ME = { account_id: 'a1', name: 'keeper', role: 'admin' as const };
const SIGNED_IN: Reply<unknown> = { ok: true, data: { account: ME } };

/** A session whose API gives these answers in order. */
async function started(
  ...answers: Reply<unknown>[]
): Promise<{ readonly monitor: SessionMonitor; session(): unknown; readonly asked: string[] }> {
  const asked: string[] = [];
  const api = apiThat((name) => {
    asked.push(name);
    return answers.shift() ?? refusal('unreachable', 0);
  });
  const store = createStore(INITIAL_STATE);
  const monitor = new SessionMonitor(api, store);
  await monitor.refresh();
  return { monitor, session: () => store.get().session, asked };
}

test('without a session the first answer sets the viewer to visitor, not to an ended session', async () => {
  const { session } = await started(refusal('unauthenticated', 401));
  assert.deepEqual(session(), { kind: 'visitor', ended: false });
});

test('any answer that calls the session expired ends it', async () => {
  const { monitor, session } = await started(SIGNED_IN);
  assert.deepEqual(session(), { kind: 'account', account: ME });
  monitor.refused(refusedWith('token_invalid', 401), 'listRuns');
  assert.deepEqual(session(), { kind: 'visitor', ended: true });
  monitor.dismissEnded();
  assert.deepEqual(session(), { kind: 'visitor', ended: false });
});

test('a village that fails or does not answer does not end the session', async () => {
  const { monitor, session } = await started(SIGNED_IN, refusal('unavailable', 503));
  await monitor.refresh();
  await monitor.refresh();
  assert.deepEqual(session(), { kind: 'account', account: ME });
});

test('a refusal for a missing permission reads the role again', async () => {
  const { monitor, session } = await started(SIGNED_IN, { ok: true, data: { account: { ...ME, role: 'member' } } });
  monitor.refused(refusedWith('forbidden', 403), 'listAudit');
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  assert.deepEqual(session(), { kind: 'account', account: { ...ME, role: 'member' } });
});

test('a failed sign-out keeps the session and returns the failure', async () => {
  const { monitor, session } = await started(SIGNED_IN);
  const reply = await monitor.signOut();
  assert.equal(reply.ok, false);
  assert.deepEqual(session(), { kind: 'account', account: ME });
});

test('other refusals do not affect the session', () => {
  assert.equal(verdictOf(refusedWith('insufficient_funds', 409)), null);
  assert.equal(verdictOf(refusedWith('not_own_agent', 403)), null);
  assert.equal(verdictOf(refusedWith('account_banned', 403)), 'changed');
  assert.equal(verdictOf(refusedWith('unauthenticated', 401)), 'ended');
});

test('the viewer is unknown until the API answers; a missing answer is recorded', async () => {
  assert.deepEqual(INITIAL_STATE.session, { kind: 'unknown', asked: false });
  const { session } = await started(refusal('unavailable', 503));
  assert.deepEqual(session(), { kind: 'unknown', asked: true });
});

test('a viewer who is not yet known is asked for 5 s after each answer, one who is signed in after a minute', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  Object.defineProperty(globalThis, 'document', { configurable: true, value: { hidden: false } });
  context.after(() => Reflect.deleteProperty(globalThis, 'document'));
  const answers: ((reply: Reply<unknown>) => void)[] = [];
  const call = (): Promise<Reply<unknown>> => new Promise((answer) => answers.push(answer));
  const monitor = new SessionMonitor({ call: call as Caller['call'] }, createStore(INITIAL_STATE));
  context.after(() => monitor.stop());
  const askedAfter = (ms: number): number => {
    context.mock.timers.tick(ms);
    return answers.length;
  };
  monitor.start();
  assert.equal(askedAfter(60_000), 1, 'one request at a time');
  answers[0]?.(refusal('unavailable', 503));
  await settled();
  assert.deepEqual([askedAfter(4_999), askedAfter(1)], [1, 2]);
  answers[1]?.(SIGNED_IN);
  await settled();
  assert.deepEqual([askedAfter(59_999), askedAfter(1)], [2, 3]);
});
