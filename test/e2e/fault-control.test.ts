/**
 * The operator or the api goes away: a new version of the operator takes over, and an operator that has never reached
 * the api grants nothing.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { LEASES, type KubeClient, type KubeObject } from '@hamlet/kube';
import { recordRecovery } from '../env/recovery.ts';
import { until } from '../env/until.ts';
import type { Village } from '../env/village.ts';
import { agentOf, applyAgent, deleteAgents, kubeClient, podsOf, untilReady, village } from '../env/village.ts';

const FROZEN = 'iris';
const NEWCOMER = 'nell';
const OPERATOR = 'deployment/hamlet-operator';
/** The first Deployment has the log's checkpoints. */
const APIS = ['deployment/hamlet-api', 'deployment/hamlet-api-more'];

type Lease = KubeObject & {
  readonly spec: {
    readonly holderIdentity?: string;
    readonly renewTime: string;
    readonly acquireTime: string;
    readonly leaseTransitions: number;
  };
};

let place: Village;
let kube: KubeClient;

before(async () => {
  place = await village();
  kube = await kubeClient(place);
  await applyAgent(place, FROZEN);
  for (const name of ['ada', 'bob', FROZEN]) await untilReady(place, name);
});
after(async () => {
  await place.tryKubectl(['scale', ...APIS, '--replicas=1']);
  for (const api of APIS) await place.tryKubectl(['rollout', 'status', api, '--timeout=120s']);
  await until('the api answers', async () => (await fetch(`${place.url}/readyz`)).ok);
  await place.admin.raw.liftFreeze({ agent_id: FROZEN });
  await deleteAgents(place, [FROZEN, NEWCOMER]);
  await kube.close();
});

const lease = (): Promise<Lease> => kube.get<Lease>(LEASES, { namespace: place.namespace, name: 'hamlet-operator' });

/** Agents' pods by name, with their uids: equal unless a pod was replaced. */
async function agentPods(): Promise<string> {
  return place.kubectl([
    'get',
    'pods',
    '-l',
    'hamlet.village/role=agent',
    '-o',
    'jsonpath={range .items[*]}{.metadata.name} {.metadata.uid}{"\\n"}{end}',
  ]);
}

test('a new version of the operator takes over without a gap, and agents keep their pods', async () => {
  const before = await lease();
  const pods = await agentPods();
  await place.kubectl(['rollout', 'restart', OPERATOR]);
  // The old leader's last renewal before the new leader took the Lease.
  let lastSignMs = Date.parse(before.spec.renewTime);
  const now = await until(
    'another leader',
    async () => {
      const seen = await lease();
      const holder = seen.spec.holderIdentity ?? '';
      if (holder === before.spec.holderIdentity) lastSignMs = Date.parse(seen.spec.renewTime);
      return holder !== '' && holder !== before.spec.holderIdentity ? seen : undefined;
    },
    { pauseMs: 50 },
  );
  recordRecovery('operatorHandOverMs', Math.max(0, Date.parse(now.spec.acquireTime) - lastSignMs));
  await place.kubectl(['rollout', 'status', OPERATOR, '--timeout=120s']);
  assert.equal((await lease()).metadata.uid, before.metadata.uid, 'the fence continues from the same Lease');
  assert.ok(now.spec.leaseTransitions > before.spec.leaseTransitions);
  assert.equal(await agentPods(), pods);

  const { cycle } = await untilReady(place, FROZEN);
  await place.kubectl([
    'patch',
    'agent',
    FROZEN,
    '--type=merge',
    '-p',
    JSON.stringify({ spec: { rebootedAt: new Date().toISOString() } }),
  ]);
  await until('the new leader acts', async () => ((await agentOf(place, FROZEN))?.cycle ?? 0) > cycle);
  await untilReady(place, FROZEN);
});

test('without the api a new operator keeps measures and running pods, and starts no further agent', async () => {
  await place.admin.freezeAgent({ agent_id: FROZEN, reason: 'winter' });
  await until('the pod of the agent is gone', async () => (await podsOf(place, FROZEN)) === '');
  const pods = await agentPods();
  await place.kubectl(['scale', ...APIS, '--replicas=0']);
  await until(
    'every api pod is gone',
    async () => (await place.kubectl(['get', 'pods', '-l', 'app.kubernetes.io/component=api', '-o', 'name'])) === '',
  );
  const before = await lease();
  await place.kubectl(['delete', 'pods', '-l', 'app.kubernetes.io/component=operator', '--wait=false']);
  await until('another leader', async () => {
    const { holderIdentity = '' } = (await lease()).spec;
    return holderIdentity !== '' && holderIdentity !== before.spec.holderIdentity;
  });
  await applyAgent(place, NEWCOMER);
  // The new leader has worked on the new agent, so it could have worked on the frozen one too.
  await until(
    'the status of the new agent gives the reason of its wait',
    async () =>
      (await reasonsOf(NEWCOMER)).includes('ApiUnreachable') || (await reasonsOf(NEWCOMER)).includes('LastKnown'),
  );
  assert.equal(await podsOf(place, FROZEN), '', 'the agent is still frozen');
  assert.ok((await reasonsOf(FROZEN)).includes('Frozen'));
  assert.equal(await agentPodsBut(NEWCOMER), pods, 'the other agents still run in their pods');
  const tiers = await place.kubectl([
    'get',
    'agents',
    '-o',
    'jsonpath={range .items[*]}{.metadata.name}={.status.tier} {end}',
  ]);
  assert.ok(!tiers.includes(`${NEWCOMER}=tier-1`) && !tiers.includes(`${NEWCOMER}=tier-2`));

  await place.kubectl(['scale', ...APIS, '--replicas=1']);
  await until('the api answers', async () => (await fetch(`${place.url}/readyz`)).ok);
  await untilReady(place, NEWCOMER);
  await place.admin.liftFreeze({ agent_id: FROZEN });
  for (const name of ['ada', 'bob', FROZEN]) await untilReady(place, name);
});

async function agentPodsBut(name: string): Promise<string> {
  return (await agentPods())
    .split('\n')
    .filter((line) => !line.startsWith(`${name}-`))
    .join('\n');
}

async function reasonsOf(agent: string): Promise<readonly string[]> {
  return (await place.kubectl(['get', 'agent', agent, '-o', 'jsonpath={.status.conditions[*].reason}'])).split(' ');
}
