import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request as requestHttp, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { RUN, TestBroker } from '../testing/a-broker.ts';
import { startInternet, type Internet } from '../testing/an-internet.ts';
import { crateFiles, debianFiles, fileServer, goFiles, npmFiles, pythonFiles } from '../testing/package-servers.ts';

const LOOPBACK = 'http://127.0.0.1:3128';
const hosts = new Map<string, RequestListener>();
const seen: string[] = [];
let internet: Internet;
let broker: TestBroker;
let folder: string;

before(async () => {
  internet = await startInternet();
  folder = await mkdtemp(join(tmpdir(), 'reverse-'));
  const byHost: RequestListener = (request, response) => {
    const listener = hosts.get(request.headers.host ?? '');
    if (listener === undefined) response.writeHead(421).end(request.headers.host);
    else listener(request, response);
  };
  await internet.serveHttp('index.home', byHost);
  await internet.serveHttps('files.home', byHost);
  broker = await TestBroker.start(internet);
});
after(async () => {
  broker.close();
  internet.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  hosts.clear();
  seen.length = 0;
  open({});
});

function open(registries: Record<string, { url: string }>, more: object = {}): void {
  const methods = ['GET', 'HEAD'];
  const allow = [
    { host: 'index.home', ports: [80], methods },
    { host: 'files.home', methods },
  ];
  broker.village.addAgent('ada', { allow, registries, ...more });
  broker.village.stop('uid-ada');
  broker.village.attempts.length = 0;
}

interface Ran {
  readonly code: number;
  readonly out: string;
}

/** Runs a program as in a pod: with the proxy, and without the settings of this machine. */
function program(argv: readonly string[], more: { env?: Record<string, string>; cwd?: string } = {}): Promise<Ran> {
  const [file = '', ...args] = argv;
  const proxy = `http://${encodeURIComponent(`${RUN}/call-1`)}:ada@127.0.0.1:${String(broker.port)}`;
  const home = join(folder, 'home');
  const own = {
    HOME: home,
    PATH: process.env['PATH'] ?? '',
    RUSTUP_HOME: process.env['RUSTUP_HOME'] ?? '/root/.rustup',
  };
  const env = { ...own, http_proxy: proxy, HTTP_PROXY: proxy, no_proxy: '', ...more.env };
  return new Promise((resolve) => {
    execFile(file, args, { env, cwd: more.cwd ?? folder, timeout: 90_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), out: `${stdout}${stderr}` });
    });
  });
}

const has = async (name: string): Promise<boolean> => (await program([name, '--version'])).code === 0;
const reached = (): readonly string[] => [
  ...new Set(broker.village.attempts.map(({ host, path, run, call }) => [host, path, run, call].map(String).join(' '))),
];

const pip = (...args: string[]): Promise<Ran> =>
  program(['python3', '-m', 'pip', '--isolated', '--no-cache-dir', '--disable-pip-version-check', ...args]);

test('pip installs from an index with full, absolute and relative links, and every file is recorded', async () => {
  open({ pip: { url: 'http://index.home/simple/' } });
  for (const [at, link] of ['https://files.home/packages/', '/packages/', '../../packages/'].entries()) {
    const files = fileServer(await pythonFiles(folder, link), seen);
    hosts.set('index.home', files).set('files.home', files);
    const to = join(folder, `site-${String(at)}`);
    const ran = await pip('install', '--target', to, '--index-url', `${LOOPBACK}/pip/`, 'toy-wheel');
    assert.equal(ran.code, 0, ran.out);
    assert.equal(await readFile(join(to, 'toy_wheel.py'), 'utf8'), 'ANSWER = 42\n');
  }
  const wheel = `/packages/toy_wheel-1.0-py3-none-any.whl ${RUN} call-1`;
  assert.deepEqual(reached(), [
    `index.home /simple/toy-wheel/ ${RUN} call-1`,
    `files.home ${wheel}`,
    `index.home ${wheel}`,
  ]);
});

