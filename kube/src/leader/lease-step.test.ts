import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leaseStep, LEASE_TIMES, nextLeaseSpec, type Lease } from './lease-step.ts';

const lease = (spec: NonNullable<Lease['spec']>): Lease => ({
  metadata: { name: 'l', uid: 'u', resourceVersion: '1' },
  spec,
});

const TABLE: readonly (readonly [string, Lease | undefined, number, ReturnType<typeof leaseStep>])[] = [
  ['no Lease', undefined, 0, 'create'],
  ['ours', lease({ holderIdentity: 'me', leaseDurationSeconds: 6 }), 0, 'renew'],
  ["another's, fresh", lease({ holderIdentity: 'other', leaseDurationSeconds: 6 }), 5_999, 'wait'],
  [
    'held by another process and unchanged for its duration',
    lease({ holderIdentity: 'other', leaseDurationSeconds: 6 }),
    6_000,
    'take',
  ],
  ['given back', lease({ holderIdentity: '', leaseDurationSeconds: 1 }), 0, 'take'],
  ['never held', lease({}), 0, 'take'],
];

for (const [name, held, sinceMs, step] of TABLE) {
  test(name, () => assert.equal(leaseStep({ lease: held, changedAtMs: 100 }, 'me', 100 + sinceMs), step));
}

test('taking over counts a transition, renewing does not', () => {
  const at = { identity: 'me', time: '2026-11-22T10:00:00.000000Z', times: LEASE_TIMES };
  assert.equal(nextLeaseSpec(undefined, at).leaseTransitions, 0);
  assert.equal(nextLeaseSpec(lease({ holderIdentity: 'other', leaseTransitions: 4 }), at).leaseTransitions, 5);
  const renewed = nextLeaseSpec(lease({ holderIdentity: 'me', leaseTransitions: 4, acquireTime: 'then' }), at);
  assert.deepEqual(
    [renewed.leaseTransitions, renewed.acquireTime, renewed.renewTime, renewed.leaseDurationSeconds],
    [4, 'then', at.time, 6],
  );
});
