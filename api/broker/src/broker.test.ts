import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { EgressRefusalCode } from '@hamlet/contract';
import { deny } from '@hamlet/core/egress';
import { until } from '@hamlet/test/env/until';
import { RUN, TestBroker } from './testing/a-broker.ts';
import { PUBLIC, startInternet, type Internet } from './testing/an-internet.ts';

let internet: Internet;
let broker: TestBroker;
/** The answer of bound.org, whose rule has a secret. */
let answerOfBound: (response: ServerResponse, headers: IncomingHttpHeaders) => unknown;

before(async () => {
  internet = await startInternet();
  await internet.serveHttps('open.org', (request, response) => {
    const seen = { method: request.method, url: request.url, headers: request.headers };
    if (request.headers.host === 'bound.org') answerOfBound(response, request.headers);
    else if (request.url === '/echo') request.pipe(response);
    else if (request.url === '/hang') response.write('begun');
    else if (request.url === '/away') response.writeHead(302, { location: 'https://metadata.org/' }).end();
    else response.setHeader('x-auth', String(request.headers.authorization)).end(JSON.stringify(seen));
  });
  await internet.serveHttp('plain.org', (request, response) => response.end(`plain ${String(request.url)}`));
  for (const name of ['read.org', 'bound.org', 'small.org', 'denied.org']) internet.names.set(name, [PUBLIC]);
  internet.names.set('metadata.org', ['169.254.169.254']);
  internet.names.set('lan.org', ['192.168.1.1']);
  internet.names.set('mixed.org', [PUBLIC, '10.0.0.1']);
  broker = await TestBroker.start(internet);
});
after(() => {
  broker.close();
  internet.close();
});
beforeEach(() => {
  broker.village.addAgent('ada', {
    allow: [
      { host: 'open.org' },
      { host: 'read.org', methods: ['GET'], paths: ['/', '/hang', '/repos/**'] },
      { host: 'bound.org', secret: 'github' },
      { host: 'small.org', bytesPerHour: 20_000 },
      { host: 'plain.org', ports: [80] },
      { host: 'denied.org' },
      ...['metadata.org', 'lan.org', 'mixed.org', 'nowhere.org', '169.254.169.254', '127.0.0.1', '10.96.0.1'].map(
        (host) => ({ host, ports: [443, 80] }),
      ),
    ],
    deny: [{ host: 'denied.org', ports: [443, 80] }],
  });
  broker.village.secrets.set('github', 's3cr3t-v4lue');
  for (const uid of ['uid-ada', 'uid-bob']) broker.village.stop(uid);
  broker.village.attempts.length = 0;
  broker.village.ends.length = 0;
  internet.dialled.length = 0;
});

const request = (path: string, host = 'open.org'): string =>
  `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

async function bodyOf(socket: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

test("a rule without methods and paths passes TLS through: the client sees the server's own certificate", async () => {
  const socket = await broker.connectTls('open.org', { ca: internet.roots });
  socket.write(request('/x'));
  assert.match(await bodyOf(socket), /"url":"\/x"/);
  const [attempt] = broker.village.attempts;
  await until('the end is recorded', async () => broker.village.ends.some(({ id }) => id === attempt?.id));
  const { agent, run, call, form, host, port, refused } = attempt ?? {};
  assert.deepEqual(
    { agent, run, call, form, host, port, refused },
    { agent: 'ada', run: RUN, call: 'call-1', form: 'tunnel', host: 'open.org', port: 443, refused: null },
  );
  const end = broker.village.ends.find(({ id }) => id === attempt?.id);
  assert.ok((end?.sentBytes ?? 0) > 100 && (end?.receivedBytes ?? 0) > 100);
});

test('a host without a rule, a denied host and a wrong port are refused and recorded without a connection', async () => {
  const codes: Record<string, string> = {
    'other.org:443': 'egress_not_allowed',
    'open.org:22': 'egress_not_allowed',
    'denied.org:443': 'egress_denied',
    'sub.open.org:443': 'egress_not_allowed',
  };
  for (const [target, code] of Object.entries(codes)) {
    const { head } = await broker.connect(target);
    assert.match(
      head,
      new RegExp(`^HTTP/1.1 403 ${code}: .*ask an admin.*\r\n[^]*hamlet-egress-code: ${code}`),
      target,
    );
  }
  assert.deepEqual(
    broker.village.attempts.map(({ host, refused }) => `${host} ${String(refused)}`),
    [
      'other.org egress_not_allowed',
      'open.org egress_not_allowed',
      'denied.org egress_denied',
      'sub.open.org egress_not_allowed',
    ],
  );
  assert.deepEqual(internet.dialled, []);
});

test('the reason phrase of a refusal is one short printable line for any input', async () => {
  const { head } = await broker.connect(`${'x'.repeat(180)}.${'y'.repeat(60)}.org:443`);
  const [line = ''] = head.split('\r\n');
  assert.match(line, /^HTTP\/1\.1 403 [\x20-\x7e]{20,300}$/);
  const { message } = await broker.plain(`http://plain.org/${'%C3%A9'.repeat(60)}/../%2e%2e`);
  assert.match(message, /^[\x20-\x7e]{20,300}$/);
});

