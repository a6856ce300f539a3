/** Hosts that no rule opens, which an admin opens to a run. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { deny } from '@hamlet/core/egress';
import { RUN, TestBroker } from '../testing/a-broker.ts';
import { PUBLIC, startInternet, type Internet } from '../testing/an-internet.ts';

let internet: Internet;
let broker: TestBroker;

before(async () => {
  internet = await startInternet();
  await internet.serveHttps('new.org', (request, response) => response.end(request.url));
  await internet.serveHttp('new.org', (request, response) => response.end(request.url));
  internet.names.set('lan.org', ['192.168.1.1']);
  internet.names.set('new.org', [PUBLIC]);
  broker = await TestBroker.start(internet);
});
after(() => {
  broker.close();
  internet.close();
});
beforeEach(() => {
  const { village } = broker;
  village.addAgent('ada', { allow: [], deny: [{ host: 'denied.org' }] });
  village.stop('uid-ada');
  village.answer = 'allowed';
  village.hostAnswer = 'allowed';
  for (const list of [village.hosts, village.permissions, village.attempts, internet.dialled]) list.length = 0;
});

const codeOf = async (url: string, asked: object = {}): Promise<unknown> =>
  (await broker.plain(url, asked)).headers['hamlet-egress-code'];

test('an opened host answers reads within TLS, each of which the broker judges and records', async () => {
  assert.equal((await broker.inspected('https://new.org/a?b')).body, '/a?b');
  const [first, second] = broker.village.hosts;
  assert.deepEqual([first?.run, first?.call, first?.destination], [RUN, 'call-1', { host: 'new.org', port: 443 }]);
  assert.equal(first?.summary, 'CONNECT new.org:443');
  assert.equal(second?.summary, 'GET new.org:443/a?b', 'the API decides about each request');
  assert.deepEqual(
    broker.village.attempts.map(({ form, host, path, refused }) => [form, host, path, refused]),
    [['inspect', 'new.org', '/a', null]],
  );
});

test('a host whose run has ended meanwhile is closed within an open connection', async () => {
  const connection = broker.inspected('https://new.org/a');
  broker.village.permitHost = async (ask) => {
    broker.village.hosts.push(ask);
    return broker.village.hosts.length === 1 ? 'allowed' : deny('egress_no_run', 'the run has ended');
  };
  try {
    assert.equal((await connection).headers['hamlet-egress-code'], 'egress_not_allowed');
  } finally {
    Reflect.deleteProperty(broker.village, 'permitHost');
  }
});

test('a write to an opened host still asks a person, and the host gets no secret', async () => {
  const headers = { authorization: 'Bearer hamlet-placeholder-key' };
  assert.equal((await broker.plain('http://new.org/n', { method: 'POST', body: 'x', headers })).body, '/n');
  assert.equal(broker.village.permissions.length, 1);
  assert.equal(broker.village.permissions[0]?.isAllowedByRule, false);
  assert.deepEqual(
    broker.village.permissions[0]?.details,
    ["with the program's own authorization (Bearer, 29 characters)"],
    'the placeholder leaves as it is',
  );
});

test('no answer lifts the methods and paths of the rules of a host', async () => {
  broker.village.addAgent('ada', {
    allow: [{ host: 'new.org', ports: [80], methods: ['GET'], paths: ['/docs/**'] }],
    deny: [],
  });
  broker.village.stop('uid-ada');
  assert.equal((await broker.plain('http://new.org/docs/a')).body, '/docs/a');
  assert.equal(await codeOf('http://new.org/team'), 'egress_not_allowed');
  assert.equal(await codeOf('http://new.org/docs/a', { method: 'POST', body: 'x' }), 'egress_not_allowed');
  assert.deepEqual(broker.village.hosts, []);
});

test('no answer opens a denied host, an address, a private name or a name that leads to a private address', async () => {
  for (const [host, code] of [
    ['denied.org', 'egress_denied'],
    ['169.254.169.254', 'egress_not_allowed'],
    ['192.168.1.1', 'egress_not_allowed'],
    ['kubernetes.default.svc', 'egress_not_allowed'],
    ['hamlet-api-agents', 'egress_not_allowed'],
  ] as const)
    assert.equal(await codeOf(`http://${host}/`), code, host);
  assert.deepEqual(broker.village.hosts, []);
  assert.equal(await codeOf('http://lan.org/'), 'egress_address_refused');
  assert.deepEqual(internet.dialled, []);
});

test('the broker resolves no name before the answer, and shows hidden characters of the request', async () => {
  broker.village.hostAnswer = deny('egress_person_denied', 'no');
  assert.equal(await codeOf('http://secret-text.new.org/a%20b'), 'egress_person_denied');
  assert.deepEqual(internet.dialled, []);
  assert.equal(broker.village.hosts[0]?.summary, 'GET secret-text.new.org:80/a%20b');
});
