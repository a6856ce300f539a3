import assert from 'node:assert/strict';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { testApiServer, type TestApiServer } from '@hamlet/test/env/api-server';
import { LEASES } from '../client/kube-object.ts';
import { Elector } from './elector.ts';
import type { Lease } from './lease-step.ts';

/**
 * Short intervals, and a lease so long that no stall of the machine ends it. These tests end a lease only by taking or releasing
 * it.
 */
const TIMES = { durationMs: 300_000, renewDeadlineMs: 240_000, renewMs: 200, retryMs: 100 };

let server: TestApiServer;
let namespace: string;
before(async () => {
  server = await testApiServer();
  namespace = await server.namespace();
});
after(() => server.remove());

const elector = (name: string): Elector =>
  new Elector({ client: server.client, namespace, name, holder: 'pod-uid', times: TIMES });
const lease = (name: string): Promise<Lease> => server.client.get<Lease>(LEASES, { namespace, name });

test('one of three processes leads; after it releases the lease, another leads with a greater fence', async () => {
  const all = [elector('three'), elector('three'), elector('three')];
  for (const each of all) each.start();
  const first = await Promise.race(all.map((each) => each.elected.then((fence) => ({ each, fence }))));
  assert.deepEqual(
    all.filter((each) => each.leads),
    [first.each],
  );
  assert.equal(first.fence.leaseUid, (await lease('three')).metadata.uid);
  await first.each.stop();
  const others = all.filter((each) => each !== first.each);
  const second = await Promise.race(others.map((each) => each.elected.then((fence) => ({ each, fence }))));
  assert.equal(second.fence.leaseUid, first.fence.leaseUid);
  assert.ok(second.fence.transitions > first.fence.transitions);
  assert.equal(first.each.leads, false);
  await Promise.all(others.map((each) => each.stop()));
});

test('deleting the Lease ends the leadership, because a new Lease has a new fence', async () => {
  const orphan = elector('orphan');
  orphan.start();
  await orphan.elected;
  await server.client.delete(LEASES, { namespace, name: 'orphan' });
  await orphan.lost;
  assert.equal(orphan.leads, false);
});
