/**
 * Agents buy GPU windows, a higher limit or a better place in the queue with aiDollars. All purchases end by
 * themselves.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { API_VERSION, PurchaseView, type PurchaseItem } from '@hamlet/contract';
import { CAP_MS, until } from '../env/until.ts';
import { agentOf, applyAgent, deleteAgents, getObject, untilReady, village, type Village } from '../env/village.ts';

/** Money stays with a name permanently, so each run uses new names. */
const RUN = process.pid;
const BUYER = `gus-${RUN}`;
/** The first agent holds the only device and the others wait for it; the last one buys a better place. */
const [SITS, WAITS, BUYS] = [`una-${RUN}`, `vic-${RUN}`, `wim-${RUN}`];
const ALL = [BUYER, SITS, WAITS, BUYS];
const TIER = `purchases-${RUN}`;
const STOOL_TIER = `stool-${RUN}`;
/** A device that exists once on one node, so agents that need it wait for the same seat. */
const STOOL = `hamlet.village/stool-${RUN}`;
const GPU = 'nvidia.com/gpu';
const REQUESTS = 120;
/** Long enough for a pod to end and another to start on a busy machine: the test would miss a window that ends earlier. */
const WINDOW_SECONDS = 150;
const REQUESTS_SECONDS = 120;
const PRIORITY_SECONDS = 45;

interface Pod {
  readonly metadata: { readonly uid: string; readonly name: string; readonly deletionTimestamp?: string };
  readonly spec: {
    readonly nodeName: string;
    readonly priorityClassName?: string;
    readonly containers: readonly {
      readonly name: string;
      readonly resources: { readonly limits: Readonly<Record<string, string>> };
    }[];
  };
  readonly status: { readonly phase: string };
}

let place: Village;
let node = '';

const pinned = (tier: string): object => ({ entitlement: { policy: 'Pinned', name: tier } });

/**
 * A tier that no balance opens. It is free, so that agents pay only for purchases, and has every model, so that agents
 * do not buy models.
 */
const tierManifest = (name: string, compute: object): object => ({
  apiVersion: API_VERSION,
  kind: 'Entitlement',
  metadata: { name },
  spec: {
    rank: 0,
    minBalance: '100000000',
    limits: { requestsPerMinute: REQUESTS, concurrentTools: 1, tokensPerHour: 20_000, models: ['small', 'large'] },
    compute,
  },
});

async function advertise(count: string | null): Promise<void> {
  const devices = { [STOOL]: count };
  await place.kubectl([
    'patch',
    'node',
    node,
    '--subresource=status',
    '--type=merge',
    '--patch',
    JSON.stringify({ status: { capacity: devices, allocatable: devices } }),
  ]);
}

before(async () => {
  place = await village();
  node = (await place.kubectl(['get', 'nodes', '-o', 'name'])).split('\n').at(-1)?.replace('node/', '') ?? '';
  await advertise('1');
  const tiers = [
    tierManifest(TIER, { resources: { cpu: '150m', memory: '192Mi' } }),
    tierManifest(STOOL_TIER, {
      resources: { cpu: '100m', memory: '160Mi' },
      gpu: { mode: 'Shared', count: 1, resourceName: STOOL },
    }),
  ];
  for (const tier of tiers) await place.kubectl(['apply', '-f', '-'], JSON.stringify(tier));
  await applyAgent(place, BUYER, pinned(TIER));
  await applyAgent(place, SITS, pinned(STOOL_TIER));
  await untilReady(place, BUYER);
  await place.admin.rewardAgent({ agent_id: BUYER, amount: '5', reason: 'to spend' });
});
after(async () => {
  await deleteAgents(place, ALL);
  await place.tryKubectl(['delete', 'entitlements', TIER, STOOL_TIER, '--ignore-not-found']);
  await advertise(null);
});

