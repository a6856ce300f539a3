/** GPU time is sold only while nodes of a real API server have a GPU that no model server requests. */
import assert from 'node:assert/strict';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { API_VERSION, PriceList } from '@hamlet/contract';
import { KubeError, NODES, PODS, type NewObject } from '@hamlet/kube';
import { refusalOf } from '@hamlet/test/env/client';
import { AGENTS } from '../../agents/kubernetes-watch.ts';
import { addFiguresAccount } from '../../figures/testing/pretend-kubelet.ts';
import { startClusterVillage, type ClusterVillage } from '../../testing/cluster-village.ts';
import { eventually, Play } from '../../testing/test-village.ts';
import { openGpuSupply, pricesNow } from './gpu-supply.ts';

const GPU = 'nvidia.com/gpu';
const MANAGER = { fieldManager: 'test' };
const HOUR_MS = 3_600_000;

let cluster: ClusterVillage;
let play: Play;

async function addNode(name: string, gpus: string): Promise<void> {
  const { client } = cluster.kube;
  const object = { apiVersion: 'v1', kind: 'Node', metadata: { name } };
  await client.apply(NODES, object, MANAGER);
  const conditions = [{ type: 'Ready', status: 'True' }];
  const status = { capacity: { [GPU]: gpus }, allocatable: { [GPU]: gpus, memory: '128Gi' }, conditions };
  await client.apply(NODES, { ...object, status } as NewObject, { ...MANAGER, subresource: 'status' });
}

async function addModelServer(nodeName: string): Promise<void> {
  const labels = { 'hamlet.village/role': 'model-server' };
  const container = { name: 'server', image: 'vllm', resources: { limits: { [GPU]: '1' } } };
  const spec = { nodeName, containers: [container], automountServiceAccountToken: false };
  const metadata = { name: 'hamlet-model-local-0', namespace: cluster.namespace, labels };
  await cluster.kube.client.apply(PODS, { apiVersion: 'v1', kind: 'Pod', metadata, spec } as NewObject, MANAGER);
}

before(async () => {
  cluster = await startClusterVillage();
  const { kube, namespace, village, environment } = cluster;
  await kube.client.apply(
    AGENTS,
    { apiVersion: API_VERSION, kind: 'Agent', metadata: { name: 'ada', namespace }, spec: {} } as NewObject,
    MANAGER,
  );
  await addFiguresAccount(kube, namespace);
  await addNode('box1', '1');
  await addModelServer('box1');
  play = new Play((await village.startReplica({ ...environment, HAMLET_FIGURES: '1' })).peopleUrl);
});
after(() => cluster.remove());

test('a GPU that a model server has is not quoted, sold or auctioned, and the refusal names the reason', async () => {
  const { admin } = play;
  await eventually('ada', async () => (await admin.raw.getAgent({ agent_id: 'ada' })).ok);
  await admin.rewardAgent({ agent_id: 'ada', amount: 50, reason: 'for tests' });
  assert.deepEqual((await admin.getQuote({})).price_list.gpu.lanes, []);
  const at = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString();
  const times = { starts_at: at(2), ends_at: at(3), closes_at: at(1) };
  const answers = [
    await admin.raw.getQuote({ kind: 'gpu', lane: 'gpu-0' }),
    await admin.raw.buyCompute({ agent_id: 'ada', item: { kind: 'gpu', lane: 'gpu-0' }, seconds: 60 }),
    await admin.raw.openAuction({ lane: 'gpu-0', ...times, reserve: '2', note: 'one hour' }),
  ];
  for (const answer of answers) {
    assert.equal(refusalOf(answer), 'not_for_sale');
    assert.match(JSON.stringify(answer), /gpu-0 needs 1 nvidia.com\/gpu of one node, and model servers/);
  }
  const { balance } = await admin.getAgent({ agent_id: 'ada' });
  assert.equal(balance, '50');
});

test('a second node sells its GPU within seconds; without an answer of the cluster the last one stays', async () => {
  let nowMs = 0;
  let fails = false;
  const warnings: string[] = [];
  const { client } = cluster.kube;
  const gpus = openGpuSupply({
    kubelets: {
      allocatable: async () => {
        if (fails) throw new KubeError({ status: 403, reason: 'Forbidden', message: 'no' });
        const { items } = await client.list(NODES, {});
        return items.map((node) => ({
          name: node.metadata.name,
          allocatable:
            (node as { readonly status?: { readonly allocatable?: Record<string, string> } }).status?.allocatable ?? {},
        }));
      },
    },
    client,
    namespace: cluster.namespace,
    nowMs: () => nowMs,
    log: (_level, message) => void warnings.push(message),
  });
  const lanes = async () => (await pricesNow({ prices: PriceList.parse({}), gpus })).gpu.lanes.length;
  assert.equal(await lanes(), 0);
  await addNode('box2', '1');
  assert.equal(await lanes(), 0, 'read at most every 15 s');
  nowMs += 15_000;
  assert.equal(await lanes(), 1);
  fails = true;
  nowMs += 15_000;
  assert.deepEqual([await lanes(), warnings.length], [1, 1]);
});

test('buyers who ask during the first answer of the cluster wait for it, and none gets the price list alone', async () => {
  const answer = Promise.withResolvers<readonly []>();
  const gpus = openGpuSupply({
    kubelets: { allocatable: () => answer.promise },
    client: cluster.kube.client,
    namespace: cluster.namespace,
    nowMs: () => 0,
    log: () => undefined,
  });
  const both = Promise.all([gpus.free(), gpus.free()]);
  answer.resolve([]);
  assert.deepEqual(await both, [[], []]);
});
