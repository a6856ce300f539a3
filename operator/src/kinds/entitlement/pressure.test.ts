/** Displacement and preemption on a real API server, scheduler and controllers. */
import type { TestVillage } from '../../testing/test-village.ts';
import assert from 'node:assert/strict';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { keyOf, NODES, PODS, type KubeObject, type NewObject } from '@hamlet/kube';
import { until } from '@hamlet/test/env/until';
import { AGENTS } from '../../objects/names.ts';
import { as, foreignPod, seatVillage, type SeatVillage } from '../../testing/seat-village.ts';

let v: TestVillage;
let seats: SeatVillage;

before(async () => {
  seats = await seatVillage();
  ({ v } = seats);
});

after(async () => v.remove());

const modelServer = (name: string, cpu: string): NewObject => {
  const pod = foreignPod(name, cpu, { priorityClassName: 'hamlet-model-server' });
  return { ...pod, metadata: { ...pod.metadata, labels: { 'hamlet.village/role': 'model-server' } } };
};

test('with every seat taken, a new agent queues, a higher tier displaces the lowest, and a waiting agent gets the next free seat', async () => {
  const low = Array.from({ length: 8 }, (_, index) => `low-${index}`);
  const on = (nodeName: string): object => ({ placement: { nodeName } });
  for (const name of low) await v.createAgent(name);
  const nodes = await Promise.all(low.map(async (name) => (await v.runningPod(name)).spec.nodeName));
  assert.deepEqual(
    ['sparky1', 'sparky2'].map((node) => nodes.filter((each) => each === node).length),
    [4, 4],
    'each pod is on the node of its seat',
  );
  await seats.reported('tier-0', { total: 8, free: 0, agents: 8 });
  await v.createAgent('late');
  assert.match(
    await v.condition('late', 'Admitted False NoSeat'),
    /no node has cpu left for a seat; place 1 in the queue/,
  );
  await until('waitingSince is in the status', async () => (await v.statusOf('late')).waitingSince !== undefined);
  assert.deepEqual(await v.podsOf('late'), []);
  await v.server.client.mergePatch(AGENTS, { spec: on('sparky1') }, { namespace: v.namespace, name: 'late' });
  await v.createAgent('mid', { ...as('tier-1'), ...on('sparky1') });
  await v.runningPod('mid');
  const displaced = await until('two are displaced', async () => {
    const pods = await Promise.all(low.map(async (name) => ({ name, count: (await v.podsOf(name)).length })));
    const gone = pods.filter(({ count }) => count === 0);
    return gone.length === 2 && gone.map(({ name }) => name);
  });
  for (const name of displaced) await v.event(name, 'Displaced');
  await seats.setPower('mid', 'Asleep');
  // The operator gives the two seats to waiting agents. The third waiting agent keeps waiting.
  const waiting = ['late', ...displaced];
  const pods = (): Promise<number> =>
    Promise.all(waiting.map((name) => v.podsOf(name))).then((all) => all.flat().length);
  await until('two of three run', async () => (await pods()) === 2);
  await seats.reported('tier-0', { total: 8, free: 0, agents: 9 });
  assert.equal(await pods(), 2);
  await seats.removeAgents('late', 'mid', ...low);
});

test('an agent that the api pauses on a short node ends with an Event, and returns after the node recovers', async () => {
  const shortage = { node: 'sparky1', short: true, paused: ['newest'] };
  for (const name of ['oldest', 'newest']) {
    await v.createAgent(name, { placement: { nodeName: 'sparky1' } });
    await v.runningPod(name);
  }
  v.village.say('shortage', shortage);
  const sentence = 'node sparky1 is short of memory and gives no seats until it recovers';
  assert.equal(await v.condition('newest', 'Admitted False NodeShort'), sentence);
  await v.event('newest', 'NodeShort', /the pod ends, the volume stays/);
  await until('its pod ends', async () => (await v.podsOf('newest')).length === 0);
  await v.createAgent('late', { placement: { nodeName: 'sparky1' } });
  assert.equal(await v.condition('late', 'Admitted False NodeShort'), sentence);
  assert.equal((await v.podsOf('oldest')).length, 1);
  v.village.say('shortage', { ...shortage, short: false, paused: [] });
  for (const name of ['newest', 'late']) await v.runningPod(name);
  await seats.removeAgents('oldest', 'newest', 'late');
});

