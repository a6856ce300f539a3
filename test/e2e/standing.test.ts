/** The kill switch and milder measures act at once, give their reason, and delete nothing. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  banAgent,
  freezeAgent,
  killAgent,
  liftBan,
  liftFreeze,
  liftKill,
  liftQuarantine,
  quarantineAgent,
  type AgentDetail,
} from '@hamlet/contract';
import { CLAIMS, isStatus, PODS, type KubeClient, type KubeObject } from '@hamlet/kube';
import { dataOf, codeOf } from '../env/client.ts';
import { recordRecovery, type RecoveryMetric } from '../env/recovery.ts';
import { until } from '../env/until.ts';
import type { Village } from '../env/village.ts';
import {
  agentOf,
  applyAgent,
  containerOf,
  deleteAgents,
  kubeClient,
  podsOf,
  untilReady,
  village,
} from '../env/village.ts';

/** A short polling interval, so that the measured time is the operator's. */
const PAUSE_MS = 20;

interface Case {
  readonly agent: string;
  readonly take: typeof quarantineAgent | typeof freezeAgent | typeof banAgent | typeof killAgent;
  readonly lift: typeof liftQuarantine | typeof liftFreeze | typeof liftBan | typeof liftKill;
  readonly reason: string;
  readonly metric: RecoveryMetric;
}

const CASES: readonly Case[] = [
  {
    agent: 'quinn',
    take: quarantineAgent,
    lift: liftQuarantine,
    reason: 'Quarantined',
    metric: 'quarantineToPodEndMs',
  },
  { agent: 'fred', take: freezeAgent, lift: liftFreeze, reason: 'Frozen', metric: 'freezeToPodEndMs' },
  { agent: 'bea', take: banAgent, lift: liftBan, reason: 'Banned', metric: 'banToPodEndMs' },
  { agent: 'kim', take: killAgent, lift: liftKill, reason: 'Killed', metric: 'killToPodGoneMs' },
];
const REVOKED = 'rex';
const ALL = [...CASES.map(({ agent }) => agent), REVOKED];

let place: Village;
let kube: KubeClient;

before(async () => {
  place = await village();
  kube = await kubeClient(place);
  for (const name of ALL) await applyAgent(place, name);
  for (const name of ALL) await untilReady(place, name);
});
after(async () => {
  for (const { agent, lift } of CASES) await place.admin.call(lift, { params: { agent_id: agent } });
  await place.admin.raw.liftTokenRevocation({ agent_id: REVOKED });
  await deleteAgents(place, ALL);
  await kube.close();
});

/** True if a pod is gone; a pod that is ending counts only with `endingCounts`. */
async function hasEnded(pod: string, endingCounts: boolean): Promise<boolean> {
  try {
    const { metadata } = await kube.get<KubeObject>(PODS, { namespace: place.namespace, name: pod });
    return endingCounts && metadata.deletionTimestamp !== undefined;
  } catch (error) {
    if (isStatus(error, 404)) return true;
    throw error;
  }
}

async function volumeOf(agent: string): Promise<string> {
  return (await kube.get<KubeObject>(CLAIMS, { namespace: place.namespace, name: `${agent}-home` })).metadata.uid;
}

async function untilSays(agent: string, reason: string): Promise<AgentDetail> {
  return until(`${agent} is ${reason}`, async () => {
    const found = await agentOf(place, agent);
    return found?.why.reason === reason ? found : undefined;
  });
}

/** The pod and the volume of each agent before the measure. */
const earlier = new Map<string, { readonly pod: string | null; readonly volume: string }>();

for (const { agent, take, reason, metric } of CASES)
  test(`${take.name} ends the pod at once, sets the reason in the status, and keeps everything else`, async () => {
    const { pod } = await untilReady(place, agent);
    const volume = await volumeOf(agent);
    earlier.set(agent, { pod, volume });
    const held = dataOf(
      await place.admin.call(take, { params: { agent_id: agent }, body: { reason: 'it sings at night' } }),
    );
    const taken = performance.now();
    assert.equal(held.measures.length, 1);
    await until(`${pod} ends`, () => hasEnded(pod ?? '', take !== killAgent), { pauseMs: PAUSE_MS });
    recordRecovery(metric, performance.now() - taken);

    const barred = await untilSays(agent, reason);
    assert.match(barred.why.message, /it sings at night/);
    assert.equal(barred.power, 'Awake', 'the spec is unchanged');
    if (take === banAgent) {
      assert.equal(await codeOf(place.admin.awakenAgent({ agent_id: agent })), 'agent_banned');
    }
  });

test('after the measure is lifted, each agent returns by itself, with its volume', async () => {
  for (const { agent } of CASES) await until(`${agent} has no pod`, async () => (await podsOf(place, agent)) === '');
  for (const { agent, lift } of CASES) dataOf(await place.admin.call(lift, { params: { agent_id: agent } }));
  for (const { agent } of CASES) {
    assert.notEqual((await untilReady(place, agent)).pod, earlier.get(agent)?.pod);
    assert.equal(await volumeOf(agent), earlier.get(agent)?.volume);
  }
});

test('revokeAgentToken keeps the pod, and the api refuses its requests until the measure is lifted', async () => {
  const { pod } = await untilReady(place, REVOKED);
  const run = await containerOf(place, pod ?? '');
  await place.admin.revokeAgentToken({ agent_id: REVOKED, reason: 'the token leaked' });
  const revoked = performance.now();
  await until('it is offline', async () => (await agentOf(place, REVOKED))?.status.online === false, {
    pauseMs: PAUSE_MS,
  });
  recordRecovery('revocationToRefusalMs', performance.now() - revoked);
  assert.equal((await untilSays(REVOKED, 'TokenRevoked')).pod, pod);
  await place.admin.liftTokenRevocation({ agent_id: REVOKED });
  assert.equal((await untilReady(place, REVOKED)).pod, pod);
  assert.equal((await containerOf(place, pod ?? '')).id, run.id, 'the same container continues');
  assert.deepEqual((await place.admin.getStanding({ agent_id: REVOKED })).measures, []);
});