/** The pods of an agent, newest last, without pods that are ending. */
async function podsOf(agent: string): Promise<readonly Pod[]> {
  const { items } = JSON.parse(
    await place.kubectl([
      'get',
      'pods',
      '-l',
      `hamlet.village/agent=${agent}`,
      '-o',
      'json',
      '--sort-by=.metadata.creationTimestamp',
    ]),
  ) as { items: readonly Pod[] };
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

const devicesOf = ({ spec }: Pod, name: string): string | undefined =>
  spec.containers.find((container) => container.name === 'hands')?.resources.limits[name];

/** Waits until an agent's pod runs, is Ready and meets the condition. */
async function untilPod(agent: string, what: string, isSo: (pod: Pod) => boolean): Promise<Pod> {
  return until(`${agent}: ${what}`, async () => {
    const [pod, ...others] = await podsOf(agent);
    const found = pod?.status.phase === 'Running' && others.length === 0 && isSo(pod);
    return found && (await agentOf(place, agent))?.why.ready === true ? pod : undefined;
  });
}

const volumeOf = async (agent: string): Promise<string | undefined> =>
  (await getObject<{ metadata: { uid: string } }>(place, 'pvc', `${agent}-home`))?.metadata.uid;

/** Exchanges the pod's token like a resident, and sends one request. Arguments: method, path, body, key. */
const REQUEST = `
token=$(curl -sS -X POST -H "Authorization: Bearer $(cat "$HAMLET_TOKEN_FILE")" "$HAMLET_API_URL/api/v1/auth/agent-token" | jq -r .access_token)
curl -sS -i -X "$1" -H "Authorization: Bearer $token" -H "Idempotency-Key: $4" -H 'Content-Type: application/json' \${3:+--data "$3"} "$HAMLET_API_URL/api/v1$2"
`;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The api's answer to a request from inside an agent's pod. */
async function fromInside(
  agent: string,
  request: readonly [method: string, path: string, body?: object],
): Promise<Answer> {
  const [method, path, body] = request;
  const [pod] = await podsOf(agent);
  const said = await place.kubectl([
    'exec',
    pod?.metadata.name ?? '',
    '--',
    'sh',
    '-c',
    REQUEST,
    'sh',
    method,
    path,
    body === undefined ? '' : JSON.stringify(body),
    crypto.randomUUID(),
  ]);
  const [head = '', text = ''] = said.split('\r\n\r\n');
  const [status = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(status.split(' ')[1]), headers, body: JSON.parse(text) };
}

async function buysForItself(item: PurchaseItem, seconds: number): Promise<PurchaseView> {
  const { status, body } = await fromInside(BUYER, ['POST', '/economy/purchases', { item, seconds }]);
  assert.equal(status, 201, JSON.stringify(body));
  return PurchaseView.parse(body);
}

const GPU_WINDOW = { kind: 'gpu', lane: 'gpu-0' } as const;

async function isLaneFree(): Promise<boolean | undefined> {
  return (await place.admin.getQuote({ agent_id: BUYER, ...GPU_WINDOW, seconds: 1 })).item?.free;
}

/** The agent's pod before any purchase. */
let without: Pod;
let volume: string | undefined;

test('an agent buys a GPU window: a pod with the GPU and the same volume replaces its pod, and no other agent can buy the window', async () => {
  without = await untilPod(BUYER, 'a pod', () => true);
  assert.equal(devicesOf(without, GPU), undefined);
  volume = await volumeOf(BUYER);
  assert.equal(await isLaneFree(), true);
  await place.kubectl([
    'exec',
    without.metadata.name,
    '-c',
    'hands',
    '--',
    'sh',
    '-c',
    'echo kept >/workspace/keepsake && sync',
  ]);

  const bought = await buysForItself(GPU_WINDOW, WINDOW_SECONDS);
  assert.deepEqual(
    [bought.item, bought.bought_by],
    [
      { kind: 'gpu', lane: 'gpu-0', resource_name: GPU, count: 1 },
      { role: 'agent', id: `agent ${BUYER}` },
    ],
  );
  const during = await untilPod(BUYER, 'a pod with the GPU', (pod) => devicesOf(pod, GPU) === '1');
  assert.notEqual(during.metadata.uid, without.metadata.uid);
  assert.equal(during.spec.nodeName, without.spec.nodeName);
  assert.equal(await volumeOf(BUYER), volume);
  assert.equal(
    await place.kubectl(['exec', during.metadata.name, '-c', 'hands', '--', 'cat', '/workspace/keepsake']),
    'kept',
  );
  assert.equal((await agentOf(place, BUYER))?.tier, TIER, 'the tier is unchanged');
  await untilReported(BUYER, 'GpuWindow');
  const second = await place.admin.raw.buyCompute({ agent_id: BUYER, item: GPU_WINDOW, seconds: 1 });
  assert.equal(second.ok ? 'sold' : second.problem.code, 'window_taken');

  const { entries } = await place.admin.getLedger({ agent_id: BUYER });
  assert.deepEqual(
    entries
      .filter(({ reason }) => reason === 'purchase_compute')
      .map(({ ledger_entry_id: id, amount }) => [id, amount]),
    [[bought.ledger_entry_id, `-${bought.price}`]],
  );
});

/** The requests a minute that the rate limit header reports to an agent. */
async function reportedRequests(): Promise<number> {
  const { headers } = await fromInside(BUYER, ['GET', `/agents/${BUYER}/config`]);
  return Number(/;q=(\d+);w=60/.exec(headers['ratelimit-policy'] ?? '')?.[1]);
}

const requestsShown = async () => (await agentOf(place, BUYER))?.entitlement.limits?.requests_per_minute;

test('an agent buys requests, and its limit rises in the header and in the API', async () => {
  assert.equal(await reportedRequests(), REQUESTS);
  await buysForItself({ kind: 'quota', limit: 'requests_per_minute', amount: 60 }, REQUESTS_SECONDS);
  await until('the header reports a higher limit', async () => (await reportedRequests()) === REQUESTS + 60);
  await until('people see more', async () => (await requestsShown()) === REQUESTS + 60);
});

async function untilAllEnded(agent: string): Promise<void> {
  const isOver = async (): Promise<boolean> =>
    (await place.admin.listPurchases({ agent_id: agent })).purchases.every(({ state }) => state === 'ended');
  await until(`what ${agent} bought has ended`, isOver, { capMs: CAP_MS + WINDOW_SECONDS * 1_000 });
}

async function untilWaits(agent: string, queuePlace: number): Promise<void> {
  await until(`${agent} waits at place ${queuePlace}`, async () => {
    const why = (await agentOf(place, agent))?.why;
    return (
      why?.reason === 'GpuBooked' &&
      why.message.includes(`place ${queuePlace} in the queue`) &&
      (await podsOf(agent)).length === 0
    );
  });
}

async function untilReported(agent: string, event: string): Promise<void> {
  await until(
    `an Event ${event} of ${agent}`,
    async () =>
      (await place.kubectl([
        'get',
        'events',
        '--field-selector',
        `involvedObject.name=${agent},reason=${event}`,
        '-o',
        'name',
      ])) !== '',
  );
}

test("bought priority moves the last agent to the front of its tier's queue, and it keeps the seat afterwards", async () => {
  const sitting = await untilPod(SITS, 'the stool', (pod) => devicesOf(pod, STOOL) === '1');
  await applyAgent(place, WAITS, pinned(STOOL_TIER));
  await untilWaits(WAITS, 1);
  await applyAgent(place, BUYS, pinned(STOOL_TIER));
  await untilWaits(BUYS, 2);

  await place.admin.rewardAgent({ agent_id: BUYS, amount: '1', reason: 'to spend' });
  await place.admin.buyCompute({ agent_id: BUYS, item: { kind: 'priority' }, seconds: PRIORITY_SECONDS });
  await untilReported(SITS, 'Displaced');
  const seated = await untilPod(BUYS, 'the stool', (pod) => devicesOf(pod, STOOL) === '1');
  assert.equal(seated.spec.priorityClassName, sitting.spec.priorityClassName, "the class of the pod is its tier's");
  await untilWaits(WAITS, 1);
  await untilWaits(SITS, 2);
  await untilAllEnded(BUYS);
  const [kept] = await podsOf(BUYS);
  assert.equal(kept?.metadata.uid, seated.metadata.uid);
});

test("when purchases end, a pod without the GPU replaces the pod, the lane is for sale again, and the tier's limit applies", async () => {
  await untilAllEnded(BUYER);
  const back = await untilPod(BUYER, 'a pod without the GPU', (pod) => devicesOf(pod, GPU) === undefined);
  assert.notEqual(back.metadata.uid, without.metadata.uid);
  assert.equal(await volumeOf(BUYER), volume);
  assert.equal(
    await place.kubectl(['exec', back.metadata.name, '-c', 'hands', '--', 'cat', '/workspace/keepsake']),
    'kept',
  );
  await until('no pod of the agent has the GPU', async () => {
    const { items } = JSON.parse(
      await place.kubectl(['get', 'pods', '-l', `hamlet.village/agent=${BUYER}`, '-o', 'json']),
    ) as { items: readonly Pod[] };
    return items.every((pod) => devicesOf(pod, GPU) === undefined);
  });
  assert.equal(await isLaneFree(), true);
  await until(
    'the limit of the tier again',
    async () => (await reportedRequests()) === REQUESTS && (await requestsShown()) === REQUESTS,
  );
});
