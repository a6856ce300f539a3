import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { deny } from '@hamlet/core/egress';
import { RUN, TestBroker } from '../testing/a-broker.ts';
import { startInternet, type Internet } from '../testing/an-internet.ts';
import { gitServer } from '../testing/package-servers.ts';
import { PKT_FLUSH, pktLine } from '../git/pkt-line.ts';

const URL_OF = 'http://127.0.0.1:3128/git/git.home/acme/app.git';
const OWN = 'refs/heads/hamlet/ada/fix';
const authorizations: string[] = [];
const encodings = new Set<string>();
let internet: Internet;
let broker: TestBroker;
let folder: string;
let work: string;

interface Ran {
  readonly code: number;
  readonly out: string;
}

/** Runs git as in a pod: with the proxy, and without the settings of this machine. */
function git(cwd: string, ...args: string[]): Promise<Ran> {
  const proxy = `http://${encodeURIComponent(`${RUN}/call-1`)}:ada@127.0.0.1:${String(broker.port)}`;
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@hamlet'];
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    http_proxy: proxy,
  };
  return new Promise((resolve) => {
    execFile('git', [...identity, ...args], { cwd, env, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), out: `${stdout}${stderr}` }),
    );
  });
}

const onServer = (...args: string[]): string =>
  execFileSync('git', ['-C', join(folder, 'served/acme/app.git'), ...args], { encoding: 'utf8' }).trim();

before(async () => {
  internet = await startInternet();
  folder = await mkdtemp(join(tmpdir(), 'push-'));
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', join(folder, 'served/acme/app.git')]);
  const serve = gitServer(join(folder, 'served'));
  await internet.serveHttps('git.home', (request, response) => {
    authorizations.push(request.headers.authorization ?? '');
    encodings.add(request.headers['content-encoding'] ?? '').add(request.headers['transfer-encoding'] ?? '');
    serve(request, response);
  });
  execFileSync('git', ['-C', join(folder, 'served/acme/app.git'), 'config', 'http.receivepack', 'true']);
  const seed = join(folder, 'seed');
  execFileSync('git', ['init', '-q', '-b', 'main', seed]);
  const own = ['-C', seed, '-c', 'user.name=Seed', '-c', 'user.email=seed@hamlet'];
  execFileSync('git', [...own, 'commit', '-q', '--allow-empty', '-m', 'first']);
  execFileSync('git', ['-C', seed, 'push', '-q', join(folder, 'served/acme/app.git'), 'main']);
  broker = await TestBroker.start(internet);
});
after(async () => {
  broker.close();
  internet.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  work = await mkdtemp(join(folder, 'work-'));
  const paths = ['/acme/app.git/**', '/acme/app/**'];
  broker.village.addAgent('ada', { allow: [{ host: 'git.home', methods: ['GET', 'POST'], paths, secret: 'git' }] });
  broker.village.stop('uid-ada');
  broker.village.secrets.set('git', 's3cr3t');
  broker.village.answer = 'allowed';
  broker.village.permissions.length = 0;
  broker.village.attempts.length = 0;
  authorizations.length = 0;
  internet.dialled.length = 0;
  for (const ref of onServer('for-each-ref', '--format=%(refname)', 'refs/heads/hamlet').split('\n'))
    if (ref !== '') onServer('update-ref', '-d', ref);
});

async function clone(): Promise<string> {
  const ran = await git(work, 'clone', '-q', URL_OF, 'app');
  assert.equal(ran.code, 0, ran.out);
  return join(work, 'app');
}

async function commit(app: string, bytes = 10): Promise<string> {
  await writeFile(join(app, 'file'), Buffer.from(Array.from({ length: bytes }, () => Math.random() * 256)));
  await git(app, 'add', '-A');
  assert.equal((await git(app, 'commit', '-q', '-m', 'change')).code, 0);
  return (await git(app, 'rev-parse', 'HEAD')).out.trim();
}

test('git clones through the endpoint with credentials that only the broker has', async () => {
  await clone();
  const wanted = `Basic ${Buffer.from('x-access-token:s3cr3t').toString('base64')}`;
  assert.ok(authorizations.length > 0 && authorizations.every((one) => one === wanted));
  assert.deepEqual(
    broker.village.attempts.map(
      ({ run, call, method, path }) => `${String(run)} ${String(call)} ${String(method)} ${String(path)}`,
    ),
    [
      `${RUN} call-1 GET /acme/app.git/info/refs`,
      `${RUN} call-1 POST /acme/app.git/git-upload-pack`,
      ...broker.village.attempts.slice(2).map(() => `${RUN} call-1 POST /acme/app.git/git-upload-pack`),
    ],
  );
});

