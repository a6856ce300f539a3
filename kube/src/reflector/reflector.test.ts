/** Every way in which a list or a watch can fail, over real sockets. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { until } from '@hamlet/test/env/until';
import { KubeClient } from '../client/kube-client.ts';
import { PODS, type KubeObject } from '../client/kube-object.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import {
  bookmark,
  fakeApiServer,
  line,
  list,
  object,
  refuse,
  send,
  sendAndBreak,
  sendAndEnd,
  status,
  type FakeApiServer,
} from '../testing/fake-api-server.ts';
import type { Recovery } from './recovery.ts';
import { DEFAULT_WATCH_TIMES, Reflector, type WatchPort, type WatchTimes } from './reflector.ts';

interface Named extends KubeObject {
  readonly note?: string;
}

const endings: (() => Promise<unknown>)[] = [];
after(() => Promise.all(endings.map((end) => end())));

async function harness(times: Partial<WatchTimes> = {}) {
  const server = await fakeApiServer();
  const client = new KubeClient(server.connection);
  const changes: string[] = [];
  const recoveries: Recovery[] = [];
  const reflector = new Reflector<Named>({
    client,
    type: PODS,
    namespace: 'n',
    times: { ...DEFAULT_WATCH_TIMES, ...times },
    random: () => 0,
    onFailure: (_error, recovery) => recoveries.push(recovery),
  });
  reflector.cache.onChange(({ kind, object: { metadata } }) =>
    changes.push(`${kind} ${metadata.name}@${metadata.resourceVersion}`),
  );
  endings.push(() =>
    reflector
      .stop()
      .then(() => client.close())
      .then(() => server.stop()),
  );
  return { server, reflector, changes, recoveries };
}

const versions = (server: FakeApiServer): (string | null)[] =>
  server.watches.map(({ query }) => query.get('resourceVersion'));

test('lists in pages, then watches from the version of the list, with bookmarks and a time limit', async () => {
  const { server, reflector, changes } = await harness();
  server.onList(list(5, [object('a', 1)], 'page-2'), list(5, [object('b', 2)]));
  server.onWatch(send(line('ADDED', object('c', 6)), line('DELETED', object('a', 7))));
  await reflector.start();
  await until('the events', async () => changes.length === 4);
  assert.deepEqual(changes, ['added a@1', 'added b@2', 'added c@6', 'deleted a@7']);
  assert.deepEqual(
    server.lists.map(({ query }) => [query.get('limit'), query.get('continue')]),
    [
      ['500', null],
      ['500', 'page-2'],
    ],
  );
  const [watch] = server.watches;
  assert.deepEqual(
    [watch?.query.get('resourceVersion'), watch?.query.get('allowWatchBookmarks'), watch?.query.get('timeoutSeconds')],
    ['5', 'true', '300'],
  );
});

test('started three times, it lists and watches once', async () => {
  const { server, reflector } = await harness();
  server.onList(list(5, []));
  server.onWatch(send(bookmark(6)));
  await Promise.all([reflector.start(), reflector.start(), reflector.start()]);
  await until('a bookmark', async () => reflector.state.version === '6');
  assert.deepEqual([server.lists.length, server.open], [1, 1]);
  await reflector.stop();
  await until('no watch is open', async () => server.open === 0);
});

test('a watch that the server ends is resumed from the last bookmark, at once', async () => {
  const { server, reflector, recoveries } = await harness();
  server.onList(list(5, []));
  server.onWatch(sendAndEnd(line('ADDED', object('a', 6)), bookmark(40)), send());
  await reflector.start();
  await until('two watches', async () => server.watches.length === 2);
  assert.deepEqual([versions(server), server.lists.length, recoveries.length], [['5', '40'], 1, 0]);
});

test('429 with Retry-After is obeyed, and causes no new list', async () => {
  const { server, reflector, recoveries, changes } = await harness();
  server.onList(list(5, []));
  server.onWatch(refuse(429, 'TooManyRequests', { 'retry-after': '1' }), send(line('ADDED', object('a', 6))));
  await reflector.start();
  await until('the event', async () => changes.length === 1);
  assert.deepEqual(
    [recoveries, versions(server), server.lists.length],
    [[{ action: 'resume', delayMs: 1_000, cause: 'throttled' }], ['5', '5'], 1],
  );
});

test('a connection that breaks within an event loses no event', async () => {
  const { server, reflector, changes, recoveries } = await harness();
  server.onList(list(5, []));
  server.onWatch(
    sendAndBreak(line('ADDED', object('a', 6)) + line('ADDED', object('b', 7)).slice(0, 40)),
    send(line('ADDED', object('b', 7))),
  );
  await reflector.start();
  await until('both', async () => changes.length === 2);
  assert.deepEqual(
    [changes, versions(server), recoveries[0]?.cause],
    [['added a@6', 'added b@7'], ['5', '6'], 'connection'],
  );
});

for (const [how, answer] of [
  ['an answer', refuse(410, 'Expired')],
  ['an event', send(line('ERROR', status(410, 'Expired')))],
] as const) {
  test(`410 as ${how}: the reflector lists again and finds deletions`, async () => {
    const { server, reflector, changes } = await harness();
    server.onList(list(5, [object('a', 1), object('b', 2)]), list(90, [object('b', 80)]));
    server.onWatch(answer, send());
    await reflector.start();
    await until('the second list', async () => changes.length === 4);
    assert.deepEqual(changes, ['added a@1', 'added b@2', 'deleted a@1', 'updated b@80']);
    await until('the second watch', async () => server.watches.length === 2);
    assert.deepEqual(versions(server), ['5', '90']);
  });
}

test('silence reveals a half-open connection', async () => {
  const { server, reflector, changes } = await harness({ minTimeoutMs: 200, maxTimeoutMs: 200, graceMs: 100 });
  server.onList(list(5, []));
  server.onWatch(send(), send(line('ADDED', object('a', 6))));
  await reflector.start();
  await until('the event of the second watch', async () => changes.length === 1);
  assert.deepEqual(versions(server).slice(0, 2), ['5', '5']);
});

test('once the server sends bookmarks, a shorter silence is enough', async () => {
  const { server, reflector, changes } = await harness({ bookmarkSilenceMs: 150 });
  server.onList(list(5, []));
  server.onWatch(send(bookmark(8)), send(line('ADDED', object('a', 9))));
  await reflector.start();
  await until('the event of the second watch', async () => changes.length === 1);
  assert.deepEqual(versions(server).slice(0, 2), ['5', '8']);
});

test('the reflector survives a line that is not an event, or only half of one', async () => {
  const { server, reflector, changes, recoveries } = await harness();
  server.onList(list(5, []));
  server.onWatch(
    sendAndEnd(line('ADDED', object('a', 6)), '{"type":"ADDED","obj'.concat('\n')),
    sendAndEnd(line('NONSENSE', {})),
    send(line('ADDED', object('b', 7))),
  );
  await reflector.start();
  await until('both', async () => changes.length === 2);
  assert.deepEqual(pluck(recoveries, 'cause'), ['protocol', 'protocol']);
});

test('the reflector waits for a server that is initially down', async () => {
  const { server, reflector } = await harness();
  server.onList(refuse(503, 'ServiceUnavailable'), list(5, [object('a', 1)]));
  server.onWatch(send());
  await reflector.start();
  assert.equal(reflector.cache.size, 1);
});

test('readiness names the problem: not listed, refused, silent', async () => {
  const { server, reflector } = await harness({ minTimeoutMs: 60, maxTimeoutMs: 60, graceMs: 40, patienceMs: 100 });
  assert.equal(reflector.problem, 'not listed yet');
  server.onList(refuse(403, 'pods is forbidden'), list(5, []));
  void reflector.start();
  await until('the problem is the refusal', async () => reflector.problem === 'pods is forbidden');
  assert.equal(reflector.state.synced, false);
  await reflector.stop();
});

test('silence longer than any live watch is a problem, and new data ends it', async () => {
  const clock = new FakeClock();
  const stream = Promise.withResolvers<void>();
  const page = { metadata: { resourceVersion: '5' }, items: [] };
  const client: WatchPort = {
    list: () => Promise.resolve(page),
    watch: async function* watch(_type, { onBytes, signal }) {
      await stream.promise;
      onBytes?.();
      yield JSON.parse(bookmark(6)) as unknown;
      await new Promise((_resolve, reject) => signal?.addEventListener('abort', reject));
    },
  };
  const reflector = new Reflector<Named>({ client, type: PODS, clock });
  await reflector.start();
  clock.pass(600_000);
  assert.equal(reflector.problem, undefined);
  stream.resolve();
  await until('the bookmark', async () => reflector.state.version === '6');
  assert.equal(reflector.problem, undefined);
  clock.pass(170_000);
  assert.equal(reflector.problem, undefined);
  await reflector.stop();
  clock.pass(71_000);
  assert.match(reflector.problem ?? '', /^no data from the API server for 241 s$/);
});

test('failures count as consecutive until a watch has lived longer than the healthy time', async () => {
  const clock = new FakeClock();
  let ending = Promise.withResolvers<never>();
  const client: WatchPort = {
    list: () => Promise.resolve({ metadata: { resourceVersion: '5' }, items: [] }),
    watch: async function* watch() {
      yield JSON.parse(bookmark(6)) as unknown;
      await ending.promise;
    },
  };
  const delays: number[] = [];
  const reflector = new Reflector<Named>({
    client,
    type: PODS,
    clock,
    random: () => 0,
    onFailure: (_error, { delayMs }) => delays.push(delayMs),
  });
  await reflector.start();
  const { healthyMs } = DEFAULT_WATCH_TIMES;
  for (const [failures, livedMs] of [0, 0, healthyMs, healthyMs + 1, 0].entries()) {
    await until('a watch', async () => reflector.state.watches === failures + 1);
    clock.pass(livedMs);
    ending.reject(new Error('the connection broke'));
    await until('its failure', async () => delays.length === failures + 1);
    ending = Promise.withResolvers<never>();
    clock.pass(delays[failures] ?? 0);
  }
  assert.deepEqual(delays, [800, 1_600, 3_200, 800, 1_600]);
  await until('one more watch', async () => reflector.state.watches === 6);
  const stopped = reflector.stop();
  ending.reject(new Error('the test has ended'));
  await stopped;
});

test('an object that transform rejects is skipped, and its deletion still works', async () => {
  const server = await fakeApiServer();
  const client = new KubeClient(server.connection);
  const errors: string[] = [];
  const reflector = new Reflector<Named>({
    client,
    type: PODS,
    namespace: 'n',
    transform: (raw) => {
      if (raw.note === 'poison') throw new Error(`${raw.metadata.name} cannot be read`);
      return raw;
    },
    onListenerError: (error) => errors.push(String(error)),
  });
  endings.push(() =>
    reflector
      .stop()
      .then(() => client.close())
      .then(() => server.stop()),
  );
  server.onList(list(5, [object('a', 1), object('b', 2, { note: 'poison' })]));
  server.onWatch(
    send(
      line('MODIFIED', object('a', 6, { note: 'poison' })),
      line('ADDED', object('c', 7)),
      line('DELETED', object('a', 8, { note: 'poison' })),
    ),
  );
  await reflector.start();
  await until('the last event', async () => reflector.state.version === '8');
  assert.deepEqual([[...reflector.cache.keys()], errors.length, server.watches.length], [['n/c'], 3, 1]);
});

test('a reader cannot change a cached object', async () => {
  const { server, reflector } = await harness();
  server.onList(
    list(5, [
      object('a', 1, {
        metadata: { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '1', labels: { of: 'all' } },
      }),
    ]),
  );
  server.onWatch(send());
  await reflector.start();
  const held = reflector.cache.get('n/a');
  assert.throws(() => Object.assign(held?.metadata.labels ?? {}, { of: 'one' }), TypeError);
});
