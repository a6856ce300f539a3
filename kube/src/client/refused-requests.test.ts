/** Refusals of an API server over real sockets: how often the client repeats a request, and how long others wait. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { until } from '@hamlet/test/env/until';
import { fakeApiServer, list, refuse, status } from '../testing/fake-api-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import type { Connection } from './connection.ts';
import { KubeClient, type RequestRecord } from './kube-client.ts';
import { KubeError } from './kube-error.ts';
import { PODS } from './kube-object.ts';

const endings: (() => Promise<unknown>)[] = [];
after(() => Promise.all(endings.map((end) => end())));

async function harness(token?: Connection['token']) {
  const server = await fakeApiServer(token);
  const statuses: number[] = [];
  const clock = new FakeClock();
  const onRequest = (request: RequestRecord): void => void statuses.push(request.status);
  const client = new KubeClient(server.connection, { clock, onRequest });
  endings.push(() => client.close().then(() => server.stop()));
  return {
    server,
    client,
    clock,
    statuses,
    refusal: async (): Promise<KubeError> => {
      const error: unknown = await client.list(PODS, { namespace: 'n' }).catch((reason: unknown) => reason);
      assert.ok(error instanceof KubeError, String(error));
      return error;
    },
  };
}

/** A token that the server never accepts; `forgotten` counts how often the client discarded it. */
function staleToken(): Connection['token'] & { forgotten: number } {
  const token = {
    forgotten: 0,
    read: () => Promise.resolve(`stale-${token.forgotten}`),
    forget: () => void (token.forgotten += 1),
  };
  return token;
}

test('401 with a token: the client reads the token again and repeats the request once', async () => {
  const token = staleToken();
  const { server, refusal, statuses } = await harness(token);
  server.onList(refuse(401, 'Unauthorized'));
  assert.equal((await refusal()).status, 401);
  assert.deepEqual(pluck(server.lists, 'authorization'), ['Bearer stale-0', 'Bearer stale-1']);
  assert.deepEqual([token.forgotten, statuses], [1, [401, 401]]);
});

test('401 without a token: the refusal itself reaches the caller, after one request', async () => {
  const { server, refusal } = await harness();
  server.onList(refuse(401, 'Unauthorized'));
  assert.deepEqual([(await refusal()).reason, server.lists.length], ['Unauthorized', 1]);
  assert.equal(server.lists[0]?.authorization, undefined);
});

test('any other refusal keeps the token and is not repeated', async () => {
  const token = staleToken();
  const { server, refusal } = await harness(token);
  server.onList(refuse(403, 'Forbidden'));
  assert.deepEqual([(await refusal()).status, server.lists.length, token.forgotten], [403, 1, 0]);
});

test('status 300 is an error, because the client cannot choose', async () => {
  const { server, refusal, statuses } = await harness();
  server.onList((response) => {
    response.writeHead(300, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status(300, 'MultipleChoices')));
  });
  assert.deepEqual([(await refusal()).status, statuses], [300, [300]]);
});

test('status 299 is an answer', async () => {
  const { server, client } = await harness();
  server.onList((response) => {
    response.writeHead(299, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ metadata: { resourceVersion: '5' }, items: null }));
  });
  assert.deepEqual(await client.list(PODS, { namespace: 'n' }), { metadata: { resourceVersion: '5' }, items: [] });
});

test('a connection that breaks is reported with status 0', async () => {
  const { server, client, statuses } = await harness();
  server.onList((response) => void response.destroy());
  await assert.rejects(client.list(PODS, { namespace: 'n' }));
  assert.deepEqual(statuses, [0]);
});

test('429 without Retry-After pauses the requests of every caller, but no lease', async () => {
  const { server, client, clock, refusal } = await harness();
  server.onList(refuse(429, 'TooManyRequests'), list(5, []));
  await refusal();
  const later = client.list(PODS, { namespace: 'n' });
  await until('the request waits', async () => client.waiting === 1);
  await client.list(PODS, { namespace: 'n', priority: 'critical' });
  clock.pass(999);
  assert.deepEqual([client.waiting, server.lists.length], [1, 2], 'the lease passed, the request still waits');
  clock.pass(1);
  assert.equal((await later).metadata.resourceVersion, '5');
});
