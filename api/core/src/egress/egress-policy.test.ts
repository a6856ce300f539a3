import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { AgentSpec, EgressPolicy, TierEgress, VillageEgress } from '@hamlet/contract';
import { egressPolicyOf, isSupply } from './egress-policy.ts';
import { judgeConnection, type Destination } from './judge-egress.ts';
import { judgeWire } from './judge-wire.ts';

interface Written {
  readonly village?: object;
  readonly tier?: object;
  readonly agent?: object;
}

function resolve({ village = {}, tier, agent }: Written): EgressPolicy {
  const layers = {
    village: VillageEgress.parse(village),
    tier: tier === undefined ? undefined : TierEgress.parse(tier),
    agent: agent === undefined ? undefined : AgentSpec.parse(agent),
  };
  return egressPolicyOf(layers, (bytes) => createHash('sha256').update(bytes).digest());
}

const judgeRequest = (policy: EgressPolicy, to: Destination, asked: { method: string; target: string }) =>
  judgeWire(policy, to, { ...asked, headers: {}, hasBody: false, isOfGit: false });

const verdict = (policy: EgressPolicy, host: string, port = 443): string =>
  judgeConnection(policy, { host, port }).verdict;

test('a new village permits no egress', () => {
  const policy = resolve({ agent: {} });
  assert.deepEqual([policy.allow, policy.openings, policy.registries], [[], [], {}]);
  assert.equal(verdict(policy, 'example.org'), 'deny');
});

test("the agent's list replaces the list of its tier; the village's list applies to all agents", () => {
  const layers = { village: { allow: [{ host: 'v.org' }] }, tier: { allow: [{ host: 't.org' }] } };
  const hosts = (written: Written): readonly string[] => resolve(written).allow.map(({ host }) => host);
  assert.deepEqual(hosts({ ...layers, agent: {} }), ['t.org', 'v.org']);
  assert.deepEqual(hosts({ ...layers, agent: { egress: { allow: [{ host: 'a.org' }] } } }), ['a.org', 'v.org']);
  assert.deepEqual(hosts({ ...layers, agent: { egress: { allow: [] } } }), ['v.org']);
  assert.deepEqual(hosts({ ...layers, agent: { egress: { deny: [{ host: 'b.org' }] } } }), ['t.org', 'v.org']);
});

test('a listed agent of another system opens only its address for POST; its entry may let the broker ask no person', () => {
  const listed = { name: 'weather', url: 'https://agents.test/weather', secretName: 'weather-key' };
  const policy = resolve({ village: { agents: [listed, { ...listed, name: 'free', writes: 'Allow' }] }, agent: {} });
  const asked = (method: string, target: string): string =>
    judgeRequest(policy, { host: 'agents.test', port: 443 }, { method, target }).verdict;
  assert.deepEqual(
    [asked('POST', '/weather'), asked('GET', '/weather'), asked('POST', '/weather/all')],
    ['allow', 'deny', 'deny'],
  );
  assert.deepEqual(
    policy.allow.map(({ secret, writes }) => [secret, writes]),
    [
      ['weather-key', undefined],
      ['weather-key', 'Allow'],
    ],
  );
  const parse = (...agents: object[]): boolean => VillageEgress.safeParse({ agents }).success;
  assert.ok(!parse(listed, listed) && !parse({ ...listed, url: 'https://me@agents.test/' }) && !parse({ name: 'x' }));
});

test('a search service opens only its own path, read-only, and the broker adds its key', () => {
  const brave = { kind: 'brave', url: 'https://api.search.test/v1/search', secretName: 'brave-key' };
  const policy = resolve({ village: { search: brave }, agent: {} });
  const asked = (method: string, target: string): string =>
    judgeRequest(policy, { host: 'api.search.test', port: 443 }, { method, target }).verdict;
  assert.deepEqual(
    [asked('GET', '/v1/search?q=a'), asked('POST', '/v1/search'), asked('GET', '/v1/key')],
    ['allow', 'deny', 'deny'],
  );
  assert.equal(policy.allow[0]?.secret, 'brave-key');
  const parse = (search: object): boolean => VillageEgress.safeParse({ search }).success;
  assert.ok(parse({ kind: 'searxng', url: 'http://searx.home/search' }));
  assert.ok(
    !parse({ kind: 'searxng' }) && !parse({ kind: 'brave' }) && !parse({ kind: 'other', url: 'https://a.test' }),
  );
});

test('a denial of village, tier or agent closes a host on every port', () => {
  const allow = [{ host: 'a.org', ports: [443, 8443] }];
  for (const written of [
    { village: { allow, deny: [{ host: 'a.org' }] }, agent: {} },
    { tier: { allow, deny: [{ host: 'a.org' }] }, agent: {} },
    { agent: { egress: { allow, deny: [{ host: 'a.org' }] } } },
  ])
    assert.deepEqual(
      [443, 8443].map((port) => verdict(resolve(written), 'a.org', port)),
      ['deny', 'deny'],
    );
});

test('no rule opens a payment provider', () => {
  const allow = ['paypal.com', '*.paypal.com', '*.com', 'api.stripe.com'].map((host) => ({ host, ports: [443, 80] }));
  const policy = resolve({ village: { allow }, agent: { egress: { allow } } });
  for (const host of ['paypal.com', 'www.paypal.com', 'api-m.sandbox.paypal.com', 'api.stripe.com'])
    assert.deepEqual(
      [443, 80].map((port) => verdict(policy, host, port)),
      ['deny', 'deny'],
      host,
    );
  assert.equal(verdict(policy, 'example.com'), 'tunnel');
});

