/** Tests against a real API server: preconditions, pages, compaction and events. */
import { pluck } from '@hamlet/test/env/pluck';
import assert from 'node:assert/strict';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { testApiServer, type TestApiServer } from '@hamlet/test/env/api-server';
import { CAP_MS, until } from '@hamlet/test/env/until';
import { EVENTS, PODS, SERVICE_ACCOUNTS, type KubeObject, type ResourceType } from './kube-object.ts';
import { Reflector } from '../reflector/reflector.ts';
import { EventRecorder } from '../service/event-recorder.ts';
import { isStatus, KubeError } from './kube-error.ts';

const MAPS: ResourceType = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap' };
type ConfigMap = KubeObject & { readonly data?: Readonly<Record<string, string>> };

let server: TestApiServer;
let namespace: string;
before(async () => {
  server = await testApiServer();
  namespace = await server.namespace();
});
after(() => server.remove());

const map = (
  name: string,
  data: Record<string, string> = {},
): {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace: string };
  data: Record<string, string>;
} => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data });
const refusedWith =
  (status: number) =>
  (error: unknown): boolean =>
    isStatus(error, status);

/** The API server refuses another uid either as a conflict, or because a uid is immutable. */
const anotherLife = (error: unknown): boolean =>
  isStatus(error, 409) || (isStatus(error, 422) && /metadata.uid/.test(error.message));

test('apply changes only its own fields, and the API server refuses another uid', async () => {
  const first = await server.client.apply<ConfigMap>(MAPS, map('applied', { ours: '1' }), { fieldManager: 'a' });
  await server.client.apply(MAPS, map('applied', { theirs: '2' }), { fieldManager: 'b' });
  const both = await server.client.apply<ConfigMap>(MAPS, map('applied', { ours: '3' }), { fieldManager: 'a' });
  assert.deepEqual(both.data, { ours: '3', theirs: '2' });
  const { uid } = first.metadata;
  await server.client.delete(MAPS, { namespace, name: 'applied', uid });
  await server.client.create(MAPS, map('applied'), { namespace });
  const stale = { ...map('applied', { late: 'yes' }), metadata: { name: 'applied', namespace, uid } };
  await assert.rejects(server.client.apply(MAPS, stale, { fieldManager: 'a' }), anotherLife);
  await assert.rejects(
    server.client.mergePatch(MAPS, { metadata: { uid }, data: { late: 'yes' } }, { namespace, name: 'applied' }),
    anotherLife,
  );
  await assert.rejects(server.client.delete(MAPS, { namespace, name: 'applied', uid }), refusedWith(409));
  await server.client.delete(MAPS, { namespace, name: 'applied' });
  await server.client.delete(MAPS, { namespace, name: 'applied' });
});

test('apply takes a field over from another manager, unless the caller forbids it', async () => {
  await server.client.apply<ConfigMap>(MAPS, map('fought', { field: 'a' }), { fieldManager: 'a' });
  await assert.rejects(
    server.client.apply(MAPS, map('fought', { field: 'b' }), { fieldManager: 'b', force: false }),
    refusedWith(409),
  );
  const taken = await server.client.apply<ConfigMap>(MAPS, map('fought', { field: 'b' }), { fieldManager: 'b' });
  assert.deepEqual(taken.data, { field: 'b' });
});

test('delete returns an object that a finalizer keeps, and undefined for one that is gone', async () => {
  const at = { namespace, name: 'kept' };
  const kept = { ...map('kept'), metadata: { name: 'kept', namespace, finalizers: ['hamlet.test/keep'] } };
  await server.client.create(MAPS, kept, { namespace });
  assert.notEqual((await server.client.delete(MAPS, at))?.metadata.deletionTimestamp, undefined);
  await server.client.mergePatch(MAPS, { metadata: { finalizers: null } }, at);
  await server.client.create(MAPS, map('kept'), { namespace });
  assert.equal(await server.client.delete(MAPS, at), undefined);
  assert.equal(await server.client.delete(MAPS, at), undefined);
});

test('delete gives a pod the grace period that the caller names', async () => {
  const at = { namespace, name: 'graceful' };
  const spec = { nodeName: 'nowhere', containers: [{ name: 'main', image: 'none' }] };
  await server.client.create(PODS, { apiVersion: 'v1', kind: 'Pod', metadata: at, spec }, { namespace });
  const ending = await server.client.delete(PODS, { ...at, graceSeconds: 7 });
  assert.equal(ending?.metadata.deletionGracePeriodSeconds, 7);
});

