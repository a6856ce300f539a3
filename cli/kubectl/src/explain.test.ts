import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent, CHAIN, REASONS, type AgentStatus, type Reason } from '@hamlet/contract/kinds';
import { explain, explanationText } from './explain.ts';

const agent = (status: AgentStatus, spec: object = {}): Agent =>
  Agent.parse({ apiVersion: 'hamlet.village/v1alpha1', kind: 'Agent', metadata: { name: 'ada' }, spec, status });

/** A status in which conditions before `type` are True, `type` is False with the reason, and later ones wait. */
function stopsAt(type: (typeof CHAIN)[number], reason: Reason, message: string): AgentStatus {
  const at = CHAIN.indexOf(type);
  const conditions = CHAIN.map((link, index) => ({
    type: link,
    status: index < at ? ('True' as const) : ('False' as const),
    reason: index < at ? link : index === at || link === 'Ready' ? reason : 'Waiting',
    message: index < at ? '' : message,
    lastTransitionTime: '2026-11-22T10:00:00Z',
  }));
  return { conditions, cycle: 3, tier: 'tier-1', podName: 'ada-3' };
}

test('the first condition that is not True is the reason, with its advice', () => {
  const explanation = explain(agent(stopsAt('Admitted', 'NoSeat', 'tier-1: 3 of 3 seats are taken')));
  assert.deepEqual(
    [explanation.ready, explanation.blocking?.type, explanation.blocking?.reason, explanation.blocking?.advice],
    [false, 'Admitted', 'NoSeat', REASONS.NoSeat],
  );
  assert.equal(explanationText(explanation).split('\n').at(0), 'ada does not run: tier-1: 3 of 3 seats are taken');
  assert.match(
    explanationText(explanation),
    /✓ Entitled .*\n {2}✗ Admitted {6}NoSeat .*\n[^]*How to fix NoSeat: no node has room/,
  );
});

test('an agent in the world has no blocking condition', () => {
  const conditions = CHAIN.map((type) => ({
    type,
    status: 'True' as const,
    reason: type,
    message: '',
    lastTransitionTime: '2026-11-22T10:00:00Z',
  }));
  const explanation = explain(agent({ conditions, cycle: 4, tier: 'tier-0', podName: 'ada-4', nodeName: 'sparky1' }));
  assert.deepEqual([explanation.ready, explanation.blocking], [true, null]);
  assert.equal(
    explanationText(explanation).split('\n').at(0),
    'ada is in the world (cycle 4, tier tier-0, pod ada-4, node sparky1)',
  );
});

test('an agent in the world whose hands are in trouble is ready, and the explanation names the trouble and its fix', () => {
  const withHands = (status: 'True' | 'False', reason: Reason): AgentStatus => {
    const message = `the hands: ${reason}`;
    const hands = { type: 'HandsReady', status, reason, message, lastTransitionTime: '2026-11-22T10:00:00Z' } as const;
    const chain = CHAIN.map((type) => ({ ...hands, type, status: 'True' as const, reason: type, message: '' }));
    return { conditions: [...chain, hands], cycle: 4, tier: 'tier-0', podName: 'ada-4', nodeName: 'sparky1' };
  };
  const explanation = explain(agent(withHands('False', 'HandsCrashLooping')));
  assert.deepEqual([explanation.ready, explanation.hands?.advice], [true, REASONS.HandsCrashLooping]);
  assert.match(
    explanationText(explanation),
    /✓ Ready .*\n {2}✗ HandsReady {4}HandsCrashLooping {4}the hands: .*\n\nHow to fix HandsCrashLooping: the hands end soon/,
  );
  assert.match(
    explanationText(explain(agent(withHands('True', 'HandsOutOfMemory')))),
    /✓ HandsReady {4}HandsOutOfMemory/,
  );
  for (const [status, reason] of [
    ['True', 'HandsRunning'],
    ['True', 'NoHands'],
    ['False', 'Starting'],
    ['False', 'Waiting'],
    ['False', 'Asleep'],
  ] as const)
    assert.equal(explain(agent(withHands(status, reason))).hands, null, reason);
});

test('an agent in the world that lacks a capability is ready, and the explanation names it and its fix', () => {
  const at = { message: '', lastTransitionTime: '2026-11-22T10:00:00Z' };
  const withPromises = (status: 'True' | 'False', reason: Reason): AgentStatus => ({
    conditions: [
      ...CHAIN.map((type) => ({ ...at, type, status: 'True' as const, reason: type })),
      { ...at, type: 'CapabilitiesReady', status, reason, message: '1 of 6 are missing: mcp files: mcp_unreachable' },
    ],
  });
  const explanation = explain(agent(withPromises('False', 'CapabilityMissing')));
  assert.deepEqual([explanation.ready, explanation.capabilities?.advice], [true, REASONS.CapabilityMissing]);
  assert.match(
    explanationText(explanation),
    /✗ CapabilitiesReady CapabilityMissing {4}1 of 6 are missing: mcp files: .*\n\nHow to fix CapabilityMissing/,
  );
  const short = explain(agent(withPromises('False', 'MemoryShort')));
  assert.deepEqual([short.ready, short.capabilities?.advice], [true, REASONS.MemoryShort]);
  for (const [status, reason] of [
    ['True', 'NothingMissing'],
    ['False', 'Waiting'],
    ['False', 'Asleep'],
  ] as const)
    assert.equal(explain(agent(withPromises(status, reason))).capabilities, null, reason);
});

test('a rule that contradicts its example is shown beside the chain', () => {
  const at = { lastTransitionTime: '2026-11-22T10:00:00Z' };
  const message = '1 of 2 examples fail, so their rules never allow, and still ask and deny: rule 1 must match …';
  const explanation = explain(
    agent({
      conditions: [
        ...CHAIN.map((type) => ({ ...at, type, status: 'True' as const, reason: type, message: '' })),
        { ...at, type: 'RulesChecked', status: 'False', reason: 'RuleBroken', message },
      ],
    }),
  );
  assert.deepEqual([explanation.ready, explanation.rules?.advice], [true, REASONS.RuleBroken]);
  assert.match(explanationText(explanation), /✗ RulesChecked +RuleBroken +1 of 2 examples fail/);
});

test('the advice for a sleeping agent is to wake it, whichever conditions wait', () => {
  const explanation = explain(agent(stopsAt('PodScheduled', 'Asleep', 'spec.power is Asleep'), { power: 'Asleep' }));
  assert.deepEqual(
    [explanation.blocking?.type, explanation.blocking?.advice],
    ['Ready', 'wake it: kubectl hamlet awake ada'],
  );
});

test('the explanation of an agent without a status names the operator', () => {
  const explanation = explain(agent({}));
  assert.deepEqual(
    [explanation.ready, explanation.blocking?.reason, explanation.chain.length],
    [false, 'NotObserved', CHAIN.length],
  );
});