test('a registry opens its index and its hosts, read-only', () => {
  const policy = resolve({ village: { registries: { pip: true, npm: false } } });
  const request = (host: string, method: string): string =>
    judgeRequest(policy, { host, port: 443 }, { method, target: '/simple/x/' }).verdict;
  assert.deepEqual([request('pypi.org', 'GET'), request('files.pythonhosted.org', 'HEAD')], ['allow', 'allow']);
  assert.equal(request('pypi.org', 'POST'), 'deny');
  assert.equal(verdict(policy, 'registry.npmjs.org'), 'deny');
  const own = { url: 'http://pypi.home:8080/simple/', hosts: ['files.home'] };
  const local = resolve({ village: { registries: { pip: own } } });
  assert.deepEqual(local.registries, { pip: { url: own.url } });
  assert.equal(verdict(local, 'pypi.home', 8080), 'inspect');
  assert.equal(verdict(local, 'files.home', 8080), 'inspect');
  assert.equal(verdict(local, 'pypi.org'), 'deny');
});

test('an admin chose the repository of an agent, as git asks for it, and the registries; no tunnel and no page beside them', () => {
  const layers = {
    village: VillageEgress.parse({ registries: { pip: true }, allow: [{ host: 'pages.example.org' }] }),
    agent: AgentSpec.parse({ repository: { url: 'https://git.example.org/team/project.git' } }),
  };
  const at = (host: string, path: string | null, method: string | null = 'GET'): boolean =>
    isSupply(layers, { host, port: 443, method, path });
  for (const path of ['/team/project.git/info/refs', '/team/project/info/refs'])
    assert.ok(at('git.example.org', path), path);
  for (const path of ['/team/project.git/git-upload-pack', '/team/project.git/git-receive-pack'])
    assert.ok(at('git.example.org', path, 'POST'), path);
  for (const path of [
    '/team/project/issues/7',
    '/team/project',
    '/team/other.git/info/refs',
    '/a/../team/project/info/refs',
  ])
    assert.ok(!at('git.example.org', path), path);
  assert.ok(!at('git.example.org', null, null), 'a tunnel');
  assert.ok(
    !isSupply(
      { ...layers, agent: undefined },
      { host: 'git.example.org', port: 443, method: 'GET', path: '/team/project/info/refs' },
    ),
  );
  assert.ok(at('pypi.org', '/simple/flask/') && at('files.pythonhosted.org', '/packages/x.whl'));
  assert.ok(
    !at('pypi.org', '/simple/flask/', 'POST') && !at('pypi.org', null, null) && !at('registry.npmjs.org', '/x'),
  );
  assert.ok(!at('pages.example.org', '/'));
  assert.ok(!at('pypi.org', '/project/flask/'), 'strangers write the page of a package');
});

test('a forge with a registry: its packages are a source that an admin chose, its issues are not', () => {
  const at = (pip: object, path: string): boolean =>
    isSupply(
      {
        village: VillageEgress.parse({ registries: { pip } }),
        agent: AgentSpec.parse({ repository: { url: 'https://git.home/team/orchard' } }),
      },
      { host: 'git.home', port: 443, method: 'GET', path },
    );
  for (const pip of [
    { url: 'https://git.home/api/packages/team/pypi/simple/' },
    { url: 'https://git.home/api/packages/team/pypi/+simple', hosts: ['files.home'] },
  ]) {
    assert.ok(at(pip, '/api/packages/team/pypi/files/flask/3.0/flask.whl') && at(pip, '/team/orchard/info/refs'));
    for (const path of ['/team/orchard/issues/7', '/team/other/issues/7', '/api/packages/eve/pypi/simple/flask/', '/'])
      assert.ok(!at(pip, path), path);
  }
  const linked = { url: 'https://pypi.home/simple/', hosts: ['git.home'] };
  assert.deepEqual([at(linked, '/files/flask.whl'), at(linked, '/team/orchard/issues/7')], [true, false]);
});

test('a repository opens only its own paths, with its secret', () => {
  const open = (url: string): EgressPolicy => resolve({ agent: { repository: { url, secretName: 'team-git' } } });
  for (const url of ['https://git.example.org/team/project.git', 'https://git.example.org/team/project/']) {
    const policy = open(url);
    const judged = (target: string, method = 'GET') =>
      judgeRequest(policy, { host: 'git.example.org', port: 443 }, { method, target });
    for (const target of ['/team/project.git/info/refs?service=git-upload-pack', '/team/project/info/refs']) {
      const answer = judged(target);
      assert.equal(answer.verdict === 'allow' && answer.rule.secret, 'team-git', `${url} ${target}`);
    }
    assert.equal(judged('/team/project.git/git-upload-pack', 'POST').verdict, 'allow');
    assert.equal(judged('/team/project.git/x', 'DELETE').verdict, 'deny');
    for (const target of ['/team/other.git/info/refs', '/team/project-two/info/refs', '/team'])
      assert.equal(judged(target).verdict, 'deny', target);
  }
  for (const url of ['git@git.example.org:team/project.git', 'ssh://git.example.org/team/project', 'https://x.org/'])
    assert.deepEqual(open(url).allow, [], url);
});

test('equal rules have equal versions', () => {
  const written = { village: { allow: [{ host: 'v.org' }] }, agent: { egress: { allow: [{ host: 'a.org' }] } } };
  assert.equal(resolve(written).version, resolve(structuredClone(written)).version);
  assert.notEqual(resolve(written).version, resolve({ ...written, agent: {} }).version);
  assert.deepEqual(EgressPolicy.parse(resolve(written)), resolve(written));
});