test('pip, npm, git and curl show that a registry is switched off, and nothing is contacted', async () => {
  const ran = await pip('download', '-vv', '--index-url', `${LOOPBACK}/pip/`, 'toy-wheel');
  assert.match(ran.out, /403 Client Error: egress_registry_off/);
  const npm = await program([
    'npm',
    'view',
    'x',
    '--registry',
    `${LOOPBACK}/npm/`,
    '--fetch-retries',
    '0',
    '--no-update-notifier',
  ]);
  assert.match(npm.out, /ask an admin to add npm to egress.registries/);
  const plain = await broker.plain(`${LOOPBACK}/crates/config.json`);
  assert.deepEqual([plain.status, plain.headers['hamlet-egress-code']], [403, 'egress_registry_off']);
  assert.deepEqual(reached(), [
    `pip /toy-wheel/ ${RUN} call-1`,
    `npm /x ${RUN} call-1`,
    `crates /config.json ${RUN} call-1`,
  ]);
  assert.deepEqual([...new Set(broker.village.attempts.map(({ refused }) => refused))], ['egress_registry_off']);
});

test('publishing through the endpoint of a registry is refused', async () => {
  open({ npm: { url: 'https://files.home/' } });
  for (const method of ['PUT', 'POST']) {
    const answer = await broker.plain(`${LOOPBACK}/npm/x`, { method, body: '{}' });
    assert.equal(answer.headers['hamlet-egress-code'], 'egress_not_allowed', method);
  }
  assert.deepEqual(
    broker.village.attempts.map(({ host, method, path, refused }) => [host, method, path, refused]),
    ['PUT', 'POST'].map((method) => ['files.home', method, '/x', 'egress_not_allowed']),
  );
});

test("links of an index lead only to hosts that the rules allow, and the village's denials win", async () => {
  open(
    { pip: { url: 'http://index.home/simple/' } },
    { deny: [{ host: 'files.home', ports: [443], paths: ['/bad/**'] }] },
  );
  const code = async (path: string) => (await broker.plain(LOOPBACK + path)).headers['hamlet-egress-code'];
  assert.equal(await code('/pip/at/https/other.home/x'), 'egress_not_allowed');
  assert.equal(await code('/pip/at/https/files.home/bad/x'), 'egress_denied');
  assert.equal(await code('/pip/at/https/files.home/a/../bad/x'), 'egress_path_unclear');
  assert.equal(await code('/pip/at/http/169.254.169.254/latest'), 'egress_not_allowed');
});

test('npm installs a scoped package and its archive through the endpoint', async () => {
  open({ npm: { url: 'https://files.home/' } });
  hosts.set('files.home', fileServer(await npmFiles(folder, 'https://files.home'), seen));
  const cwd = join(folder, 'npm');
  await mkdir(cwd);
  await writeFile(join(cwd, 'package.json'), '{"name":"a","version":"1.0.0"}');
  const flags = [
    '--no-audit',
    '--no-update-notifier',
    '--no-fund',
    '--registry',
    `${LOOPBACK}/npm/`,
    '--replace-registry-host',
    'never',
  ];
  const ran = await program(['npm', 'install', '@toys/top', ...flags], { cwd });
  assert.equal(ran.code, 0, ran.out);
  assert.match(await readFile(join(cwd, 'node_modules/@toys/top/index.js'), 'utf8'), /console\.log\("1\.0\.0"\)/);
  assert.deepEqual(seen, ['GET /@toys/top', 'GET /@toys/top/-/top-1.0.0.tgz']);
});