test("a push to the agent's own branch waits for a permission that names the pushed commits", async () => {
  const app = await clone();
  const id = await commit(app);
  const ran = await git(app, 'push', 'origin', `HEAD:${OWN}`);
  assert.equal(ran.code, 0, ran.out);
  assert.equal(onServer('rev-parse', OWN), id);
  const [ask] = broker.village.permissions;
  assert.equal(broker.village.permissions.length, 1);
  assert.equal(ask?.summary, `push to git.home/acme/app.git: new ${OWN} at ${id.slice(0, 7)}`);
  assert.deepEqual([ask?.kind, ask?.run, ask?.call, ask?.admission.agent], ['push', RUN, 'call-1', 'ada']);
});

test('a large push, which git sends in chunks after a probe, goes out whole', async () => {
  const app = await clone();
  const id = await commit(app, 3_000_000);
  const ran = await git(app, 'push', 'origin', `HEAD:${OWN}`);
  assert.equal(ran.code, 0, ran.out);
  assert.equal(onServer('rev-parse', OWN), id);
  assert.equal(broker.village.permissions.length, 1);
});

test('a push outside of the own branches asks an admin, and a refusal says where the agent may push', async () => {
  const app = await clone();
  broker.village.answer = deny('egress_person_denied', 'a person denied this write');
  await commit(app);
  const main = onServer('rev-parse', 'main');
  for (const refspec of ['HEAD:main', '+HEAD:main', 'HEAD:refs/tags/v1', 'HEAD:refs/heads/hamlet/adamant/x', ':main']) {
    const ran = await git(app, 'push', 'origin', refspec);
    assert.equal(ran.code, 1, ran.out);
    assert.match(ran.out, /remote rejected.*egress_person_denied: .*the agent ada may push to branches below/, refspec);
  }
  const mixed = await git(app, 'push', 'origin', `HEAD:${OWN}`, 'HEAD:main');
  assert.equal(mixed.code, 1);
  assert.equal(onServer('rev-parse', 'main'), main);
  assert.equal(onServer('for-each-ref', 'refs/heads/hamlet', 'refs/tags'), '');
  assert.deepEqual([...new Set(broker.village.permissions.map(({ kind }) => kind))], ['push_elsewhere']);
  assert.equal(broker.village.permissions[0]?.changes[0]?.includes('refs/heads/main'), true);
  broker.village.answer = 'allowed';
  const ran = await git(app, 'push', 'origin', 'HEAD:refs/tags/v1');
  assert.equal(ran.code, 0, ran.out);
  assert.equal(onServer('for-each-ref', '--format=%(refname)', 'refs/tags'), 'refs/tags/v1');
  onServer('update-ref', '-d', 'refs/tags/v1');
});

test('a push that a person refuses does not go out, and git shows why', async () => {
  const app = await clone();
  await commit(app);
  broker.village.answer = deny('egress_denied', 'a person refused this push');
  const ran = await git(app, 'push', 'origin', `HEAD:${OWN}`);
  assert.match(ran.out, /remote rejected.*egress_denied: a person refused this push/);
  assert.equal(onServer('for-each-ref', 'refs/heads/hamlet'), '');
});

