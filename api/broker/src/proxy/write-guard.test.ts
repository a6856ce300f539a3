import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { deny } from '@hamlet/core/egress';
import { until } from '@hamlet/test/env/until';
import { RUN, TestBroker } from '../testing/a-broker.ts';
import { startInternet, type Internet } from '../testing/an-internet.ts';
import { WRITE_BODIES } from './held-bodies.ts';

interface Arrived {
  readonly line: string;
  readonly body: string;
  readonly key: string | undefined;
}

const arrived: Arrived[] = [];
let internet: Internet;
let broker: TestBroker;

before(async () => {
  internet = await startInternet();
  const listen = (request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse): void =>
    void request.toArray().then((parts) => {
      const line = `${String(request.method)} ${String(request.url)}`;
      arrived.push({ line, body: Buffer.concat(parts).toString(), key: request.headers.authorization });
      response.end('done');
    });
  await internet.serveHttps('api.org', listen);
  await internet.serveHttp('plain.org', listen);
  broker = await TestBroker.start(internet);
});
after(() => {
  broker.close();
  internet.close();
});
beforeEach(() => {
  const methods = ['GET', 'POST', 'PUT', 'DELETE'];
  broker.village.addAgent('ada', {
    version: 'v7',
    allow: [
      { host: 'api.org', methods, paths: ['/open/**'], writes: 'Allow' },
      { host: 'api.org', methods, secret: 'key' },
      { host: 'plain.org', ports: [80], methods },
    ],
  });
  broker.village.stop('uid-ada');
  broker.village.secrets.set('key', 's3cr3t');
  broker.village.answer = 'allowed';
  for (const list of [arrived, broker.village.permissions, broker.village.attempts, broker.village.withdrawn])
    list.length = 0;
});

const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  broker.inspected(`https://api.org${path}`, { method: 'POST', body, headers });

test('a read passes; a write waits for a person, who sees its description, body and hash', async () => {
  await broker.inspected('https://api.org/notes');
  assert.equal(broker.village.permissions.length, 0);
  const headers = { authorization: 'Bearer hamlet-placeholder-key', 'content-type': 'application/json' };
  assert.equal((await post('/notes?to=bob', '{"text":"hello"}', headers)).body, 'done');
  const [ask] = broker.village.permissions;
  assert.deepEqual(
    [ask?.kind, ask?.summary, ask?.body, ask?.bytes, ask?.run, ask?.call, ask?.isAllowedByRule],
    ['write', 'POST https://api.org/notes?to=bob', '{"text":"hello"}', 16, RUN, 'call-1', false],
  );
  assert.match(ask?.sha256 ?? '', /^[0-9a-f]{64}$/);
  const sent = arrived.at(-1);
  assert.deepEqual([sent?.line, sent?.body, sent?.key], ['POST /notes?to=bob', '{"text":"hello"}', 'Bearer s3cr3t']);
  assert.equal(broker.village.attempts.at(-1)?.id, ask?.ask, 'the attempt has the id of the permitted write');
});

test('the hash covers method, target, headers and body', async () => {
  const hashes = async (path: string, body: string, headers: Record<string, string>): Promise<string | null> => {
    await post(path, body, headers);
    return broker.village.permissions.at(-1)?.sha256 ?? null;
  };
  const first = await hashes('/a', 'x', { 'user-agent': 'curl' });
  assert.equal(await hashes('/a', 'x', { 'user-agent': 'curl', date: 'Sat, 28 Nov 2026 17:00:00 GMT' }), first);
  const others = [
    await hashes('/a', 'x', { 'user-agent': 'python' }),
    await hashes('/b', 'x', {}),
    await hashes('/a?q', 'x', {}),
    await hashes('/a', 'y', {}),
    await hashes('/a', 'x', { 'x-api-version': '2' }),
    await hashes('/a', 'x', { 'content-type': 'text/plain' }),
  ];
  assert.equal(new Set([first, ...others]).size, 7);
});

test('a refused write gets 403 with code and reason, and the server receives nothing', async () => {
  broker.village.answer = deny('egress_person_denied', 'a person denied this write: not now');
  const answer = await post('/notes', 'x');
  assert.equal(answer.status, 403);
  assert.equal(answer.headers['hamlet-egress-code'], 'egress_person_denied');
  assert.deepEqual(JSON.parse(answer.body), {
    reason: 'egress_person_denied',
    message: 'a person denied this write: not now',
  });
  const plain = await broker.plain('http://plain.org/x', { method: 'PUT', body: 'y' });
  assert.equal(plain.status, 403);
  assert.equal(broker.village.permissions.at(-1)?.summary, 'PUT http://plain.org/x');
  assert.deepEqual(arrived, []);
  assert.deepEqual(
    broker.village.attempts.map(({ refused }) => refused),
    ['egress_person_denied', 'egress_person_denied'],
  );
});

test('a write without a body, in chunks, and with an empty body arrives as it was sent', async () => {
  await broker.inspected('https://api.org/notes/7', { method: 'DELETE' });
  await post('/empty', '', { 'content-length': '0' });
  await post('/chunks', 'in chunks', { 'transfer-encoding': 'chunked' });
  assert.deepEqual(
    arrived.map(({ line, body }) => `${line} ${body}`),
    ['DELETE /notes/7 ', 'POST /empty ', 'POST /chunks in chunks'],
  );
  assert.deepEqual(
    broker.village.permissions.map(({ bytes }) => bytes),
    [0, 0, 9],
  );
});

