import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Exchange } from '../../client/minds/conversation.ts';
import { aCallEvent, aMessage, aModelEvent, aPermission, aRun, aSession } from '../../client/minds/minds.fixture.ts';
import { afterRunEvent, EMPTY_TRACE } from '../../client/minds/run-trace.ts';
import { traceItems } from '../../client/minds/trace-items.ts';
import {
  announcement,
  authorLabel,
  beforeSendingLabel,
  failureLabel,
  limitLabel,
  queueLabel,
  removalOf,
  sessionLabel,
  usageLabel,
  workingLabel,
  workLabel,
} from './chat-labels.ts';

const ada = { display_name: 'Ada', power: 'Awake', wake: null } as const;
const asleep = { ...ada, power: 'Asleep' } as const;
const items = (...events: Parameters<typeof afterRunEvent>[1][]): ReturnType<typeof traceItems> =>
  traceItems(events.reduce(afterRunEvent, EMPTY_TRACE), []);

test('a waiting message shows why it waits', () => {
  const cases: readonly (readonly [Parameters<typeof queueLabel>[0], string])[] = [
    [{ session: { state: 'idle' }, agent: ada, before: 0 }, 'Waiting for Ada’s turn.'],
    [{ session: { state: 'running' }, agent: ada, before: 1 }, 'After the message before it.'],
    [{ session: { state: 'running' }, agent: ada, before: 3 }, 'After the 3 messages before it.'],
    [{ session: { state: 'paused' }, agent: asleep, before: 1 }, 'Held: the conversation is paused.'],
    [{ session: null, agent: { ...asleep, wake: 'waking' }, before: 0 }, 'Ada is asleep: this message wakes it.'],
    [{ session: null, agent: asleep, before: 0 }, 'Ada is asleep: the message waits until it is awake.'],
  ];
  for (const [place, label] of cases) assert.equal(queueLabel(place), label);
  for (const wake of ['suspended', 'never'] as const)
    assert.match(queueLabel({ session: null, agent: { ...asleep, wake }, before: 0 }), /after an admin awakens it/);
});

test('the page warns that the agent sleeps before a message is sent', () => {
  assert.equal(beforeSendingLabel(ada), null);
  assert.match(beforeSendingLabel(asleep) ?? '', /^Ada is asleep\. A message wakes it/);
});

test('the label of a message names its author', () => {
  const mia = aMessage(1);
  assert.equal(authorLabel(mia, 'mia'), 'You');
  assert.equal(authorLabel(mia, 'tom'), 'Mia');
  const words = (role: 'agent' | 'system') => aMessage(1, { author: { role, id: 'mia', name: 'Ada' } });
  assert.equal(authorLabel(words('agent'), 'mia'), 'Ada');
  assert.equal(authorLabel(words('system'), 'mia'), 'Village');
});

test('the current work has a label: thinking, writing, a call, waiting', () => {
  const asked = aModelEvent(1, 'model_asked');
  const call = aCallEvent(2, 'call_begun', { tool: 'go_to' });
  assert.equal(workingLabel('Ada', [], false), 'Ada begins');
  assert.equal(workingLabel('Ada', items(asked), false), 'Ada is thinking');
  assert.equal(workingLabel('Ada', items(asked), true), 'Ada is writing');
  assert.equal(workingLabel('Ada', items(asked, call), false), 'Walk');
  assert.equal(workingLabel('Ada', items(aModelEvent(1, 'model_failed')), false), 'The model failed; trying again');
  const away = items(aModelEvent(1, 'model_failed', { code: 'unreachable' }));
  assert.equal(workingLabel('Ada', away, false), 'No server answers at the address of the provider; trying again');
  const waiting = traceItems(EMPTY_TRACE, [aPermission()]);
  assert.equal(workingLabel('Ada', waiting, false), 'Ada waits for a person');
  assert.equal(workingLabel('Ada', waiting, true), 'Ada waits for a person', 'also a program whose words are open');
});