test('cargo fetches a crate by its sparse index', async (t) => {
  if (!(await has('cargo'))) return t.skip('cargo is not installed');
  open({ crates: { url: 'http://index.home/index/' } });
  const files = fileServer(await crateFiles(folder, 'https://files.home'), seen);
  hosts.set('index.home', files).set('files.home', files);
  const cwd = join(folder, 'cargo');
  await mkdir(join(cwd, '.cargo'), { recursive: true });
  await mkdir(join(cwd, 'src'));
  await writeFile(join(cwd, 'src/lib.rs'), '');
  await writeFile(
    join(cwd, 'Cargo.toml'),
    '[package]\nname = "a"\nversion = "1.0.0"\n[dependencies]\ntoycrate = "1"\n',
  );
  const source = `[source.crates-io]\nreplace-with = "village"\n[source.village]\nregistry = "sparse+${LOOPBACK}/crates/"\n`;
  await writeFile(join(cwd, '.cargo/config.toml'), source);
  const ran = await program(['cargo', 'fetch'], { cwd, env: { CARGO_HOME: join(folder, 'cargo-home') } });
  assert.equal(ran.code, 0, ran.out);
  assert.ok(seen.includes('GET /crates/toycrate/1.0.0/download'), seen.join('\n'));
});

test('go fetches a module, with run and call in the path', async () => {
  open({ go: { url: 'https://files.home/' } });
  hosts.set('files.home', fileServer(await goFiles(folder), seen));
  const loopback = await startLoopback(broker);
  const proxy = `http://127.0.0.1:${String(portOf(loopback))}/as/${RUN}/call-go/go`;
  const cwd = join(folder, 'go');
  await mkdir(cwd);
  await writeFile(join(cwd, 'go.mod'), 'module a\n\ngo 1.20\n\nrequire toys.home/top v1.0.0\n');
  const env = {
    GOPROXY: proxy,
    GONOSUMDB: '*',
    GOFLAGS: '-mod=mod -modcacherw',
    GOPATH: join(folder, 'gopath'),
    GOTOOLCHAIN: 'local',
  };
  const ran = await program(['go', 'mod', 'download', 'toys.home/top'], { cwd, env });
  loopback.close();
  assert.equal(ran.code, 0, ran.out);
  assert.ok(reached().includes(`files.home /toys.home/top/@v/v1.0.0.zip ${RUN} call-go`), reached().join('\n'));
});

test('apt reads a list of packages and fetches one of them', async (t) => {
  if (!(await has('apt-get'))) return t.skip('apt-get is not installed');
  hosts.set('index.home', fileServer(debianFiles(), seen));
  const root = join(folder, 'apt');
  for (const part of ['etc/apt', 'state/lists/partial', 'cache/archives/partial', 'down'])
    await mkdir(join(root, part), { recursive: true });
  await writeFile(join(root, 'etc/apt/sources.list'), `deb [trusted=yes] ${LOOPBACK}/apt/debian stable/\n`);
  await writeFile(join(root, 'status'), '');
  const options = [`Dir::Etc=${root}/etc/apt`, `Dir::State=${root}/state`, `Dir::Cache=${root}/cache`];
  const flags = [...options, `Dir::State::status=${root}/status`, 'APT::Sandbox::User=root', 'Acquire::Languages=none'];
  const apt = (...args: string[]): Promise<Ran> =>
    program(['apt-get', ...flags.flatMap((flag) => ['-o', flag]), ...args], { cwd: join(root, 'down') });
  open({});
  const off = await apt('update');
  assert.match(off.out, /403 {2}egress_registry_off: .*ask an admin to add apt to egress\.registries/);
  open({ apt: { url: 'http://index.home/' } });
  const updated = await apt('update');
  assert.equal(updated.code, 0, updated.out);
  const ran = await apt('download', 'toy');
  assert.equal(ran.code, 0, ran.out);
  assert.equal(await readFile(join(root, 'down/toy_1.0_all.deb'), 'utf8'), 'a package');
});

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address !== 'object') throw new Error('the server has no port');
  return address.port;
}

/** A minimal resident proxy: it forwards requests and adds the token. */
async function startLoopback({ port }: TestBroker): Promise<Server> {
  const identity = `Basic ${Buffer.from('/:ada').toString('base64')}`;
  const server = createServer((request, response) => {
    const { method, url: path, headers } = request;
    const own = { ...headers, 'proxy-authorization': identity };
    const passed = requestHttp({ port, host: '127.0.0.1', method, path, headers: own }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
