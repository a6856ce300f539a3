/** Callbacks of tasks: where they may go, what follows a delivery, and their delivery on a real Postgres. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentSpec, VillageEgress } from '@hamlet/contract';
import { egressPolicyOf } from '@hamlet/core/egress';
import { inTransaction, insertRuns, putCallback, readCallbacks } from '@hamlet/store';
import { until } from '@hamlet/test/env/until';
import type { AgentRecord } from '../../agents/agent-source.ts';
import { switchedEgress } from '../../egress/egress-of.ts';
import { applyToRun } from '../../runs/apply-to-run.ts';
import { testVillage } from '../../testing/test-village.ts';
import { createCallbackSender } from './callback-job.ts';
import { judgeCallback } from './judge-callback.ts';
import { decideDelivery, FAILURES_MAX } from './plan-callback.ts';
import { createPostCallback, type PostCallback } from './post-callback.ts';

const spec = AgentSpec.parse({
  a2a: {
    enabled: true,
    callbackHosts: ['hooks.example.org', '*.example.net', 'api.stripe.com', '127.0.0.1', '10.0.0.7'],
  },
});
const village = VillageEgress.parse({ deny: [{ host: 'closed.example.net' }] });
const policy = egressPolicyOf({ village, tier: undefined, agent: spec }, () => new Uint8Array(32));

const ADDRESSES = [
  ['https://hooks.example.org/tasks?of=mine', 'sent'],
  ['https://a.example.net', 'sent'],
  ['http://hooks.example.org/tasks', 'egress_bad_request'],
  ['https://hooks.example.org:8443/tasks', 'egress_bad_request'],
  ['https://user@hooks.example.org/', 'egress_bad_request'],
  ['file:///etc/passwd', 'egress_bad_request'],
  [`https://hooks.example.org/${'x'.repeat(2_048)}`, 'egress_bad_request'],
  ['https://example.org/', 'egress_not_allowed'],
  ['https://hooks.example.org.evil.com/', 'egress_not_allowed'],
  ['https://closed.example.net/', 'egress_denied'],
  ['https://api.stripe.com/', 'egress_denied'],
  ['https://hooks.example.org/checkout', 'egress_denied'],
  ['https://hooks.example.org/a%2f..%2fb', 'egress_path_unclear'],
] as const;

for (const [address, verdict] of ADDRESSES)
  test(`a callback to ${address.slice(0, 50)} is ${verdict}`, () => {
    const judged = judgeCallback(address, spec, policy);
    assert.equal('verdict' in judged ? judged.code : 'sent', verdict);
  });

test('no callback goes out while an admin closes every way out', () => {
  const settings = { values: { egress_open: false } } as Parameters<typeof switchedEgress>[1];
  const judged = judgeCallback('https://hooks.example.org/', spec, switchedEgress(() => policy, settings)('ada'));
  assert.equal('verdict' in judged && judged.code, 'egress_denied');
});

test('a callback connects to no address inside, although an Agent names it', async () => {
  for (const host of ['127.0.0.1', '10.0.0.7']) {
    const judged = judgeCallback(`https://${host}/`, spec, policy);
    assert.ok(!('verdict' in judged));
    await assert.rejects(
      createPostCallback()(judged, { body: '', headers: {} }, AbortSignal.abort()),
      /inside the cluster/,
    );
  }
});

const DELIVERIES = [
  [{ status: 204, isOver: false, failures: 3 }, { kind: 'delivered' }],
  [
    { status: 200, isOver: true, failures: 0 },
    { kind: 'end', delivered: true },
  ],
  [
    { status: 302, isOver: true, failures: 0 },
    { kind: 'failed', failures: 1, waitS: 10 },
  ],
  [
    { status: null, isOver: false, failures: 2 },
    { kind: 'failed', failures: 3, waitS: 40 },
  ],
  [
    { status: 410, isOver: false, failures: 0 },
    { kind: 'end', delivered: false },
  ],
  [
    { status: 500, isOver: false, failures: FAILURES_MAX - 1 },
    { kind: 'end', delivered: false },
  ],
] as const;

for (const [delivery, verdict] of DELIVERIES)
  test(`a delivery with ${JSON.stringify(delivery)} is ${verdict.kind}`, () => {
    assert.deepEqual(decideDelivery(delivery), verdict);
  });

const { openDb } = await testVillage();
const record = { agentId: 'ada', spec, deleting: false } as AgentRecord;

/** A run with its callbacks on a real Postgres; `looker` makes the look of one replica. */
async function aTask() {
  const db = openDb();
  const [run] = await inTransaction(db, (tx) =>
    insertRuns(tx, [
      {
        agentId: 'ada',
        agentUid: 'uid-of-ada',
        kind: 'prompt',
        prompt: 'Bake.',
        createdByRole: 'member',
        createdById: 'key mia',
        schedule: null,
      },
    ]),
  );
  const runId = run?.runId ?? '';
  const own = { runId, agentId: 'ada', personId: 'key mia', token: 't-1' };
  const add = (callbackId: string, url: string, version: '1.0' | '0.3') =>
    inTransaction(db, (tx) => putCallback(tx, { ...own, callbackId, host: new URL(url).host, url, version }));
  const sending = { db, egressOf: () => policy, log: () => undefined };
  const sender = (post: PostCallback, ready = true) =>
    createCallbackSender({ ...sending, source: { ready, get: () => record }, post });
  const looker = (post: PostCallback, ready?: boolean) => async (): Promise<void> => {
    const { step, idle } = sender(post, ready);
    await step();
    await idle();
  };
  return { db, runId, add, sender, looker };
}