test("addresses of the cluster, the owner's network, the machine and the metadata service are refused, also behind a name", async () => {
  for (const host of ['metadata.org', 'lan.org', 'mixed.org', '169.254.169.254', '127.0.0.1', '10.96.0.1']) {
    const { head } = await broker.connect(`${host}:443`);
    assert.match(head, /^HTTP\/1.1 403[^]*egress_address_refused/, host);
    const plain = await broker.plain(`http://${host}/latest/meta-data`);
    assert.equal(plain.headers['hamlet-egress-code'], 'egress_address_refused', host);
  }
  assert.match((await broker.connect('nowhere.org:443')).head, /^HTTP\/1.1 502[^]*egress_name_unknown/);
  assert.deepEqual(internet.dialled, []);
});

test('the broker connects to the address that it judged, even when the name changes (rebinding)', async () => {
  let asked = 0;
  internet.names.set('rebind.org', [PUBLIC]);
  broker.village.addAgent('ada', { allow: [{ host: 'rebind.org' }] });
  broker.village.stop('uid-ada');
  const resolve = internet.names.get.bind(internet.names);
  internet.names.get = (host) => (host === 'rebind.org' && (asked += 1) > 1 ? ['169.254.169.254'] : resolve(host));
  await broker.connect('rebind.org:443');
  assert.deepEqual(internet.dialled, [`${PUBLIC}:443`]);
  assert.match((await broker.connect('rebind.org:443')).head, /egress_address_refused/);
  assert.equal(internet.dialled.length, 1);
  internet.names.get = resolve;
});

test('a tunnel carries only TLS for its own host', async () => {
  await assert.rejects(broker.connectTls('open.org', { servername: 'evil.org', ca: internet.roots }));
  const { socket } = await broker.connect('open.org:443');
  socket.write('SSH-2.0-OpenSSH\r\n');
  await once(socket.resume(), 'close');
  const refused = (): readonly unknown[] => broker.village.ends.map((end) => end.refused);
  await until(
    'both refusals are recorded',
    async () => refused().includes('egress_name_differs') && refused().includes('egress_not_tls'),
  );
});

test('a rule with methods and paths makes the broker read each request, with a certificate of the village', async () => {
  const ok = await broker.inspected('https://read.org/repos/acme?q=secret');
  assert.equal(ok.status, 200);
  assert.equal(JSON.parse(ok.body).url, '/repos/acme?q=secret');
  assert.deepEqual(
    Object.keys(JSON.parse(ok.body).headers).filter((name) => name.startsWith('proxy')),
    [],
  );
  const post = await broker.inspected('https://read.org/repos/acme', { method: 'POST', body: 'x' });
  assert.equal(post.headers['hamlet-egress-code'], 'egress_not_allowed');
  const [first, second] = broker.village.attempts;
  assert.deepEqual([first?.method, first?.path, first?.refused], ['GET', '/repos/acme', null]);
  assert.deepEqual([second?.method, second?.path, second?.refused], ['POST', '/repos/acme', 'egress_not_allowed']);
  await until('the end has its status', async () =>
    broker.village.ends.some(({ id, status }) => id === first?.id && status === 200),
  );
});

test('a request for another host inside of the connection is refused', async () => {
  const inside = await broker.inspected('https://read.org/', { headers: { host: 'open.org' } });
  assert.equal(inside.headers['hamlet-egress-code'], 'egress_name_differs');
  const plain = await broker.plain('http://plain.org/', { headers: { host: 'open.org' } });
  assert.equal(plain.headers['hamlet-egress-code'], 'egress_name_differs');
  assert.deepEqual(internet.dialled, []);
});

test('a plain HTTP request reaches only its own host, with its path unchanged', async () => {
  assert.equal((await broker.plain('http://plain.org/a?b=c')).body, 'plain /a?b=c');
  for (const path of ['/a/../b', '/a/%2e%2e/b']) {
    const { headers } = await broker.plain(`http://plain.org${path}`);
    assert.equal(headers['hamlet-egress-code'], 'egress_path_unclear', path);
  }
});