test('a conversation that works may wait for a person', () => {
  const session_id = '01a20000-0000-7000-8000-00000000000b';
  const label = (state: 'running' | 'paused', pending: string | null): string =>
    sessionLabel({ session_id, state }, [{ session_id: pending }]).word;
  assert.deepEqual(
    [label('running', session_id), label('running', null), label('paused', session_id)],
    ['Waits for a person', 'Working', 'Paused'],
  );
});

test('steps and cost are shown if known', () => {
  assert.equal(usageLabel(3, '0.021'), '3 steps · 0.021 ai$');
  assert.equal(usageLabel(1, '0'), '1 step');
  assert.equal(usageLabel(null, null), '');
});

test('finished work is one line', () => {
  const run = aRun({ started_at: '2026-11-23T12:00:00Z', ended_at: '2026-11-23T12:00:42Z' });
  const [called, thought] = [items(aCallEvent(1, 'call_begun')), items(aModelEvent(1, 'model_asked'))];
  assert.equal(workLabel(run, called, 'answered'), 'Worked 42 s: 1 call');
  assert.equal(workLabel(run, thought, 'failed'), 'Worked 42 s, without a call');
  assert.equal(workLabel(null, [], 'answered'), 'Work: show it');
  assert.equal(workLabel(run, called, 'cancelled'), 'Stopped after 42 s: 1 call');
  assert.equal(workLabel(null, [], 'cancelled'), 'Stopped');
});

test('a failure without a cause says what to do', () => {
  assert.match(failureLabel(null, 'member'), /Write again/);
  const error = { code: 'budget_steps', message: 'All 32 steps are used' };
  assert.match(failureLabel(aRun({ state: 'failed', error }), 'member'), /^All 32 steps are used\. The work can be/);
  const veiled = {
    ...aRun({ state: 'failed', error: { ...error, message: 'Open it to read it' } }),
    veiled: true,
  } as const;
  assert.match(failureLabel(veiled, 'admin'), /^It reached a limit\. The work can be/);
});

test('screen readers announce the newest change once, not word by word', () => {
  const exchange: Exchange = {
    key: 'm1',
    question: aMessage(1, { state: 'working' }),
    replies: [],
    answer: null,
    report: null,
    trace: EMPTY_TRACE,
    permissions: [],
  };
  assert.equal(announcement(undefined, 'Ada', []), '');
  assert.equal(announcement(exchange, 'Ada', []), 'Ada begins');
  assert.equal(announcement({ ...exchange, permissions: [aPermission()] }, 'Ada', []), 'Ada asks for permission');
  const answer = aMessage(2, { text: 'Rope.' });
  assert.equal(announcement({ ...exchange, answer }, 'Ada', []), 'Ada: Rope.');
});

test('the creator and admins may remove others, every person may leave, but the last one stays', () => {
  const people = ['mia', 'tom'].map((name) => ({ id: `account ${name}`, name }));
  const session = aSession({ people });
  const member = (viewer: string) => ({ viewer, role: 'member' }) as const;
  assert.equal(removalOf(session, 'account mia', member('mia')), 'Leave');
  assert.equal(removalOf(session, 'account tom', member('mia')), 'Remove');
  assert.equal(removalOf(session, 'account mia', member('tom')), null);
  assert.equal(removalOf(session, 'account mia', { viewer: 'ann', role: 'admin' }), 'Remove');
  assert.equal(removalOf(aSession({ people: people.slice(0, 1) }), 'account mia', member('mia')), null);
});

test('at its request limit an agent shows the limit and when it continues', () => {
  const until = '2026-11-25T14:03:20.000Z';
  const words = limitLabel('Ada', { limit: 'requests_per_minute', quota: 120, until }, (time) => time.slice(11, 19));
  assert.equal(words, 'Ada has used the 120 requests a minute of its tier. It continues at 14:03:20.');
  assert.equal(limitLabel('Ada', undefined, String), null);
});
