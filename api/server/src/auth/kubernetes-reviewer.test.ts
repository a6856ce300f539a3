import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentSpec } from '@hamlet/contract';
import { KubeError, type KubeClient, type KubeObject } from '@hamlet/kube';
import type { AgentRecord } from '../agents/agent-source.ts';
import { createKubernetesReviewer, lifeOf } from './kubernetes-reviewer.ts';

const ADA: AgentRecord = {
  agentId: 'ada',
  uid: 'uid-of-ada',
  createdAt: '2026-11-23T00:00:00Z',
  spec: AgentSpec.parse({ displayName: 'Ada' }),
  status: { cycle: 3 },
  deleting: false,
};
const SOURCE = { get: (agentId: string): AgentRecord | null => (agentId === 'ada' ? ADA : null) };
const OWNER = {
  apiVersion: 'hamlet.village/v1alpha1',
  kind: 'Agent',
  name: 'ada',
  uid: 'uid-of-ada',
  controller: true,
};

function pod(metadata: Partial<KubeObject['metadata']> = {}): KubeObject {
  return {
    metadata: { name: 'ada-3', uid: 'uid-of-pod', resourceVersion: '1', ownerReferences: [OWNER], ...metadata },
  };
}

test("a token identifies the agent that controls its pod, in the cycle that the pod's name ends with", () => {
  const other = { ...OWNER, name: 'bob', controller: false };
  for (const [of, cycle] of [
    [pod(), 3],
    // The status may lag.
    [pod({ name: 'ada-4' }), 4],
    [pod({ ownerReferences: [other, OWNER] }), 3],
  ] as const)
    assert.deepEqual(lifeOf(of, 'uid-of-pod', SOURCE), {
      ok: true,
      data: { agentId: 'ada', uid: 'uid-of-ada', podUid: 'uid-of-pod', cycle },
    });
});

test('an agent without a cycle is in cycle 0', () => {
  const young = { get: () => ({ ...ADA, status: {} }) };
  assert.equal(lifeOf(pod({ name: 'ada-0' }), 'uid-of-pod', young).ok, true);
});

const REFUSED: readonly (readonly [why: string, pod: KubeObject | null, detail: RegExp])[] = [
  ['a pod that is gone', null, /is gone/],
  ['another pod of the name', pod({ uid: 'another' }), /is gone/],
  ['a pod that is ending', pod({ deletionTimestamp: '2026-11-23T00:00:00Z' }), /is ending/],
  ['a pod with no owner', pod({ ownerReferences: [] }), /does not belong to an agent/],
  [
    'a pod without owners',
    { metadata: { name: 'ada-3', uid: 'uid-of-pod', resourceVersion: '1' } },
    /does not belong to an agent/,
  ],
  [
    'an owner that does not control it',
    pod({ ownerReferences: [{ ...OWNER, controller: false }] }),
    /does not belong to an agent/,
  ],
  [
    'an owner without a controller field',
    pod({ ownerReferences: [{ apiVersion: OWNER.apiVersion, kind: 'Agent', name: 'ada', uid: 'uid-of-ada' }] }),
    /does not belong to an agent/,
  ],
  ['an owner of another kind', pod({ ownerReferences: [{ ...OWNER, kind: 'Job' }] }), /does not belong to an agent/],
  [
    'an agent that does not exist',
    pod({ ownerReferences: [{ ...OWNER, name: 'bob' }] }),
    /does not belong to an agent/,
  ],
  [
    'an earlier agent of the name',
    pod({ ownerReferences: [{ ...OWNER, uid: 'earlier' }] }),
    /does not belong to an agent/,
  ],
  ['a pod whose name ends without a number', pod({ name: 'ada-x' }), /not named/],
  ['a pod with the name of another agent', pod({ name: 'bob-3' }), /not named/],
  ['a pod whose name ends with more than a number', pod({ name: 'ada-3-4' }), /not named/],
];