test('a refusal carries the message of the API server', async () => {
  const error: unknown = await server.client
    .create(PODS, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: {} }, { namespace })
    .catch((reason: unknown) => reason);
  assert.ok(error instanceof KubeError);
  assert.deepEqual([error.status, error.reason], [422, 'Invalid']);
  assert.match(error.message, /spec.containers: Required value/);
});

test('a write that beforeWrite forbids is never sent', async () => {
  const fenced = server.clientWith({
    beforeWrite: () => {
      throw new Error('no leader');
    },
  });
  await assert.rejects(fenced.create(MAPS, map('fenced'), { namespace }), /no leader/);
  await assert.rejects(server.client.get(MAPS, { namespace, name: 'fenced' }), refusedWith(404));
  assert.ok((await fenced.list(SERVICE_ACCOUNTS, { namespace })).items.length > 0);
});

test('the reflector reads 1,200 objects in pages, and then sees every change', async () => {
  await Promise.all(
    Array.from({ length: 1_200 }, (_, index) =>
      server.client.create(
        MAPS,
        { ...map(`many-${index}`), metadata: { name: `many-${index}`, namespace, labels: { many: 'yes' } } },
        { namespace },
      ),
    ),
  );
  const reflector = new Reflector<ConfigMap>({
    client: server.client,
    type: MAPS,
    namespace,
    labelSelector: 'many=yes',
  });
  await reflector.start();
  assert.equal(reflector.cache.size, 1_200);
  await server.client.mergePatch(MAPS, { data: { k: 'Zürich 🦉' } }, { namespace, name: 'many-7' });
  await server.client.delete(MAPS, { namespace, name: 'many-8' });
  await until(
    'both changes',
    async () =>
      reflector.cache.size === 1_199 && reflector.cache.get(`${namespace}/many-7`)?.data?.['k'] === 'Zürich 🦉',
  );
  assert.deepEqual([reflector.state.relists, reflector.state.watches], [1, 1]);
  await reflector.stop();
});

test('a metadata-only watch works from an empty list, and delivers only metadata', async () => {
  const reflector = new Reflector<ConfigMap>({
    client: server.client,
    type: MAPS,
    namespace,
    labelSelector: 'bare=yes',
    metadataOnly: true,
  });
  await reflector.start();
  assert.equal(reflector.cache.size, 0);
  await server.client.create(
    MAPS,
    { ...map('bare', { heavy: 'x' }), metadata: { name: 'bare', namespace, labels: { bare: 'yes' } } },
    { namespace },
  );
  await until('the object', async () => reflector.cache.size === 1);
  assert.equal(reflector.cache.get(`${namespace}/bare`)?.data, undefined);
  await reflector.stop();
});

test('equal events become one event with a count', async () => {
  const errors: unknown[] = [];
  const recorder = new EventRecorder({
    client: server.client,
    component: 'test',
    instance: 'one',
    onError: (error) => errors.push(error),
  });
  const { metadata } = await server.client.create<KubeObject>(MAPS, map('told'), { namespace });
  const target = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'told', uid: metadata.uid };
  for (let count = 0; count < 3; count += 1)
    recorder.record({ target, type: 'Normal', reason: 'Told', message: 'once more' });
  await recorder.flush(CAP_MS);
  recorder.record({ target, type: 'Normal', reason: 'Told', message: 'once more' });
  recorder.record({ target, type: 'Warning', reason: 'Other', message: 'something else' });
  await recorder.flush(CAP_MS);
  const { items } = await server.client.list<KubeObject & { readonly reason: string; readonly count: number }>(EVENTS, {
    namespace,
    query: { fieldSelector: `involvedObject.uid=${metadata.uid}` },
  });
  assert.deepEqual(items.map(({ reason, count }) => [reason, count]).toSorted(), [
    ['Other', 1],
    ['Told', 4],
  ]);
  assert.deepEqual(errors, []);
});

test("an Event that another process has written is extended by this process's count", async () => {
  const at = await server.namespace();
  const record = async (instance: string, times: number): Promise<void> => {
    const errors: unknown[] = [];
    const recorder = new EventRecorder({
      client: server.client,
      component: 'test',
      instance,
      onError: (error) => errors.push(error),
    });
    const target = { apiVersion: 'v1', kind: 'Pod', namespace: at, name: 'ada-1', uid: 'ada-uid' };
    for (let time = 0; time < times; time += 1)
      recorder.record({ target, type: 'Warning', reason: 'Repeated', message: 'the same' });
    await recorder.flush(CAP_MS);
    assert.deepEqual(errors, []);
  };
  await record('one', 2);
  await record('two', 3);
  const { items } = await server.client.list<KubeObject & { readonly count: number }>(EVENTS, { namespace: at });
  assert.deepEqual(pluck(items, 'count'), [5]);
});
