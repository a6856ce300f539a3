import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RUN_STATES } from '@hamlet/contract';
import {
  endLine,
  messageStateOf,
  refuseMessage,
  sessionAccess,
  sessionState,
  titleFrom,
  decideRest,
  type RestFacts,
} from './decide-session.ts';

test("a session's state: terminated takes precedence over paused, and paused over running", () => {
  const state = (paused: boolean, terminated: boolean, working: boolean) =>
    sessionState({ paused, terminated, working });
  assert.deepEqual(
    [state(false, false, false), state(false, false, true), state(true, false, true), state(true, true, true)],
    ['idle', 'running', 'paused', 'terminated'],
  );
});

test('people of a session and its agent may read it, admins only as admins, others not at all', () => {
  const session = { agentId: 'ada', people: [{ id: 'mia' }] };
  const cases = [
    [{ kind: 'person', id: 'mia', isAdmin: false }, 'own'],
    [{ kind: 'person', id: 'mia', isAdmin: true }, 'own'],
    [{ kind: 'person', id: 'noah', isAdmin: false }, 'none'],
    [{ kind: 'person', id: 'noah', isAdmin: true }, 'as_admin'],
    [{ kind: 'agent', agentId: 'ada' }, 'own'],
    [{ kind: 'agent', agentId: 'bob' }, 'none'],
    // An agent with the name of the person.
    [{ kind: 'agent', agentId: 'mia' }, 'none'],
    [{ kind: 'stranger' }, 'none'],
  ] as const;
  for (const [reader, access] of cases) assert.equal(sessionAccess(session, reader), access);
});

test('a session refuses a message at each limit, and reserves room for the answers', () => {
  const limits = { messagesMax: 10, waitingMax: 3, waitingOfAgentMax: 5 };
  const facts = { terminated: false, messages: 0, waiting: 0, waitingOfAgent: 0 };
  const refuse = (changes: Partial<typeof facts>) => refuseMessage({ ...facts, ...changes }, limits);
  assert.equal(refuse({}), null);
  assert.equal(refuse({ terminated: true }), 'session_terminated');
  assert.deepEqual([refuse({ messages: 8 }), refuse({ messages: 9 })], [null, 'session_full']);
  assert.equal(refuse({ messages: 5, waiting: 2 }), 'session_full');
  assert.deepEqual([refuse({ waiting: 2 }), refuse({ waiting: 3 })], [null, 'session_queue_full']);
  assert.deepEqual([refuse({ waitingOfAgent: 4 }), refuse({ waitingOfAgent: 5 })], [null, 'run_queue_full']);
});

test('a message has the state of its run, but fails if the run is done without an answer', () => {
  assert.deepEqual(
    RUN_STATES.map((state) => [messageStateOf(state, true), messageStateOf(state, false)]),
    [
      ['queued', 'queued'],
      ['working', 'working'],
      ['working', 'working'],
      ['answered', 'failed'],
      ['failed', 'failed'],
      ['cancelled', 'cancelled'],
    ],
  );
  assert.equal(endLine('failed', null), 'The agent ended without an answer.');
  assert.equal(endLine('cancelled', { message: 'Ada is gone' }), 'Cancelled: Ada is gone');
});

test('a title is the first line of the first message, at most 80 characters', () => {
  assert.equal(titleFrom('  What   does\tBob want?\nPlease ask him.'), 'What does Bob want?');
  assert.equal(titleFrom('## Make a **table** of `bread.csv` * 2'), 'Make a table of bread.csv * 2');
  assert.equal(titleFrom('\n1. **Bake** the `bread`\n- one loaf'), 'Bake the bread');
  assert.equal(titleFrom('x'.repeat(80)), 'x'.repeat(80));
  const long = titleFrom('🦆'.repeat(200));
  assert.deepEqual([[...long].length, long.endsWith('🦆…')], [80, true]);
});

const AWAKE: RestFacts = {
  power: 'Awake',
  idle: false,
  wake: 'OnMessage',
  idleSleepAfterMs: 1_000,
  held: false,
  work: null,
  activeAtMs: 4_000,
  addressedAtMs: null,
  asleepSinceMs: null,
  nowMs: 5_000,
};
const ASLEEP: RestFacts = { ...AWAKE, power: 'Asleep', idle: true, asleepSinceMs: 4_500 };

test('an idle agent sleeps at its time, unless it works, a measure holds, or it never sleeps', () => {
  const cases: readonly (readonly [Partial<RestFacts>, string])[] = [
    [{}, 'sleep'],
    [{ activeAtMs: 4_001 }, 'stay'],
    [{ activeAtMs: null }, 'stay'],
    [{ idleSleepAfterMs: null }, 'stay'],
    [{ work: 'message' }, 'stay'],
    [{ work: 'other' }, 'stay'],
    [{ held: true }, 'stay'],
  ];
  for (const [changes, verdict] of cases) assert.equal(decideRest({ ...AWAKE, ...changes }), verdict);
});

test('work and board posts awaken an idle agent; nothing awakens one that a person suspended', () => {
  const cases: readonly (readonly [Partial<RestFacts>, string])[] = [
    [{}, 'stay'],
    [{ work: 'message' }, 'wake'],
    [{ work: 'other' }, 'wake'],
    [{ work: 'message', wake: 'Never' }, 'stay'],
    [{ work: 'other', wake: 'Never' }, 'wake'],
    [{ addressedAtMs: 4_501 }, 'wake'],
    [{ addressedAtMs: 4_500 }, 'stay'],
    [{ addressedAtMs: 4_501, asleepSinceMs: null }, 'stay'],
    [{ work: 'message', idle: false }, 'stay'],
    [{ work: 'other', held: true }, 'stay'],
  ];
  for (const [changes, verdict] of cases) assert.equal(decideRest({ ...ASLEEP, ...changes }), verdict);
});