test('a person is asked about an oversized body without seeing it, and the body arrives whole', async () => {
  const body = 'x'.repeat(WRITE_BODIES.ofBody * 2);
  await post('/large', body);
  await post('/large', body, { 'transfer-encoding': 'chunked' });
  for (const ask of broker.village.permissions) assert.deepEqual([ask.sha256, ask.body], [null, null]);
  assert.deepEqual(
    broker.village.permissions.map(({ bytes }) => bytes),
    [body.length, null],
  );
  const digest = createHash('sha256').update(body).digest('hex');
  for (const sent of arrived) assert.equal(createHash('sha256').update(sent.body).digest('hex'), digest);
  assert.equal(arrived.length, 2);
});

test('control characters are escaped, and long texts are shortened', async () => {
  await post('/a', 'a\u0001b');
  await post('/a', 'é'.repeat(5000));
  const [control, long] = broker.village.permissions;
  assert.equal(control?.body, 'a\\u{1}b');
  assert.equal(long?.body?.length, 4000);
  assert.match(long?.body ?? '', /^é{2000,} …\[\d+ characters and more are not shown\]… é+$/);
});

test('a person sees unusual headers, the end of a long address, and escaped invisible characters', async () => {
  const target = `/post?note=${'harmless+'.repeat(300)}&action=transfer&to=mallory`;
  await post(target, 'pay\u202eeno on', { 'x-api-version': '2', 'user-agent': 'curl', cookie: 'a=1' });
  const [ask] = broker.village.permissions;
  assert.match(
    ask?.summary ?? '',
    /^POST https:\/\/api\.org\/post\?note=harmless.* …\[\d+ .*&action=transfer&to=mallory$/,
  );
  assert.deepEqual(ask?.details, ['x-api-version: 2', 'cookie: a=1']);
  assert.equal(ask?.body, 'pay\\u{202e}eno on');
});

test('a person learns that the program sends credentials of its own, but not their value', async () => {
  await post('/notes', 'x', { authorization: 'Bearer a-key-from-elsewhere' });
  await post('/notes', 'x', { authorization: 'a-key-from-elsewhere' });
  const details = broker.village.permissions.map((ask) => ask.details);
  assert.deepEqual(details, [
    ["with the program's own authorization (Bearer, 27 characters)"],
    ["with the program's own authorization (no scheme, 20 characters)"],
  ]);
});

test('a request whose headers contradict its method or path is refused', async () => {
  for (const headers of [
    { 'x-http-method-override': 'DELETE' },
    { 'x-original-url': '/admin' },
    { connection: 'host' },
  ]) {
    const refused = await post('/notes', 'x', headers as unknown as Record<string, string>);
    assert.equal(refused.headers['hamlet-egress-code'], 'egress_request_unclear', JSON.stringify(headers));
  }
  const wiki = 'http://127.0.0.1:3128/git/api.org/index.php/git-upload-pack';
  const form = await broker.plain(wiki, { method: 'POST', body: 'title=Main&action=delete' });
  assert.equal(form.headers['hamlet-egress-code'], 'egress_git_refused');
  assert.deepEqual([arrived, broker.village.permissions], [[], []]);
});

test('a rule may allow writes without a person, but checkout pages always ask', async () => {
  await post('/open/x', 'x');
  await broker.inspected('https://api.org/checkout');
  assert.deepEqual(
    broker.village.permissions.map(({ kind, isAllowedByRule }) => `${kind} ${String(isAllowedByRule)}`),
    ['write false', 'checkout false'],
  );
  broker.village.addAgent('ada', { allow: [{ host: 'api.org', methods: ['POST'], writes: 'Allow' }] });
  broker.village.stop('uid-ada');
  await post('/open/x', 'x');
  assert.equal(broker.village.permissions.at(-1)?.isAllowedByRule, true);
});

test('a program that hangs up while it waits sends nothing', async () => {
  broker.village.answer = null;
  const socket = await broker.connectTls('api.org');
  socket.write('POST /notes HTTP/1.1\r\nHost: api.org\r\nContent-Length: 1\r\n\r\nx');
  while (broker.village.permissions.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  socket.destroy();
  while (broker.village.attempts.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(
    broker.village.attempts.map(({ refused }) => refused),
    ['egress_write_withdrawn'],
  );
  assert.deepEqual(arrived, []);
});

test('a permitted write that the broker cannot record is withdrawn', async () => {
  broker.village.answer = 'allowed';
  await post('/first', 'x');
  const permit = broker.village.permit.bind(broker.village);
  broker.village.permit = async (ask, signal) => {
    const answer = await permit(ask, signal);
    broker.village.isDown = true;
    return answer;
  };
  try {
    assert.equal((await post('/second', 'x')).status, 503);
  } finally {
    broker.village.isDown = false;
    broker.village.permit = permit;
  }
  const ask = broker.village.permissions.at(-1)?.ask;
  assert.deepEqual(broker.village.withdrawn, [ask]);
  await until('it is recorded once the API is back', async () =>
    broker.village.attempts.some(({ id, refused }) => id === ask && refused === 'egress_log_unavailable'),
  );
  assert.equal(arrived.length, 1);
});
