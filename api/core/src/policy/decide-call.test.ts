import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PERMISSION_STATES, VERDICTS } from '@hamlet/contract';
import { answerFits, decideAnswer, decideCall, type CallFacts, type PermissionFacts } from './decide-call.ts';

const hash = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const call = { tool: 'post_to_board', argumentsHash: hash(1) };
const allowed: PermissionFacts = {
  ...call,
  state: 'allowed',
  why: 'policy',
  policyVersion: 'v1',
  answer: 'allow',
  isOver: false,
};
const facts: CallFacts = {
  call,
  effect: null,
  permission: null,
  judged: { verdict: 'ask', reason: '' },
  policyVersion: 'v1',
  cancelRequested: false,
  stopped: false,
};
const judged = (verdict: (typeof VERDICTS)[number]): Pick<CallFacts, 'judged'> => ({ judged: { verdict, reason: '' } });
const denied = (code: string) => ({ kind: 'denied', code });
const refused = (reason: string) => ({ kind: 'refused', reason });

test('without a permission, allow performs, ask requests one and deny denies', () => {
  assert.deepEqual(decideCall({ ...facts, ...judged('allow') }), { kind: 'perform', consumes: false });
  assert.deepEqual(decideCall(facts), refused('permission_needed'));
  assert.deepEqual(decideCall({ ...facts, ...judged('deny') }), denied('policy_denied'));
});

test('each state of a permission has one decision, and only an allowed permission performs', () => {
  const decided = Object.fromEntries(
    PERMISSION_STATES.map((state) => [state, decideCall({ ...facts, permission: { ...allowed, state } })]),
  );
  assert.deepEqual(decided, {
    pending: refused('permission_pending'),
    allowed: { kind: 'perform', consumes: true },
    denied: denied('person_denied'),
    expired: denied('permission_expired'),
    consumed: refused('permission_needed'),
    withdrawn: denied('permission_stale'),
  });
});

test('a permission is valid only for its tool, arguments, time and policy', () => {
  const by = (changes: Partial<PermissionFacts>) => decideCall({ ...facts, permission: { ...allowed, ...changes } });
  assert.deepEqual(by({ tool: 'say' }), refused('arguments_differ'));
  assert.deepEqual(by({ argumentsHash: hash(2) }), refused('arguments_differ'));
  assert.deepEqual(by({ isOver: true }), denied('permission_expired'));
  assert.deepEqual(by({ state: 'pending', isOver: true }), denied('permission_expired'));
  assert.deepEqual(by({ policyVersion: 'v0' }), denied('permission_stale'));
  assert.deepEqual(by({ policyVersion: 'v0', why: 'question' }), { kind: 'perform', consumes: true });
});

test('a denial of the rules overrides a permission, and a denial of a person overrides rules that allow', () => {
  assert.deepEqual(decideCall({ ...facts, permission: allowed, ...judged('deny') }), denied('policy_denied'));
  const personDenied = { ...allowed, state: 'denied' } as const;
  assert.deepEqual(decideCall({ ...facts, permission: personDenied, ...judged('allow') }), denied('person_denied'));
});

test('a started effect continues after a cancel or a change of rules, but never as a different call', () => {
  for (const verdict of VERDICTS)
    for (const cancelRequested of [false, true]) {
      const after = { ...facts, ...judged(verdict), cancelRequested };
      assert.deepEqual(decideCall({ ...after, effect: { ...call, state: 'begun' } }), { kind: 'resume' });
      assert.deepEqual(decideCall({ ...after, effect: { ...call, state: 'settled' } }), { kind: 'replay' });
      for (const other of [{ tool: 'say' }, { argumentsHash: hash(2) }])
        assert.deepEqual(
          decideCall({ ...after, effect: { ...call, ...other, state: 'settled' } }),
          refused('call_diverged'),
        );
    }
  assert.deepEqual(decideCall({ ...facts, permission: allowed, cancelRequested: true }), denied('run_cancelled'));
  assert.deepEqual(decideCall({ ...facts, permission: allowed, stopped: true }), denied('run_stopped'));
});

test('the first timely answer counts, and allowing needs the same rules as at the request', () => {
  const pending = { ...allowed, state: 'pending', answer: null } as const;
  const v1 = { policyVersion: 'v1' };
  assert.deepEqual(decideAnswer(pending, { ...v1, answer: 'allow' }), { kind: 'take' });
  assert.deepEqual(decideAnswer(allowed, { ...v1, answer: 'allow' }), { kind: 'same' });
  assert.deepEqual(decideAnswer({ ...allowed, state: 'consumed', isOver: true }, { ...v1, answer: 'allow' }), {
    kind: 'same',
  });
  assert.deepEqual(decideAnswer(allowed, { ...v1, answer: 'deny' }), refused('permission_answered'));
  assert.deepEqual(
    decideAnswer({ ...pending, isOver: true }, { ...v1, answer: 'deny' }),
    refused('permission_expired'),
  );
  assert.deepEqual(
    decideAnswer({ ...pending, state: 'expired' }, { ...v1, answer: 'allow' }),
    refused('permission_expired'),
  );
  assert.deepEqual(
    decideAnswer({ ...pending, state: 'withdrawn' }, { ...v1, answer: 'allow' }),
    refused('permission_stale'),
  );
  assert.deepEqual(decideAnswer(pending, { policyVersion: 'v2', answer: 'allow' }), { kind: 'stale' });
  assert.deepEqual(decideAnswer(pending, { policyVersion: 'v2', answer: 'deny' }), { kind: 'take' });
});

test('happened and repeat are valid answers only for a call with an unknown outcome', () => {
  const fitting = (['policy', 'unknown', 'question'] as const).map((why) =>
    (['allow', 'deny', 'happened', 'repeat'] as const).filter((answer) => answerFits(why, answer)),
  );
  assert.deepEqual(fitting, [
    ['allow', 'deny'],
    ['happened', 'repeat'],
    ['allow', 'deny'],
  ]);
});