test('a program that gives up before the answer pushes nothing', async () => {
  broker.village.answer = null;
  const body = pushOf(OWN);
  const asked = broker
    .plain(URL_OF + '/git-receive-pack', { method: 'POST', headers: TYPED, body: body.toString('latin1') })
    .catch(() => null);
  while (broker.village.permissions.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  broker.village.stop('uid-ada');
  assert.equal(await asked, null);
  while (broker.open > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(
    broker.village.attempts.map(({ refused }) => refused),
    ['egress_write_withdrawn'],
  );
});

const TYPED = { 'content-type': 'application/x-git-receive-pack-request' };
const pushOf = (ref: string): Buffer =>
  Buffer.concat([pktLine(`${'0'.repeat(40)} ${'b'.repeat(40)} ${ref}\0report-status`), PKT_FLUSH]);

test('pushes by other programs are judged like those of git, and a request that only partly looks like a push is refused', async () => {
  const body = pushOf('refs/heads/main').toString();
  // Node sends no Content-Length for the body of a DELETE unless it is set.
  const framed = { ...TYPED, 'content-length': String(body.length) };
  const code = async (path: string, asked: object): Promise<unknown> =>
    (
      await broker.inspected(`https://git.home/acme/app.git${path}`, {
        method: 'POST',
        body,
        headers: framed,
        ...asked,
      })
    ).headers['hamlet-egress-code'];
  broker.village.addAgent('ada', { allow: [{ host: 'git.home', paths: ['/**'] }] });
  broker.village.stop('uid-ada');
  broker.village.answer = deny('egress_person_denied', 'a person denied this write');
  assert.equal(await code('/git-receive-pack', {}), 'egress_person_denied');
  assert.equal(broker.village.permissions[0]?.kind, 'push_elsewhere');
  for (const path of ['/git-receive-pack/', '/GIT-receive-pack', '/git-receive-pack?x', '/merge'])
    assert.equal(await code(path, {}), 'egress_push_unclear', path);
  assert.equal(await code('/git-receive%2Dpack', {}), 'egress_path_unclear');
  assert.equal(await code('/x', { method: 'DELETE' }), 'egress_push_unclear');
  assert.equal(await code('/git-receive-pack', { headers: {} }), 'egress_push_unclear');
  for (const [headers, sent] of [
    [{ ...TYPED, 'content-encoding': 'gzip' }, 'x'],
    [TYPED, 'GET / HTTP/1.1'],
    [TYPED, '0100'],
  ] as const) {
    const unclear = await broker.plain(`${URL_OF}/git-receive-pack`, { method: 'POST', headers, body: sent });
    assert.deepEqual([unclear.status, unclear.headers['hamlet-egress-code']], [400, 'egress_push_unclear']);
  }
  assert.deepEqual(internet.dialled, []);
});

test("the broker itself answers git's probe, so a disguised request cannot leave", async () => {
  const probe = { method: 'POST', headers: { ...TYPED, 'content-length': '4' }, body: '0000' };
  const answer = await broker.plain(`${URL_OF}/git-receive-pack`, probe);
  assert.deepEqual(
    [answer.status, answer.headers['content-type'], answer.body],
    [200, 'application/x-git-receive-pack-result', ''],
  );
  const other = await broker.plain(`${URL_OF}/git-receive-pack`, { ...probe, body: '0001' });
  assert.equal(other.headers['hamlet-egress-code'], 'egress_push_unclear');
  for (const method of ['DELETE', 'PUT', 'POST'])
    for (const headers of [probe.headers, { ...probe.headers, connection: 'content-type' }]) {
      const refused = await broker.inspected('https://git.home/acme/app.git/merge', { ...probe, method, headers });
      assert.ok(refused.status >= 400, `${method} ${String(refused.status)}`);
    }
  assert.deepEqual([internet.dialled, broker.village.permissions], [[], []]);
});

test('a person sees the options of a push, and other options need another permission', async () => {
  const paths = ['/acme/app.git/**'];
  const pushOptions = ['ci.skip', 'merge_request.create'];
  broker.village.addAgent('ada', { allow: [{ host: 'git.home', methods: ['GET', 'POST'], paths, pushOptions }] });
  broker.village.stop('uid-ada');
  onServer('config', 'receive.advertisePushOptions', 'true');
  const app = await clone();
  await commit(app);
  const other = await git(app, 'push', '-o', 'repo.private=false', 'origin', `HEAD:${OWN}`);
  assert.match(other.out, /remote rejected.*egress_push_option: .*"repo.private=false"/);
  assert.equal(broker.village.permissions.length, 0);
  const ran = await git(app, 'push', '-o', 'ci.skip', 'origin', `HEAD:${OWN}`);
  assert.equal(ran.code, 0, ran.out);
  assert.deepEqual(broker.village.permissions.at(-1)?.details, ['push option ci.skip']);
  await git(app, 'push', '-o', 'merge_request.create', 'origin', `HEAD:${OWN}2`);
  const [first, second] = broker.village.permissions;
  assert.notEqual(first?.sha256, second?.sha256);
});

const FETCHED = { 'content-type': 'application/x-git-upload-pack-request' };

test('a POST that is more than a fetch does not leave with the secret of a read-only rule', async () => {
  broker.village.addAgent('ada', { allow: [{ host: 'git.home', methods: ['GET'], secret: 'git' }] });
  broker.village.stop('uid-ada');
  const fetch = Buffer.concat([pktLine('command=ls-refs'), Buffer.from('0001'), PKT_FLUSH]);
  const send = async (body: Buffer, headers = {}): Promise<unknown> => {
    const asked = { method: 'POST', headers: { ...FETCHED, ...headers }, body: body.toString('latin1') };
    const { headers: answer } = await broker.plain(`${URL_OF}/git-upload-pack`, asked);
    return answer['hamlet-egress-code'];
  };
  for (const body of [
    '0012command=fetch\n{"delete":"everything"}',
    `${fetch.toString()}{"delete":"everything"}`,
    '0012command=fetch\n0001001adelete=everything0000',
  ])
    assert.equal(await send(Buffer.from(body)), 'egress_git_refused', body);
  assert.deepEqual([internet.dialled, authorizations], [[], []]);
  assert.equal(await send(fetch), undefined);
  assert.equal(authorizations.length, 1);
});

test('all protocols of git fetch: whole, shallow, filtered, compressed and in chunks', async () => {
  const served = join(folder, 'served/acme/app.git');
  for (const name of ['uploadpack.allowFilter', 'uploadpack.advertiseBundleURIs']) onServer('config', name, 'true');
  for (const version of ['0', '1', '2']) {
    const protocol = ['-c', `protocol.version=${version}`, '-c', 'http.postBuffer=70000'];
    const app = join(work, `app-${version}`);
    const ran = async (...args: string[]): Promise<void> => {
      const { code, out } = await git(work, ...protocol, ...args);
      assert.equal(code, 0, `protocol ${version}, ${args.join(' ')}: ${out}`);
    };
    await ran('-c', 'transfer.bundleURI=true', 'clone', '-q', URL_OF, app);
    await ran('clone', '-q', '--depth=1', URL_OF, `${app}-shallow`);
    await ran('-C', `${app}-shallow`, 'fetch', '-q', '--unshallow');
    await ran('clone', '-q', '--filter=blob:none', '--shallow-since=2001-01-01', URL_OF, `${app}-filtered`);
    await ran('ls-remote', URL_OF, 'main', 'refs/heads/*');
    // Thousands of commits that the server lacks make the next fetch long.
    const lines = Array.from({ length: 4_000 }, (_, at) => commitOf(`${version}-${at}`));
    execFileSync('git', ['-C', app, 'fast-import', '--quiet'], { input: lines.join('') });
    const seed = join(folder, 'seed');
    const own = ['-C', seed, '-c', 'user.name=Seed', '-c', 'user.email=seed@hamlet'];
    execFileSync('git', [...own, 'commit', '-q', '--allow-empty', '-m', `for ${version}`]);
    execFileSync('git', ['-C', seed, 'push', '-q', served, 'main']);
    await ran('-C', app, 'fetch', '-q', 'origin');
    const id = onServer('rev-parse', 'main');
    assert.equal(execFileSync('git', ['-C', app, 'rev-parse', 'origin/main'], { encoding: 'utf8' }).trim(), id);
  }
  assert.deepEqual([...encodings].toSorted(), ['', 'chunked', 'gzip']);
});

test('the record of a fetch says if it asks for pull requests', async () => {
  onServer('update-ref', 'refs/pull/7/head', 'main');
  const app = await clone();
  const marked = (): boolean => broker.village.attempts.some(({ proposals }) => proposals === true);
  assert.equal((await git(app, 'fetch', 'origin', 'main')).code, 0);
  assert.equal(marked(), false);
  assert.equal((await git(app, 'fetch', 'origin', 'pull/7/head')).code, 0);
  assert.equal(marked(), true);
});

/** One empty commit of a branch, for `git fast-import`. */
const commitOf = (name: string): string =>
  `commit refs/heads/long\ncommitter A <a@hamlet> 4102444800 +0000\ndata ${name.length}\n${name}\n\n`;

test('a read-only rule lets git fetch but not push; other git requests are refused', async () => {
  broker.village.addAgent('ada', { allow: [{ host: 'git.home', methods: ['GET'] }] });
  broker.village.stop('uid-ada');
  const app = await clone();
  await commit(app);
  const ran = await git(app, 'push', 'origin', `HEAD:${OWN}`);
  assert.match(ran.out, /egress_not_allowed: no rule of this agent allows POST \/acme\/app.git\/git-receive-pack/);
  const dumb = await broker.plain(`${URL_OF}/objects/info/packs`);
  assert.deepEqual([dumb.status, dumb.headers['hamlet-egress-code']], [403, 'egress_git_refused']);
  const other = await git(work, 'clone', 'http://127.0.0.1:3128/git/other.home/x.git', 'other');
  assert.match(other.out, /egress_not_allowed: no rule of this agent allows GET/);
});