test('each new state is sent once with the token, a failed one again, and the last one ends the callback', async () => {
  const { db, runId, add, looker } = await aTask();
  await add('new', 'https://hooks.example.org/new', '1.0');
  await add('old', 'https://hooks.example.org/old', '0.3');
  await add('closed', 'https://elsewhere.example.org/', '1.0');
  let status = 200;
  const sent: (readonly [path: string, token: string | undefined, body: unknown])[] = [];
  const post: PostCallback = (to, { body, headers }) => {
    sent.push([to.url.pathname, headers['x-a2a-notification-token'], JSON.parse(body)]);
    return Promise.resolve(status);
  };
  const look = looker(post);
  await looker(post, false)();
  assert.equal((await readCallbacks(db, runId)).length, 3, 'a replica that does not know the agents ends no callback');
  await look();
  assert.deepEqual(sent.map(([path, token]) => [path, token]).toSorted(), [
    ['/new', 't-1'],
    ['/old', 't-1'],
  ]);
  const bodies = new Map(sent.map(([path, , body]) => [path, body]));
  assert.partialDeepStrictEqual(bodies.get('/new'), {
    statusUpdate: { taskId: runId, status: { state: 'TASK_STATE_SUBMITTED' } },
  });
  assert.partialDeepStrictEqual(bodies.get('/old'), { kind: 'status-update', status: { state: 'submitted' } });
  await look();
  assert.equal(sent.length, 2, 'an unchanged task sends nothing');
  assert.deepEqual(
    (await readCallbacks(db, runId)).map(({ callbackId }) => callbackId),
    ['new', 'old'],
  );

  await add('new', 'https://hooks.example.org/first', '1.0');
  const replaced: PostCallback = async (to, ...more) => {
    if (to.url.pathname !== '/first') return post(to, ...more);
    await add('new', 'https://hooks.example.org/new', '1.0');
    return 410;
  };
  await looker(replaced)();
  await look();
  assert.deepEqual(
    sent.slice(2).map(([path]) => path),
    ['/new'],
    'one that replaces another outlives its delivery',
  );
  sent.length = 2;

  await inTransaction(db, (tx) =>
    applyToRun(tx, runId, { command: { kind: 'cancel' }, words: { detail: {} }, permit: () => null }),
  );
  status = 503;
  await look();
  assert.deepEqual(
    (await readCallbacks(db, runId)).map(({ failures }) => failures),
    [1, 1],
  );
  await db
    .updateTable('a2a_callback')
    .set({ due_at: new Date(0) })
    .execute();
  status = 200;
  await Promise.all([look(), look()]);
  assert.equal(sent.length, 6, 'replicas that look at the same time send each callback once');
  assert.partialDeepStrictEqual(sent.at(-1)?.[2], sent.at(-1)?.[0] === '/old' ? { final: true } : { statusUpdate: {} });
  assert.deepEqual(await readCallbacks(db, runId), []);
});

test('24 hosts that do not answer delay no other host, and have 4 deliveries each at a time', async () => {
  const { add, sender } = await aTask();
  const slow = Array.from({ length: 24 }, (_, index) => `slow-${index}.example.net`);
  for (const host of [...slow, 'fast.example.net'])
    for (let place = 0; place < 6; place += 1) await add(`${host}.${place}`, `https://${host}/${place}`, '1.0');
  const sent: string[] = [];
  const post: PostCallback = (to, _, stopping) => {
    sent.push(to.destination.host);
    if (to.destination.host === 'fast.example.net') return Promise.resolve(200);
    return new Promise((_resolve, reject) => stopping.addEventListener('abort', () => reject(stopping.reason)));
  };
  const { step, stop } = sender(post);
  const counts = (): ReadonlyMap<string, readonly string[]> => Map.groupBy(sent, (host) => host);
  await step();
  await until('all callbacks of the fast host', () => counts().get('fast.example.net')?.length === 6);
  await until('a full share of each slow host', () => sent.length === 6 + slow.length * 4);
  await add('late', 'https://fast.example.net/late', '1.0');
  await until('a new callback of the fast host', async () => {
    await step();
    return counts().get('fast.example.net')?.length === 7;
  });
  assert.deepEqual(new Set(slow.map((host) => counts().get(host)?.length)), new Set([4]));
  await stop();
});
