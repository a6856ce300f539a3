/**
 * git, gh, pip, npm, apt, go, cargo's index, curl, Python, Node, Chromium and the MCP server of GitHub in a real pod,
 * with the environment that the resident gives to programs: first in a village that allows nothing, then in one that
 * allows the test's servers.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { authorOf, packageEnvironment } from '../../agent-image/resident/src/hands/package-environment.ts';
import { proxyEnvironment } from '../../agent-image/resident/src/hands/proxy-environment.ts';
import {
  crateFiles,
  fileServer,
  gitServer,
  goFiles,
  npmFiles,
  pythonFiles,
} from '../../api/broker/src/testing/package-servers.ts';
import { ownTier } from '../env/cluster/own-tier.ts';
import { makeToyPackage, mirrorOf } from '../env/egress/debian-archive.ts';
import { closeVillage, openVillage, startOutside, TLS_PORT, type Outside } from '../env/egress/outside.ts';
import { MARK } from '../env/egress/probe.ts';
import { until } from '../env/until.ts';
import { applyAgent, deleteAgents, untilReady, village, type Village } from '../env/village.ts';
import { testFolder } from '../env/at-end.ts';

const NAME = `tom-${process.pid}`;
/** The browser needs 2Gi. No balance opens this tier, and it costs nothing. */
const TIER = `tools-${process.pid}`;
const TIER_MANIFEST = ownTier(TIER, { models: ['small'], cpu: '500m', memory: '2Gi' });
const HOSTS = ['git.test', 'index.test', 'npm.test', 'apt.test', 'go.test', 'crates.test', 'read.test'] as const;
const at = (host: (typeof HOSTS)[number]): string => `https://${host}:${TLS_PORT}`;
/** GitHub's programs use the default port. */
const GITHUB = 'api.github.com';
const HTTPS = 443;
const RUN = randomUUID();
const SECRET = 'team-token';
const PLACEHOLDER = `hamlet-placeholder-${SECRET}`;
const token = `ghp_${randomBytes(18).toString('hex')}`;

let place: Village;
let outside: Outside;
const folder = testFolder('egress-tools');
let pod = '';

/** A repository with one commit on the branch main. */
function makeRepository(): void {
  const [work, bare] = [join(folder, 'work'), join(folder, 'git/team/toy.git')];
  mkdirSync(work, { recursive: true });
  mkdirSync(join(folder, 'git/team'), { recursive: true });
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: work, stdio: 'ignore' });
  git('init', '--initial-branch=main', '.');
  writeFileSync(join(work, 'toy.txt'), 'a toy\n');
  git('add', '.');
  git('commit', '-m', 'a toy');
  git('clone', '--bare', '.', bare);
  execFileSync('git', ['-C', bare, 'config', 'http.receivepack', 'true']);
}

