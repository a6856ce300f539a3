import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, test } from 'node:test';
import { Problem } from '@hamlet/contract';
import { until } from '@hamlet/test/env/until';
import { HttpVillage } from './http-village.ts';
import { Unreadable, type Admission, type Attempt } from '../village.ts';

const UID = '0d2c7a52-0000-4000-8000-000000000001';
const policy = (version: string) => ({ version, allow: [], deny: [], openings: [], registries: {} });
const admission = (version: string) => ({ agent: 'ada', uid: UID, cycle: 1, policy: policy(version) });
const ATTEMPT: Attempt = {
  id: '6f1c1d52-0000-4000-8000-000000000001',
  agent: 'ada',
  uid: UID,
  cycle: 1,
  run: null,
  call: null,
  form: 'tunnel',
  host: 'x'.repeat(400),
  port: 443,
  method: null,
  path: '/'.repeat(2000),
  refused: null,
  at: 0,
};

const statusOf = (answer: unknown): number => Problem.safeParse(answer).data?.status ?? 200;

/** The API as a broker sees it: one stream, and answers that a test sets. */
async function startApi() {
  const asked: {
    readonly path: string;
    readonly token: string | undefined;
    readonly body: ReturnType<typeof JSON.parse>;
  }[] = [];
  const streams = new Set<ServerResponse>();
  const state = { version: '1', failures: 0, opened: 0 };
  const answers: Record<string, () => unknown> = {
    '/broker/admissions': () => admission(state.version),
    '/broker/attempts': () => ({ begun: 1, ended: 0 }),
    '/broker/secrets': () => ({ value: 'the-secret' }),
  };
  const server = createServer((request: IncomingMessage, response) => {
    if (request.url === '/broker/stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      state.opened += 1;
      streams.add(response.on('close', () => streams.delete(response)));
      return void response.write(': open\n\n');
    }
    void request.toArray().then(async (parts) => {
      asked.push({
        path: request.url ?? '',
        token: request.headers.authorization,
        body: JSON.parse(Buffer.concat(parts).toString()),
      });
      if (state.failures > 0) {
        state.failures -= 1;
        return response.destroy();
      }
      const answer = await answers[request.url ?? '']?.();
      response.writeHead(statusOf(answer), { 'content-type': 'application/json' });
      return response.end(JSON.stringify(answer));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const send = (event: string, data: object): void => {
    for (const stream of streams) stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  return {
    url: `http://127.0.0.1:${String(address.port)}`,
    asked,
    answers,
    streams,
    state,
    send,
    close: () => (server.close(), server.closeAllConnections()),
  };
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function startVillage() {
  const api = await startApi();
  const village = new HttpVillage({ baseUrl: api.url, token: async () => 'own-token', onError: () => undefined });
  const stopped: string[] = [];
  const braked: string[] = [];
  village.onStopped((uid, isBraked) => {
    stopped.push(uid);
    if (isBraked) braked.push(uid);
  });
  village.start();
  closing.push(
    () => api.close(),
    () => village.stop(),
  );
  await until('the stream is open', async () => api.streams.size === 1);
  return { api, village, stopped, braked };
}

test('no agent is admitted before the stream has sent the whole state', async () => {
  const { api, village } = await startVillage();
  assert.notEqual(village.problem, undefined);
  await assert.rejects(village.admit('token'), /stream/);
  api.send('synced', {});
  await until('it is in step', async () => village.problem === undefined);
  const admitted = await village.admit('token');
  assert.ok('uid' in admitted);
  assert.equal(admitted.uid, UID);
  assert.deepEqual(api.asked.at(-1), {
    path: '/broker/admissions',
    token: 'Bearer own-token',
    body: { token: 'token' },
  });
});

test('a brake, other rules and an older cycle end a life; the same rules do not', async () => {
  const { api, village, stopped, braked } = await startVillage();
  api.send('synced', {});
  await until('it is in step', async () => village.problem === undefined);
  await village.admit('token');
  api.send('current', { uid: UID, cycle: 1, version: '1' });
  api.send('stopped', { uid: 'other', agent: 'bob', reason: 'agent_frozen' });
  await until('the other is stopped', async () => stopped.length === 1);
  assert.deepEqual(stopped, ['other']);
  api.send('current', { uid: UID, cycle: 1, version: '2' });
  await until('the rules changed', async () => stopped.includes(UID));
  assert.deepEqual(braked, ['other'], 'a change of rules is not a brake');
});

test('an admission is requested again if the stream has reported newer rules', async () => {
  const { api, village } = await startVillage();
  api.send('current', { uid: UID, cycle: 1, version: '2' });
  api.send('synced', {});
  await until('it is in step', async () => village.problem === undefined);
  await village.admit('token');
  assert.equal(api.asked.length, 2);
});

test('an admission does not outlive a stop that came while its answer was on the way', async () => {
  const { api, village } = await startVillage();
  api.send('current', { uid: UID, cycle: 1, version: '1' });
  api.send('synced', {});
  await until('it is in step', async () => village.problem === undefined);
  const life = { agent: 'ada', uid: UID, cycle: 1 };
  const during = async (report: () => unknown, isSeen: () => boolean): Promise<unknown> => {
    const held = Promise.withResolvers<void>();
    api.answers['/broker/admissions'] = () => held.promise.then(() => admission('1'));
    const before = api.asked.length;
    const answer = village.admit('token');
    await until('the API is asked', async () => api.asked.length > before);
    report();
    await until('the stream has reported it', async () => isSeen());
    held.resolve();
    const { policy: _rules, message: _words, ...rest } = { policy: null, message: '', ...(await answer) };
    return rest;
  };
  const seen: string[] = [];
  village.onStopped((uid) => seen.push(uid));
  const stop = (uid: string) => (): void => api.send('stopped', { uid, agent: 'x', reason: 'village_frozen' });
  const denied = { verdict: 'deny', code: 'egress_agent_stopped', life };
  assert.deepEqual(await during(stop('other'), () => seen.includes('other')), life);
  assert.deepEqual(await during(stop(UID), () => seen.includes(UID)), denied);
  const reconnect = async (): Promise<void> => {
    const { opened } = api.state;
    for (const stream of api.streams) stream.destroy();
    await until('the stream is open again', async () => api.state.opened > opened && api.streams.size === 1);
    api.send('current', { uid: 'another', cycle: 1, version: '1' });
    api.send('synced', {});
    api.send('stopped', { uid: 'after it', agent: 'x', reason: 'village_frozen' });
  };
  assert.deepEqual(await during(reconnect, () => seen.includes('after it')), denied);
});

test('after a reconnect, a life that the API no longer names has ended', async () => {
  const { api, village, stopped } = await startVillage();
  api.send('synced', {});
  await until('it is in step', async () => village.problem === undefined);
  await village.admit('token');
  for (const stream of api.streams) stream.destroy();
  await until('the stream is open again', async () => api.state.opened === 2 && api.streams.size === 1);
  api.send('synced', {});
  await until('the life is over', async () => stopped.includes(UID));
});

test('a refused token carries its life if the API names one', async () => {
  const { api, village } = await startVillage();
  api.send('synced', {});
  await until('it is in step', async () => village.problem === undefined);
  const denial = { verdict: 'deny', code: 'egress_agent_stopped', message: 'odd posts' };
  const life = { agent: 'ada', uid: UID, cycle: 1 };
  for (const answer of [denial, { ...denial, life }]) {
    api.answers['/broker/admissions'] = () => answer;
    assert.deepEqual(await village.admit('token'), answer);
  }
});

test('a group that the API cannot read differs from one that it refuses temporarily', async () => {
  const { api, village } = await startVillage();
  const problem = { type: 't', title: 't', detail: 'd', request_id: 'r' };
  const answer = (status: number, code: string): void => {
    api.answers['/broker/attempts'] = () => ({ ...problem, status, code });
  };
  answer(400, 'validation_failed');
  await assert.rejects(village.begin([ATTEMPT]), Unreadable);
  answer(401, 'token_invalid');
  await assert.rejects(village.begin([ATTEMPT]), (error) => !(error instanceof Unreadable));
});

test('attempts are sent with shortened texts, and a lost request is sent again', async () => {
  const { api, village } = await startVillage();
  api.state.failures = 1;
  await village.begin([ATTEMPT]);
  const begin = api.asked.at(-1)?.body.begin;
  assert.deepEqual([begin[0].host.length, begin[0].path.length, begin[0].at], [300, 1024, '1970-01-01T00:00:00.000Z']);
  assert.equal(api.asked.length, 2);
  assert.equal(village.kept.get('none'), 1);
  const end = { id: ATTEMPT.id, address: null, status: 200, sentBytes: 1, receivedBytes: 2 };
  await village.end([{ ...end, refused: null, durationMs: 3.4 }]);
  assert.deepEqual(api.asked.at(-1)?.body.end, [
    { id: ATTEMPT.id, address: null, status: 200, sent_bytes: 1, received_bytes: 2, refused: null, duration_ms: 3 },
  ]);
});

/** A request for a host that no rule opens. */
const ask = {
  admission: admission('1') as unknown as Admission,
  run: ATTEMPT.id,
  call: null,
  destination: { host: 'new.org', port: 443 },
  summary: 'CONNECT new.org:443',
};

test('a host that the API keeps closed is not asked about again for some seconds, by the same run under the same rules', async () => {
  const { api, village } = await startVillage();
  const message = 'an admin keeps it closed';
  api.answers['/broker/hosts'] = () => ({ verdict: 'deny', code: 'egress_person_denied', message });
  const { signal } = new AbortController();
  for (let number = 0; number < 3; number += 1)
    assert.partialDeepStrictEqual(await village.permitHost(ask, signal), { code: 'egress_person_denied', message });
  assert.equal(api.asked.length, 1);
  const others = [
    { ...ask, destination: { host: 'new.org', port: 80 } },
    { ...ask, run: UID },
    { ...ask, admission: admission('2') as unknown as Admission },
  ];
  for (const other of others) await village.permitHost(other, signal);
  assert.equal(api.asked.length, 1 + others.length);
});

test('a refusal that may end at once, such as that of a frozen village, is asked about again', async () => {
  const { api, village } = await startVillage();
  const { signal } = new AbortController();
  for (const code of ['egress_agent_stopped', 'egress_not_allowed', 'egress_policy_denied']) {
    api.answers['/broker/hosts'] = () => ({ verdict: 'deny', code, message: 'not now' });
    assert.partialDeepStrictEqual(await village.permitHost(ask, signal), { code });
  }
  api.answers['/broker/hosts'] = () => ({ verdict: 'allow', permission_id: ATTEMPT.id });
  assert.equal(await village.permitHost(ask, signal), 'allowed');
});