test('the broker does not follow redirects: it judges the target when the program requests it', async () => {
  broker.village.addAgent('bob', {
    allow: [
      { host: 'open.org', methods: ['GET'] },
      { host: 'metadata.org', methods: ['GET'] },
    ],
  });
  const away = await broker.inspected('https://open.org/away', { agent: 'bob' });
  assert.deepEqual([away.status, away.headers.location], [302, 'https://metadata.org/']);
  const next = await broker.inspected('https://metadata.org/', { agent: 'bob' });
  assert.equal(next.headers['hamlet-egress-code'], 'egress_address_refused');
});

const BEARER = { authorization: 'Bearer hamlet-placeholder-github' };

test('the broker replaces the placeholder with the secret, only in the header of the rule', async () => {
  answerOfBound = (response, headers) => response.end(String(headers['x-other'] ?? headers['authorization']?.length));
  const sent = await broker.inspected('https://bound.org/', { headers: BEARER });
  assert.equal(sent.body, String('Bearer s3cr3t-v4lue'.length));
  const other = await broker.inspected('https://bound.org/', { headers: { 'x-other': BEARER.authorization } });
  assert.equal(other.body, BEARER.authorization);
  broker.village.secrets.clear();
  const gone = await broker.inspected('https://bound.org/', { headers: BEARER });
  assert.match(gone.body, /the secret github of this rule does not exist/);
});

test('an answer that returns the secret is withheld, and the record says why', async () => {
  type Way = (response: ServerResponse, value: string) => unknown;
  const ways: readonly (readonly [EgressRefusalCode, Way])[] = [
    ['egress_secret_returned', (response, value) => response.end(`you sent ${value}`)],
    ['egress_secret_returned', (response, value) => response.setHeader('x-echo', value).end('ok')],
    ['egress_secret_returned', (response, value) => response.end(Buffer.from(`a${value}`).toString('base64'))],
    ['egress_secret_returned', (response, value) => response.end(Buffer.from(value).toString('hex'))],
    [
      'egress_answer_unreadable',
      (response, value) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(value)),
    ],
    ['egress_answer_unreadable', (response, value) => response.writeHead(206).end(value.slice(0, 5))],
  ];
  for (const [at, [code, way]] of ways.entries()) {
    answerOfBound = (response, { authorization }) => way(response, String(authorization).slice('Bearer '.length));
    const answer = await broker.inspected('https://bound.org/', { headers: BEARER }).catch(() => null);
    assert.ok(!JSON.stringify(answer ?? '').includes('s3cr3t'), String(at));
    const id = broker.village.attempts.at(-1)?.id;
    await until('the record has the reason', async () =>
      broker.village.ends.some((end) => end.id === id && end.refused === code),
    );
  }
});

test('each request of an open connection is admitted again, so a limit or a brake ends the connection', async () => {
  const socket = await broker.connectTls('read.org');
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  const ask = (): void => void socket.write('GET /repos/a HTTP/1.1\r\nHost: read.org\r\n\r\n');
  ask();
  await until('the first answer', async () => text.includes('HTTP/1.1 200'));
  broker.village.denied.set('ada', { ...deny('egress_too_many', 'too many in this hour'), life: undefined });
  await until('a later request is refused', async () => {
    ask();
    return text.includes('egress_too_many');
  });
  broker.village.denied.delete('ada');
  socket.destroy();
});

test('connections without a known agent are limited by address', async () => {
  const strangers = Array.from({ length: 200 }, () => connect(broker.port, '127.0.0.1').on('error', () => undefined));
  await until('those above the limit are ended', async () => strangers.filter(({ closed }) => closed).length >= 136);
  assert.equal(strangers.filter(({ closed }) => !closed).length, 64);
  for (const socket of strangers) socket.destroy();
  await until('they are gone', async () => (await broker.plain('http://plain.org/').catch(() => null))?.status === 200);
});

test('after many invented tokens from an address, the broker refuses unknown tokens from it without asking the API', async () => {
  const invented = await TestBroker.start(internet);
  invented.village.addAgent('ada', { allow: [{ host: 'plain.org', ports: [80] }] });
  assert.equal((await invented.plain('http://plain.org/')).status, 200);
  const codes: unknown[] = [];
  for (let at = 0; at < 60; at += 1)
    codes.push((await invented.plain('http://plain.org/', { agent: `nobody-${at}` })).headers['hamlet-egress-code']);
  assert.deepEqual(
    [codes.filter((code) => code === 'egress_identity_refused').length, codes.at(-1), invented.village.asked],
    [50, 'egress_too_many', 51],
  );
  assert.equal((await invented.plain('http://plain.org/')).status, 200);
  invented.close();
});