for (const [why, of, detail] of REFUSED)
  test(`a token is refused for ${why}`, () => {
    const outcome = lifeOf(of, 'uid-of-pod', SOURCE);
    assert.ok(!outcome.ok && outcome.reason === 'token_not_from_pod');
    assert.match(outcome.detail ?? '', detail);
  });

test('a token of an earlier cycle is stale', () => {
  assert.deepEqual(lifeOf(pod({ name: 'ada-2' }), 'uid-of-pod', SOURCE), { ok: false, reason: 'stale_cycle' });
});

interface Answer {
  readonly authenticated?: boolean;
  readonly audiences?: readonly string[];
  readonly username?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

const BOUND = {
  'authentication.kubernetes.io/pod-name': ['ada-3'],
  'authentication.kubernetes.io/pod-uid': ['uid-of-pod'],
};
const GOOD: Answer = {
  authenticated: true,
  audiences: ['hamlet-api'],
  username: 'system:serviceaccount:village:hamlet-agent',
  extra: BOUND,
};

/** A cluster that answers every token review with this status and has one pod. */
function cluster(
  { authenticated, audiences, username, extra }: Answer,
  getPod: () => KubeObject = pod,
): Pick<KubeClient, 'create' | 'get'> {
  const answer = JSON.stringify({ status: { authenticated, audiences, user: { username, extra } } });
  return { create: async () => JSON.parse(answer), get: async () => JSON.parse(JSON.stringify(getPod())) };
}

const reviewer = (client: Pick<KubeClient, 'create' | 'get'>): ReturnType<typeof createKubernetesReviewer> =>
  createKubernetesReviewer({ client, namespace: 'village', source: SOURCE });
const agentOf = async (client: Pick<KubeClient, 'create' | 'get'>): Promise<string> => {
  const outcome = await reviewer(client).reviewAgent('token');
  return outcome.ok ? outcome.data.agentId : outcome.reason;
};

test('a projected token is valid if the cluster confirms its audience and account, and its pod exists', async () => {
  const { authenticated: _confirmed, ...unconfirmed } = GOOD;
  const account = (name: string) => ({ ...GOOD, username: `system:serviceaccount:${name}` });
  const bound = (extra: Answer['extra'] = {}) => ({ ...GOOD, extra });
  for (const [answer, agentOrReason] of [
    [GOOD, 'ada'],
    [{ ...GOOD, authenticated: false }, 'token_review_refused'],
    [unconfirmed, 'token_review_refused'],
    [{ ...GOOD, audiences: ['another'] }, 'token_review_refused'],
    [account('village:hamlet-operator'), 'token_review_refused'],
    [account('elsewhere:hamlet-agent'), 'token_review_refused'],
    [bound(), 'token_not_from_pod'],
    [bound({ 'authentication.kubernetes.io/pod-name': ['ada-3'] }), 'token_not_from_pod'],
    [bound({ 'authentication.kubernetes.io/pod-uid': ['uid-of-pod'] }), 'token_not_from_pod'],
  ] as const)
    assert.equal(await agentOf(cluster(answer)), agentOrReason, JSON.stringify(answer));
});

test('a missing pod refuses the token; any other failure of the cluster is thrown', async () => {
  const failing = (status: number): Pick<KubeClient, 'create' | 'get'> =>
    cluster(GOOD, () => {
      throw new KubeError({ status, reason: 'Reason', message: 'the cluster rejects it' });
    });
  assert.equal(await agentOf(failing(404)), 'token_not_from_pod');
  await assert.rejects(agentOf(failing(500)), KubeError);
});

test('operator and broker are identified only by their own service accounts', async () => {
  const service = (answer: Answer): Promise<string | null> => reviewer(cluster(answer)).reviewService('token');
  for (const role of ['operator', 'broker']) {
    const username = `system:serviceaccount:village:hamlet-${role}`;
    assert.equal(await service({ ...GOOD, username }), role);
    assert.equal(await service({ ...GOOD, username, authenticated: false }), null);
    assert.equal(await service({ ...GOOD, username, audiences: [] }), null);
    assert.equal(await service({ ...GOOD, username: username.replace('village', 'other') }), null);
  }
  assert.equal(await service(GOOD), null);
});
