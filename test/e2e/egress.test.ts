/**
 * Attempts to leave a pod as root of its hands: past the broker, through it, and against it. None succeeds, the broker
 * records its attempts with the agent's name, and allowed hosts are reachable.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type EgressRecord } from '@hamlet/contract';
import { closeVillage, openVillage, PLAIN_PORT, startOutside, TLS_PORT, type Outside } from '../env/egress/outside.ts';
import { attemptPast, attemptThrough, connectTo, request, type Attempt } from '../env/egress/probe.ts';
import { until } from '../env/until.ts';
import { applyAgent, deleteAgents, nodeAddress, untilReady, village, type Village } from '../env/village.ts';

const NAME = `eve-${process.pid}`;
/** The host of the attempts under a forged identity. */
const CLAIMED = `as-${NAME}.test`;
const METADATA = '169.254.169.254';
const PUBLIC = '93.184.215.14';

let place: Village;
let outside: Outside;
let pod = '';
const at: Record<string, string> = {};

const jsonpath = (object: readonly string[], path: string): Promise<string> =>
  place.kubectl(['get', ...object, '-o', `jsonpath={${path}}`]);
const podOf = (component: string): Promise<string> =>
  jsonpath(['pods', '-l', `app.kubernetes.io/component=${component}`], '.items[0].status.podIP');

async function learnAddresses(): Promise<void> {
  for (const name of ['api', 'postgres', 'redis', 'broker', 'operator']) at[name] = await podOf(name);
  for (const name of ['hamlet-api', 'hamlet-postgres', 'hamlet-redis', 'hamlet-broker'])
    at[`${name} service`] = await jsonpath(['service', name], '.spec.clusterIP');
  at['kubernetes'] = await jsonpath(['service', 'kubernetes', '--namespace', 'default'], '.spec.clusterIP');
  at['dns'] = await jsonpath(['service', 'kube-dns', '--namespace', 'kube-system'], '.spec.clusterIP');
  for (const node of ['sparky1', 'sparky2']) at[node] = await nodeAddress(place, node);
  at['bob'] = await jsonpath(['pod', (await untilReady(place, 'bob')).pod ?? ''], '.status.podIP');
}

/** Rules of the agent: three hosts that it may reach, and names that lead to forbidden addresses. */
const ALLOW = [
  { host: 'open.test', ports: [TLS_PORT] },
  { host: 'read.test', ports: [TLS_PORT], methods: ['GET'], paths: ['/allowed/**'] },
  { host: 'plain.test', ports: [PLAIN_PORT], methods: ['GET'], paths: ['/**'] },
  { host: 'shut.test', ports: [TLS_PORT] },
  { host: 'rebind.test', ports: [TLS_PORT] },
  { host: 'meta.test', ports: [80] },
  { host: METADATA, ports: [80] },
  { host: 'loop.test', ports: [9090] },
  { host: 'postgres.test', ports: [5432] },
  { host: 'kubernetes.test', ports: [443] },
  { host: 'kubelet.test', ports: [10_250] },
  { host: 'hamlet-broker', ports: [9090] },
  { host: 'nowhere.test', ports: [443] },
  { host: 'api.paypal.com', ports: [443] },
];

before(async () => {
  place = await village();
  outside = await startOutside();
  await learnAddresses();
  await openVillage(place, outside, {
    names: {
      [outside.address]: ['open.test', 'read.test', 'plain.test', 'shut.test', 'closed.test', 'rebind.test'],
      [PUBLIC]: ['rebind.test'],
      [METADATA]: ['meta.test'],
      '127.0.0.1': ['loop.test'],
      [at['hamlet-postgres service'] ?? '']: ['postgres.test'],
      [at['kubernetes'] ?? '']: ['kubernetes.test'],
      [at['sparky1'] ?? '']: ['kubelet.test'],
    },
    openings: [
      { host: 'open.test', ports: [TLS_PORT] },
      { host: 'read.test', ports: [TLS_PORT] },
      { host: 'plain.test', ports: [PLAIN_PORT] },
    ],
  });
  await applyAgent(place, NAME, { egress: { allow: ALLOW } });
  pod = (await untilReady(place, NAME)).pod ?? '';
  await learnAddresses();
});
after(async () => {
  await deleteAgents(place, [NAME]);
  await outside.close();
  await closeVillage(place);
});