/** Serves the repositories of a team to callers with its token, which git sends as a password. */
function privateGit(): RequestListener {
  const serve = gitServer(join(folder, 'git'));
  const wanted = `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
  return (request, response) => {
    if (request.headers.authorization === wanted) serve(request, response);
    else response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
  };
}

/** A GitHub API for callers with the token. */
const github: RequestListener = ({ headers, url = '' }, response) => {
  const [, sent] = /^(?:token|Bearer) (.+)$/.exec(headers.authorization ?? '') ?? [];
  response.setHeader('content-type', 'application/json');
  if (sent !== token) response.writeHead(401).end('{"message":"Bad credentials"}');
  else if (url.startsWith('/search/')) response.end('{"total_count":0,"incomplete_results":false,"items":[]}');
  else response.end(JSON.stringify({ login: 'team' }));
};

async function serveAll(): Promise<void> {
  const architecture = execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim();
  const served: readonly (readonly [(typeof HOSTS)[number], RequestListener])[] = [
    ['git.test', privateGit()],
    ['index.test', fileServer(await pythonFiles(folder, '/packages/'), [])],
    ['npm.test', fileServer(await npmFiles(folder, at('npm.test')), [])],
    ['apt.test', fileServer(mirrorOf(makeToyPackage(folder), 'bookworm', architecture), [])],
    ['go.test', fileServer(await goFiles(folder), [])],
    ['crates.test', fileServer(await crateFiles(folder, at('crates.test')), [])],
  ];
  for (const [host, listener] of served) outside.hosts.set(host, listener);
  outside.hosts.set(GITHUB, github);
}

const apply = (spec: object): Promise<void> =>
  applyAgent(place, NAME, { entitlement: { policy: 'Pinned', name: TIER }, ...spec });

before(async () => {
  place = await village();
  outside = await startOutside([HTTPS]);
  makeRepository();
  await serveAll();
  await place.kubectl(['apply', '-f', '-'], JSON.stringify(TIER_MANIFEST));
  await apply({});
  pod = (await untilReady(place, NAME)).pod ?? '';
  await putGo();
});
after(async () => {
  await deleteAgents(place, [NAME]);
  await place.tryKubectl(['delete', 'entitlement', TIER, '--ignore-not-found']);
  await place.tryKubectl(['delete', 'secret', SECRET, '--ignore-not-found']);
  await outside.close();
  await closeVillage(place);
});

/** The image lacks Go. This machine's go program alone can request modules. */
async function putGo(): Promise<void> {
  const root = execFileSync('go', ['env', 'GOROOT'], { encoding: 'utf8' }).trim();
  await place.kubectl(['cp', join(root, 'bin/go'), `${pod}:/usr/local/bin/go`, '-c', 'hands']);
}

interface Ran {
  readonly code: number;
  readonly output: string;
}

const GO = { GOROOT: '/tmp', GOPATH: '/tmp/go', GOTOOLCHAIN: 'local', GONOSUMDB: '*', GOFLAGS: '-mod=mod' };

/** Runs a line of shell in the hands, in the environment of a call of the agent. */
async function run(line: string, call = 'call-1'): Promise<Ran> {
  const environment = {
    ...packageEnvironment(authorOf(null, { agentId: NAME, suffix: '(Harvest)' })),
    ...proxyEnvironment({ run: RUN, call }),
    ...GO,
    GH_TOKEN: PLACEHOLDER,
    GITHUB_PERSONAL_ACCESS_TOKEN: PLACEHOLDER,
  };
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const command = ['exec', pod, '-c', 'hands', '--', 'env', ...variables, 'sh', '-c', `cd /workspace && ${line}`];
  // On a busy machine the API may record an attempt too late, and the broker asks the program to retry.
  return until(line, async () => {
    const ran = await place.tryKubectl(command);
    return ran.output.includes('egress_log_unavailable') ? undefined : ran;
  });
}

/** Calls a tool of an MCP server, and prints the answer. Both are arguments. */
const CALL_TOOL = `
  const server = require("node:child_process").spawn(process.argv[1], { stdio: ["pipe", "pipe", "inherit"] });
  const send = (message) => server.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
  require("node:readline").createInterface({ input: server.stdout }).on("line", (line) => {
    const { id } = JSON.parse(line);
    if (id === 1) {
      send({ method: "notifications/initialized" });
      send({ id: 2, method: "tools/call", params: JSON.parse(process.argv[2]) });
    }
    if (id === 2) {
      console.log(line);
      server.kill();
      process.exit(0);
    }
  });
  const params = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  send({ id: 1, method: "initialize", params });`;

async function succeeds(line: string, expected: RegExp): Promise<void> {
  const { code, output } = await run(line);
  assert.equal(code, 0, `${line}: ${output}`);
  assert.match(output, expected, line);
}

/** Programs in a village that allows nothing, and the message that each prints. */
const CLOSED: Readonly<Record<string, RegExp>> = {
  'apt-get update': /403 {2}egress_registry_off: the registry apt is .*ask an admin to add apt to egress\.registries/,
  'pip download -vv toy-wheel': /egress_registry_off: .*ask an admin to add pip to egress\.registries/,
  'npm view @toys/top': /egress_registry_off: .*ask an admin to add npm to egress\.registries/,
  'go mod download toys.home/top@v1.0.0': /egress_registry_off: .*ask an admin to add go to egress\.registries/,
  // Cargo's first request, with the settings of the hands.
  'curl -sS "$(sed -n \'s/^registry = "sparse+\\(.*\\)"/\\1/p\' /.cargo/config.toml)config.json"':
    /egress_registry_off.*ask an admin to add crates to egress\.registries/,
  'gh api user': /no rule of this agent allows api\.github\.com:443; ask an admin to add it to spec\.egress/,
  'git clone https://closed.test/a.git': /egress_not_allowed: .*ask an admin to add it to spec\.egress/,
  'curl -sS http://closed.test/':
    /no rule of this agent allows GET \/ at closed\.test:80; ask an admin to add it to spec\.egress/,
  'curl -sSv https://closed.test/': /403 egress_not_allowed: .*ask an admin to add it to spec\.egress/,
  'wget -O- https://closed.test/': /no rule of this agent allows closed\.test:443; ask an admin/,
  'python3 -c "import urllib.request as r; r.urlopen(\'https://closed.test/\')"':
    /403 egress_not_allowed: no rule of this agent allows closed\.test:443; ask an admin/,
};

test('in a village that allows nothing, each program prints which permission to ask for', async () => {
  for (const [line, says] of Object.entries(CLOSED)) {
    const { output } = await run(line);
    assert.match(output.replaceAll(/\s*\n\s*/g, ' '), says, line);
  }
});

test('an operator allows hosts and registries, and binds a secret', async () => {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: SECRET,
      labels: { 'hamlet.village/egress': 'true' },
      annotations: { 'hamlet.village/egress-hosts': `git.test, ${GITHUB}` },
    },
    stringData: { value: token },
  };
  await place.kubectl(['apply', '-f', '-'], JSON.stringify(secret));
  await openVillage(place, outside, {
    names: { [outside.address]: [...HOSTS, GITHUB] },
    openings: [...HOSTS.map((host) => ({ host, ports: [TLS_PORT] })), { host: GITHUB, ports: [HTTPS] }],
    more: {
      registries: {
        apt: { url: `${at('apt.test')}/` },
        pip: { url: `${at('index.test')}/simple/` },
        npm: { url: `${at('npm.test')}/` },
        go: { url: `${at('go.test')}/` },
        crates: { url: `${at('crates.test')}/index/` },
      },
      secretNames: [SECRET],
    },
  });
  await apply({
    repository: { url: `${at('git.test')}/team/toy.git`, secretName: SECRET },
    egress: {
      allow: [
        { host: 'read.test', ports: [TLS_PORT], methods: ['GET'] },
        { host: GITHUB, methods: ['GET', 'POST'], secret: SECRET },
      ],
    },
  });
  assert.equal((await untilReady(place, NAME)).pod, pod, 'new rules apply without a new pod');
  // New rules reach the broker, and a new secret the API, a moment after they are written.
  const look = `git ls-remote ${at('git.test')}/team/toy.git`;
  await until('the new rules hold', async () => (await run(look)).code === 0);
});

test('git clones the repository of the agent; pushes without a live run and other repositories are refused with a reason', async () => {
  await succeeds(`git clone -q ${at('git.test')}/team/toy.git && cat toy/toy.txt`, /a toy/);
  await succeeds(
    `cd toy && git checkout -qb hamlet/${NAME}/fix && echo more >>toy.txt && git commit -qam more && git log -1 --format=%an`,
    new RegExp(`${NAME} \\(Harvest\\)`),
  );
  for (const target of ['HEAD', 'HEAD:main']) {
    const { code, output } = await run(`cd toy && git push origin ${target}`);
    assert.notEqual(code, 0);
    assert.match(output, /remote rejected.*egress_/s);
  }
  const branches = execFileSync(
    'git',
    ['-C', join(folder, 'git/team/toy.git'), 'branch', '--format=%(refname:short)'],
    {
      encoding: 'utf8',
    },
  );
  assert.equal(branches.trim(), 'main');
  const foreign = await run(`git clone ${at('git.test')}/team/other.git`);
  assert.match(
    foreign.output,
    /egress_not_allowed: no rule of this agent allows GET .* ask an admin to add it to spec.egress/,
  );
});

test('apt, pip, npm, go and cargo install from enabled registries', async () => {
  // The test's archive has no Debian key. The sources are those of the image.
  const unsigned = '-o Acquire::AllowInsecureRepositories=true -o APT::Get::AllowUnauthenticated=true';
  await succeeds(
    `apt-get -q update ${unsigned} && apt-get -q -y install ${unsigned} toy && cat /usr/share/toy/answer`,
    /^42$/m,
  );
  await succeeds('pip install -q toy-wheel && python3 -c "import toy_wheel; print(toy_wheel.ANSWER)"', /^42$/m);
  await succeeds('mkdir -p js && cd js && npm i --silent @toys/top && node_modules/.bin/toy-top', /^1\.0\.0$/m);
  await succeeds(
    'go mod download toys.home/top@v1.0.0 && cat /tmp/go/pkg/mod/toys.home/top@v1.0.0/top.go',
    /^package top$/m,
  );
  // Cargo's requests: the settings of the index, the entry, and the archive at the address in the settings.
  await succeeds(
    `cd /tmp && curl -sSf http://hamlet/crates/config.json >config.json && curl -sSf http://hamlet/crates/to/yc/toycrate && curl -sSfL "$(jq -r .dl config.json)/toycrate/1.0.0/download" | sha256sum`,
    /"cksum":"([0-9a-f]{64})"[^]*\1/,
  );
});