interface Ending extends KubeObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly reason?: string }[] };
}

test('under pressure Kubernetes ends the lowest tier first, and never the model server; no agent preempts another', async () => {
  const { client } = v.server;
  const preempted = new Map<string, string>();
  const watch = new AbortController();
  const received = (async () => {
    for await (const event of client.watch(PODS, { signal: watch.signal })) {
      const { object } = event as { readonly object: Ending };
      const target = object.status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
      if (target !== undefined) preempted.set(keyOf(object.metadata), target.reason ?? '');
    }
  })().catch(() => undefined);
  // One agent of each tier requests 500m, 1 and 250m of 4.5 cores on its node, and 100m each for its resident; the first model
  // server requests nearly all of the rest.
  await client.mergePatch(NODES, { spec: { unschedulable: true } }, { name: 'sparky2' });
  // A seat that the operator gave before it noticed the closed node moves, and its agent gets another pod.
  await seats.reported('tier-0', { total: 4, free: 4, agents: 0 });
  await v.createAgent('prem-0');
  await v.createAgent('prem-1', as('tier-1'));
  await v.createAgent('prem-2', as('gpu'));
  for (const name of ['prem-0', 'prem-1', 'prem-2']) assert.equal((await v.runningPod(name)).spec.nodeName, 'sparky1');
  await client.create(PODS, modelServer('model-1', '2400m'), { namespace: 'default' });
  const isThere = async (name: string): Promise<boolean> =>
    (
      await client.get<KubeObject & { readonly spec: { readonly nodeName?: string } }>(PODS, {
        namespace: 'default',
        name,
      })
    ).spec.nodeName === 'sparky1';
  await until('the first model server has its node', () => isThere('model-1'));
  // 50m are left. The second model server requests 400m, so only the agent of the lowest tier must end. That agent then waits for
  // a seat, or its new pod waits for the scheduler.
  await client.create(PODS, modelServer('model-2', '400m'), { namespace: 'default' });
  await until('the second model server has its node', () => isThere('model-2'));
  // A watch shows a change a moment later than a GET.
  await until('the preemption of the lowest tier is seen', async () => preempted.size > 0);
  assert.deepEqual([...preempted], [[`${v.namespace}/prem-0-1`, 'PreemptionByScheduler']]);
  await until('the lowest tier waits', async () =>
    ['NoSeat', 'Unschedulable'].includes(
      (await v.statusOf('prem-0')).conditions?.find(({ type }) => type === 'Ready')?.reason ?? '',
    ),
  );
  // For a third model server the agent of the next tier must end.
  await client.create(PODS, modelServer('model-3', '700m'), { namespace: 'default' });
  await until('the third model server has its node', () => isThere('model-3'));
  await until('the preemption of the next tier is seen', async () => preempted.size > 1);
  assert.deepEqual([...preempted.keys()].toSorted(), [`${v.namespace}/prem-0-1`, `${v.namespace}/prem-1-1`]);
  assert.deepEqual((await v.podsOf('prem-2')).length, 1, 'the highest tier stays');
  // Even an agent of the highest tier takes no room from a model server, and waits.
  await v.createAgent('prem-3', as('tier-1'));
  await v.condition('prem-3', 'Ready False TooLarge');
  for (const name of ['model-1', 'model-2', 'model-3']) assert.equal(preempted.has(`default/${name}`), false);
  watch.abort();
  await received;
});