async function recorded(query: {
  readonly agent_id?: string;
  readonly host?: string;
}): Promise<readonly EgressRecord[]> {
  const found: EgressRecord[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await place.admin.listEgress({ ...query, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.attempts);
    if (page.next_cursor === null || found.length > 5_000) return found;
    cursor = page.next_cursor;
  }
}

/** A query for `secret.example.com`, by which a program would send data through DNS. */
const QUERY = '1a2b01000001000000000000067365637265740765786d616d706c6503636f6d0000010001';

/** Outcomes that no attempt past the broker may have. */
const GOT_THROUGH = /^(connected|answered|reached|succeeded|resolved|status)/;
const tcp = (host: string, port: number): Attempt => ({ kind: 'tcp', host, port });
const udp = (host: string, port: number): Attempt => ({ kind: 'udp', host, port, hex: QUERY });

const direct = (): Readonly<Record<string, Attempt>> => ({
  'a public address': tcp(PUBLIC, 443),
  'the machine, which is the LAN of the nodes': tcp(outside.address, TLS_PORT),
  'the machine over UDP': udp(outside.address, PLAIN_PORT),
  'a public address over IPv6': tcp('2606:4700:4700::1111', 443),
  'all nodes of the link over IPv6': tcp('fe80::1', 10_250),
  'a mapped address': tcp(`::ffff:${outside.address}`, TLS_PORT),
  'the metadata service': tcp(METADATA, 80),
  'the kubelet of its node': tcp(at['sparky1'] ?? '', 10_250),
  'the kubelet of the other node': tcp(at['sparky2'] ?? '', 10_250),
  'the API server by its Service': tcp(at['kubernetes'] ?? '', 443),
  'the API server by its address': tcp(outside.address, 6443),
  'Postgres by its Service': tcp(at['hamlet-postgres service'] ?? '', 5432),
  'Postgres by its pod': tcp(at['postgres'] ?? '', 5432),
  'Redis by its Service': tcp(at['hamlet-redis service'] ?? '', 6379),
  'Redis by its pod': tcp(at['redis'] ?? '', 6379),
  'the API for people by its Service': tcp(at['hamlet-api service'] ?? '', 8080),
  'the API for people by its pod': tcp(at['api'] ?? '', 8080),
  'the metrics of the API': tcp(at['api'] ?? '', 9090),
  'the metrics of the broker': tcp(at['broker'] ?? '', 9090),
  'the metrics of the broker by its Service': tcp(at['hamlet-broker service'] ?? '', 9090),
  'the metrics of the operator': tcp(at['operator'] ?? '', 9090),
  'another agent': tcp(at['bob'] ?? '', 7777),
  'DNS of the cluster over UDP': udp(at['dns'] ?? '', 53),
  'DNS of the cluster over TCP': tcp(at['dns'] ?? '', 53),
  'a public DNS server': udp('8.8.8.8', 53),
  'a name of the internet': { kind: 'lookup', host: 'secret.example.com' },
  'a name of the cluster': { kind: 'lookup', host: 'hamlet-postgres.hamlet.svc.cluster.local' },
  'a raw socket': {
    kind: 'run',
    argv: ['python3', '-c', 'import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)'],
  },
  'a packet socket': {
    kind: 'run',
    argv: ['python3', '-c', 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'],
  },
  'another address of its own': { kind: 'run', argv: ['sh', '-c', 'ip addr add 10.89.0.77/24 dev eth0 || exit 1'] },
});

/**
 * An attempt through the broker, the code of its refusal, and the recorded host; null if there is no record, because
 * the broker could not identify an agent.
 */
type Case = readonly [attempt: Attempt, code: string, host: string | null];
const tls = `open.test:${TLS_PORT}`;
const read = `read.test:${TLS_PORT}`;
const plain = `http://plain.test:${PLAIN_PORT}`;
const broker = (): { readonly host: string; readonly port: number } => ({
  host: at['hamlet-broker service'] ?? '',
  port: 3128,
});
const FORGED = ['eyJhbGciOiJub25lIn0', Buffer.from('{"sub":"bob"}').toString('base64url'), ''].join('.');

/** Headers that make a server act on a different request than the one that the broker judged. */
const OVERRIDES = [
  'X-HTTP-Method-Override: DELETE',
  'X_Method: DELETE',
  'X-Original-URL: /admin',
  'X-Forwarded-Host: closed.test',
];

const through = (): Readonly<Record<string, Case>> => ({
  'a host without a rule': [connectTo('example.com:443'), 'egress_not_allowed', 'example.com'],
  'a name below an allowed one': [connectTo(`x.open.test:${TLS_PORT}`), 'egress_not_allowed', 'x.open.test'],
  'another port of an allowed host': [connectTo('open.test:22'), 'egress_not_allowed', 'open.test'],
  'an allowed host as the user of another': [
    request(`http://plain.test:${PLAIN_PORT}@closed.test:${PLAIN_PORT}/`),
    'egress_name_differs',
    'plain.test',
  ],
  'the address of an allowed host': [
    connectTo(`${outside.address}:${TLS_PORT}`),
    'egress_not_allowed',
    outside.address,
  ],
  'that address, mapped': [connectTo(`[::ffff:a59:1]:${TLS_PORT}`), 'egress_not_allowed', '::ffff:a59:1'],
  'that address, mapped in another form': [
    connectTo(`[::ffff:10.89.0.1]:${TLS_PORT}`),
    'egress_bad_request',
    '[::ffff:10.89.0.1]',
  ],
  'an address in one number': [connectTo('2852039166:80'), 'egress_not_allowed', '2852039166'],
  'the metadata service by its address, with a rule': [connectTo(`${METADATA}:80`), 'egress_address_refused', METADATA],
  'the metadata service by a name, with a rule': [
    request('http://meta.test/latest/'),
    'egress_address_refused',
    'meta.test',
  ],
  'a private address behind a name, with a rule': [
    connectTo(`shut.test:${TLS_PORT}`),
    'egress_address_refused',
    'shut.test',
  ],
  'a public and a private address behind a name': [
    connectTo(`rebind.test:${TLS_PORT}`),
    'egress_address_refused',
    'rebind.test',
  ],
  'loopback of the broker behind a name': [
    request('http://loop.test:9090/metrics'),
    'egress_address_refused',
    'loop.test',
  ],
  'the metrics of the broker by its Service, with a rule': [
    connectTo('hamlet-broker:9090'),
    'egress_address_refused',
    'hamlet-broker',
  ],
  'Postgres behind a name, with a rule': [connectTo('postgres.test:5432'), 'egress_address_refused', 'postgres.test'],
  'the API server behind a name, with a rule': [
    connectTo('kubernetes.test:443'),
    'egress_address_refused',
    'kubernetes.test',
  ],
  'a kubelet behind a name, with a rule': [connectTo('kubelet.test:10250'), 'egress_address_refused', 'kubelet.test'],
  'the API through the broker': [connectTo('hamlet-api-agents:8081'), 'egress_not_allowed', 'hamlet-api-agents'],
  'localhost through the broker': [connectTo('localhost:9090'), 'egress_not_allowed', 'localhost'],
  'a name that does not exist': [connectTo('nowhere.test:443'), 'egress_name_unknown', 'nowhere.test'],
  'a payment provider, with a rule': [connectTo('api.paypal.com:443'), 'egress_denied', 'api.paypal.com'],
  'another TLS name than the host': [connectTo(tls, { servername: 'closed.test' }), 'closed', 'open.test'],
  'no TLS in a tunnel': [
    connectTo(tls, { raw: 'GET /plain HTTP/1.1\r\nHost: open.test\r\n\r\n' }),
    'closed',
    'open.test',
  ],
  'another Host in TLS that the broker reads': [
    connectTo(read, { host: 'closed.test' }),
    'egress_name_differs',
    'read.test',
  ],
  'another TLS name at a host that the broker reads': [
    connectTo(read, { servername: 'closed.test' }),
    'closed',
    'read.test',
  ],
  'another Host without TLS': [request(`${plain}/x`, { host: 'closed.test' }), 'egress_name_differs', 'plain.test'],
  'a method without a rule': [connectTo(read, { method: 'POST' }), 'egress_not_allowed', 'read.test'],
  'a path without a rule': [connectTo(read, { path: '/secret' }), 'egress_not_allowed', 'read.test'],
  'a path that climbs': [connectTo(read, { path: '/allowed/../secret' }), 'egress_path_unclear', 'read.test'],
  'a path that climbs encoded': [
    connectTo(read, { path: '/allowed/%2e%2e/secret' }),
    'egress_path_unclear',
    'read.test',
  ],
  'a path with two slashes': [connectTo(read, { path: '/allowed//secret' }), 'egress_path_unclear', 'read.test'],
  'a path with an encoded letter': [request(`${plain}/%61llowed`), 'egress_path_unclear', 'plain.test'],
  ...Object.fromEntries(
    OVERRIDES.map((header): [string, Case] => [
      `the header ${header}`,
      [request(`${plain}/x`, { more: `${header}\r\n` }), 'egress_request_unclear', 'plain.test'],
    ]),
  ),
  'a registry that is off': [request('http://hamlet/npm/left-pad'), 'egress_registry_off', 'npm'],
  'a repository without a rule': [
    request('http://hamlet/git/git.example.org/team/x.git/info/refs?service=git-upload-pack'),
    'egress_not_allowed',
    'git.example.org',
  ],
  'the target of a redirect': [
    request(`http://closed.test:${PLAIN_PORT}/from-a-redirect`),
    'egress_not_allowed',
    'closed.test',
  ],
  'the metrics at the port of the proxy': [{ ...request('/metrics'), via: broker() }, 'egress_bad_request', null],
  'the broker without a token': [{ ...connectTo(tls), via: broker() }, 'egress_identity_refused', null],
  'the broker with an invented token': [
    { ...connectTo(tls, {}, '/:invented'), via: broker() },
    'egress_identity_refused',
    null,
  ],
  'the broker with a forged token of another agent': [
    { ...connectTo(tls, {}, `/:${FORGED}`), via: broker() },
    'egress_identity_refused',
    null,
  ],
  'a run and call of another agent': [
    connectTo(`${CLAIMED}:443`, {}, '01a2138e-489e-7652-be1a-51e1ea219028/call-1:x'),
    'egress_not_allowed',
    CLAIMED,
  ],
});

test('allowed hosts are reachable: through a tunnel, through an inspected connection, and without TLS', async () => {
  const controls = [connectTo(tls), connectTo(read), request(`${plain}/control`)];
  assert.deepEqual(await attemptThrough(place, pod, controls), ['reached', 'reached', 'reached']);
  assert.deepEqual(
    outside.hits.splice(0).map(({ host, path }) => `${host}${path}`),
    ['open.test/allowed/connect', 'read.test/allowed/connect', 'plain.test/control'],
  );
  const kept = await until('each is recorded', async () => {
    const all = await recorded({ agent_id: NAME });
    return all.length >= 3 && all.every(({ ended_at }) => ended_at !== null) ? all : undefined;
  });
  assert.deepEqual(kept.map(({ form, host, refused, address }) => [form, host, refused, address]).toSorted(), [
    ['inspect', 'read.test', null, outside.address],
    ['plain', 'plain.test', null, outside.address],
    ['tunnel', 'open.test', null, outside.address],
  ]);
});

test('no attempt past the broker succeeds', async (t) => {
  const listener = listenIn('bob', 7777);
  const attempts = Object.entries(direct());
  const outcomes = await attemptPast(
    place,
    pod,
    attempts.map(([, attempt]) => attempt),
  );
  for (const [index, [what]] of attempts.entries()) assert.doesNotMatch(outcomes[index] ?? '', GOT_THROUGH, what);
  t.diagnostic(`${attempts.length} attempts past the broker: ${[...new Set(outcomes)].join(', ')}`);
  assert.deepEqual([outside.hits, outside.datagrams], [[], []]);
  await (
    await listener
  )();
});

test('no attempt through or against the broker succeeds, and each is recorded with the name of the agent', async (t) => {
  const cases = Object.entries(through());
  const outcomes = await attemptThrough(
    place,
    pod,
    cases.map(([, [attempt]]) => attempt),
  );
  assert.deepEqual(
    cases.map(([what], index) => [what, outcomes[index]]),
    cases.map(([what, [, code]]) => [what, code]),
  );
  assert.deepEqual(
    outside.hits.filter(({ path }) => path !== '/control'),
    [],
  );
  const expected = cases.flatMap(([what, [, code, host]]) => (host === null ? [] : [{ what, code, host }]));
  await until('all are recorded', async () => (await recorded({ agent_id: NAME })).length >= expected.length + 3);
  const kept = await recorded({ agent_id: NAME });
  for (const { what, code, host } of expected)
    assert.ok(
      kept.some(
        (row) =>
          row.host === host &&
          (code === 'closed'
            ? row.refused !== null || row.cut_off !== null
            : [row.refused, row.cut_off].includes(code)),
      ),
      `${what}: ${JSON.stringify(kept.filter((row) => row.host === host))}`,
    );
  for (const row of kept)
    assert.equal(row.run_witnessed || row.call_witnessed, false, 'a program cannot claim the run of another agent');
  const others = (await recorded({ host: CLAIMED })).map(({ agent_id }) => agent_id);
  assert.deepEqual([...new Set(others)], [NAME], 'the record names the agent of the token, not of the claim');
  t.diagnostic(`${cases.length} attempts at the broker, ${expected.length} of them with a host in the record`);
  assert.ok(cases.length + Object.keys(direct()).length >= 70);
});

/** Starts a listener in the hands of an agent; returns a function that ends it. */
async function listenIn(agent: string, port: number): Promise<() => Promise<void>> {
  const name = (await untilReady(place, agent)).pod ?? '';
  const program = `require('node:net').createServer((s) => s.on('error', () => {}).on('data', () => process.exit(0))).listen(${port}); setTimeout(() => process.exit(0), 240000)`;
  const running = place.tryKubectl(['exec', name, '-c', 'hands', '--', 'node', '-e', program]);
  const touch = (words: string): Promise<string> =>
    place.kubectl([
      'exec',
      name,
      '-c',
      'hands',
      '--',
      'node',
      '-e',
      `require('node:net').connect(${port}, '127.0.0.1').on('connect', function () { console.log('open'); this.end('${words}'); }).on('error', () => undefined)`,
    ]);
  await until('it listens', async () => (await touch('')) === 'open');
  return async () => {
    assert.equal(await touch('enough'), 'open', 'the other agent was still listening');
    await running;
  };
}