test('gh and the GitHub MCP server use a token that their pod does not contain', async () => {
  assert.deepEqual(JSON.parse((await run('gh api user')).output), { login: 'team' });
  const search = { name: 'search_repositories', arguments: { query: 'toys' } };
  const asked = await run(`node -e '${CALL_TOOL}' mcp-server-github '${JSON.stringify(search)}'`);
  assert.match(asked.output, /total_count.*0/);
  const sent = outside.hits.filter(({ host }) => host === GITHUB).map(({ headers }) => headers.authorization);
  assert.deepEqual(new Set(sent), new Set([`token ${token}`, `Bearer ${token}`]));
  assert.match((await run('gh api --method POST user/repos -f name=toys')).output, /egress_no_run/);
  assert.equal(outside.hits.filter(({ host, method }) => host === GITHUB && method === 'POST').length, 0);
  const secret = await run('printenv GH_TOKEN; git -C toy config --list; gh auth status --show-token');
  assert.doesNotMatch(secret.output, new RegExp(token));
});

test('curl, wget, Python, Node and Chromium reach an allowed host and trust the CA of the village', async () => {
  const url = `${at('read.test')}/page`;
  const marked = new RegExp(MARK);
  await succeeds(`curl -sS ${url}`, marked);
  await succeeds(`wget -qO- ${url}`, marked);
  await succeeds(`python3 -c "import urllib.request as r; print(r.urlopen('${url}').read().decode())"`, marked);
  await succeeds(`node -e "fetch('${url}').then((r) => r.text()).then(console.log)"`, marked);
  await succeeds(
    `env -u SSL_CERT_FILE openssl s_client -proxy 127.0.0.1:3128 -connect read.test:${TLS_PORT} -verify_return_error </dev/null`,
    /Verify return code: 0/,
  );
  await succeeds(`chromium --headless --proxy-server=http://127.0.0.1:3128 --dump-dom ${url} 2>/dev/null`, marked);
});

test('the record names run and call of each program', async () => {
  for (const host of [...HOSTS, GITHUB, 'closed.test']) {
    const { attempts } = await place.admin.listEgress({ run_id: RUN, host });
    assert.ok(attempts.length > 0, host);
    for (const { agent_id, call_id, run_witnessed } of attempts)
      assert.deepEqual([agent_id, call_id, run_witnessed], [NAME, 'call-1', false]);
  }
});