test('a secret is sent only over TLS, unless its rule allows plain text', async () => {
  const plain = (more: object) => {
    broker.village.addAgent('ada', { allow: [{ host: 'plain.org', ports: [80, 443], secret: 'github', ...more }] });
    broker.village.stop('uid-ada');
    return broker.plain('http://plain.org/', { headers: BEARER });
  };
  assert.equal((await plain({})).headers['hamlet-egress-code'], 'egress_secret_refused');
  assert.equal((await broker.plain('http://plain.org/')).status, 200, 'a request without the placeholder');
  const onTlsPort = await broker.plain('http://plain.org:443/', { headers: BEARER });
  assert.equal(onTlsPort.headers['hamlet-egress-code'], 'egress_secret_refused');
  assert.equal((await plain({ plaintextSecret: 'Allow' })).status, 200);
});

test('nothing goes out without a token, with an unknown token, or while the API is down', async () => {
  assert.match((await broker.connect('open.org:443', 'carol')).head, /^HTTP\/1.1 407[^]*egress_identity_refused/);
  const bare = await broker.plain('http://plain.org/', { headers: { 'proxy-authorization': 'Bearer x' } });
  assert.equal(bare.status, 407);
  await broker.connectTls('open.org', { ca: internet.roots });
  internet.dialled.length = 0;
  broker.village.isDown = true;
  try {
    assert.match((await broker.connect('open.org:443')).head, /^HTTP\/1.1 503[^]*egress_log_unavailable/);
    assert.equal((await broker.plain('http://plain.org/')).status, 503);
  } finally {
    broker.village.isDown = false;
  }
  assert.deepEqual(internet.dialled, []);
  await until('both are recorded as soon as the API is back', async () => {
    const late = broker.village.attempts.filter(({ refused }) => refused === 'egress_log_unavailable');
    return late.map(({ host }) => host).join(' ') === 'open.org plain.org';
  });
});

test('a brake ends the open tunnels and requests of its agent and of no other agent', async () => {
  broker.village.addAgent('bob', { allow: [{ host: 'open.org' }] });
  const socket = await broker.connectTls('open.org', { ca: internet.roots });
  const other = await broker.connectTls('open.org', { agent: 'bob', ca: internet.roots });
  const hanging = await broker.connectTls('read.org');
  hanging.write(request('/hang', 'read.org'));
  await once(hanging, 'data');
  broker.village.admitted.delete('ada');
  broker.village.stop('uid-ada');
  await Promise.all([once(socket, 'close'), once(hanging, 'close')]);
  assert.match((await broker.connect('open.org:443')).head, /407/);
  other.write(request('/x'));
  assert.match(await bodyOf(other), /"url":"\/x"/);
});

test('a rule that has used up its bytes ends its connections, and says when it has bytes again', async () => {
  const small = await broker
    .inspected('https://small.org/echo', { method: 'POST', body: 'x'.repeat(4000) })
    .catch(() => null);
  assert.equal(small, null, 'small.org has a bare rule: the client must not see the authority of the village');
  broker.village.addAgent('ada', { allow: [{ host: 'small.org', methods: ['POST'], bytesPerHour: 20_000 }] });
  broker.village.stop('uid-ada');
  const first = await broker.inspected('https://small.org/echo', { method: 'POST', body: 'x'.repeat(4000) });
  assert.equal(first.body.length, 4000);
  const second = await broker.inspected('https://small.org/echo', { method: 'POST', body: 'x'.repeat(15_000) });
  assert.equal(second.status, 429);
  assert.match(second.body, /has no bytes left; try again in 60 minutes/);
  await until('the spent bytes are recorded', async () =>
    broker.village.ends.some(({ refused }) => refused === 'egress_bytes_spent'),
  );
});

test('a request that is not addressed to a proxy is refused', async () => {
  for (const target of ['open.org', 'open.org:0', 'open.org:99999', 'a b:443', '[::1:443'])
    assert.match((await broker.connect(target)).head, /^HTTP\/1.1 400/, target);
  assert.match((await broker.connect('[::1]:443')).head, /egress_not_allowed/);
  const upgrade = await broker.plain('http://plain.org/', { headers: { connection: 'upgrade', upgrade: 'websocket' } });
  assert.equal(upgrade.status, 400);
});

test('the broker survives an upgrade request that the client aborts at once', async () => {
  const head = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n';
  for (let round = 0; round < 60; round += 1) {
    const socket = connect(broker.port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(head + 'x'.repeat(round % 2 === 0 ? 300_000 : 0));
    if (round % 3 === 0) await once(socket, 'data');
    socket.resetAndDestroy();
  }
  assert.equal((await broker.plain('http://plain.org/a')).body, 'plain /a');
});

test('no connection is left', async () => {
  broker.village.stop('uid-ada');
  broker.village.stop('uid-bob');
  await until('no connection is open', async () => broker.open === 0);
});
