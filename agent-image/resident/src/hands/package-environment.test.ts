/** git, pip, npm and go read their variables, and request the endpoints of the broker through the proxy. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { listenOnLoopback } from '@hamlet/test/env/net/loopback';
import { testFolder } from '@hamlet/test/env/at-end';
import { authorEnvironment, authorOf, packageEnvironment, withRealAddresses } from './package-environment.ts';

const village = { agentId: 'ada', suffix: '(Harvest)' };
const author = authorOf(null, village);
const asked: string[] = [];
const users: (string | undefined)[] = [];
const proxy = createServer((request, response) => {
  asked.push(String(request.url));
  users.push(request.headers['proxy-authorization']);
  response.writeHead(403).end();
});
const folder = testFolder('package-environment');
execFileSync('git', ['init', '-q', folder]);
execFileSync('git', ['-C', folder, 'config', 'user.name', 'Somebody Else']);
const port = await listenOnLoopback(proxy);
after(() => {
  proxy.close();
  proxy.closeAllConnections();
});

/** Runs a program as the hands do, and returns its output for any exit code. */
function run(env: Record<string, string>, file: string, ...args: string[]): Promise<string> {
  const http = `http://127.0.0.1:${String(port)}`;
  const all = { PATH: process.env['PATH'] ?? '', HOME: folder, http_proxy: http, HTTP_PROXY: http, ...env };
  return new Promise((resolve) => {
    execFile(file, args, { cwd: folder, env: all, timeout: 60_000 }, (_error, out, errors) =>
      resolve(`${out}${errors}`),
    );
  });
}

test('the author of commits ends in (Harvest), even in a repository that configures another author', async () => {
  for (const env of [authorEnvironment(author), packageEnvironment(author)]) {
    assert.equal(await run(env, 'git', 'config', 'user.name'), 'ada (Harvest)\n');
    assert.equal(await run(env, 'git', 'config', 'user.email'), 'ada@agents.hamlet.invalid\n');
  }
  const mia = { name: 'Mia', email: 'mia@example.org' };
  const person = authorEnvironment(authorOf(mia, village));
  assert.equal(await run(person, 'git', 'config', 'user.name'), 'Mia (Harvest)\n');
  assert.equal(await run(person, 'git', 'config', 'user.email'), 'mia@example.org\n');
  assert.equal(authorOf(null, { agentId: 'ada', suffix: 'of <the>\nvillage' }).name, 'ada of thevillage');
  assert.equal(authorOf(mia, { ...village, suffix: '' }).name, 'Mia');
  const long = authorOf({ ...mia, name: 'M'.repeat(900) }, village).name;
  assert.ok(long.length <= 200 && long.endsWith('(Harvest)'), long);
});

test('a repository that a clone brings cannot make git status start a program', async () => {
  const [docs, ran] = [join(folder, 'clone/docs'), join(folder, 'ran')];
  const bare = ['-c', 'safe.bareRepository=all', `--git-dir=${docs}`];
  execFileSync('git', ['init', '-q', '--bare', docs]);
  for (const [key, value] of [
    ['core.bare', 'false'],
    ['core.worktree', folder],
    ['core.fsmonitor', `touch ${ran} #`],
  ] as const)
    execFileSync('git', [...bare, 'config', key, value]);
  const starts = async (env: Record<string, string>, ...options: string[]): Promise<boolean> => {
    rmSync(ran, { force: true });
    await run(env, 'git', ...options, 'status');
    return existsSync(ran);
  };
  assert.equal(await starts({}, '-C', docs), true);
  for (const env of [authorEnvironment(author), packageEnvironment(author)]) {
    assert.equal(await starts(env, '-C', docs), false);
    assert.equal(await starts(env, `--git-dir=${docs}`), false, 'nor if the command names it');
  }
});

test('the first request of git has run and call as its proxy user', async () => {
  users.length = 0;
  const http = { http_proxy: `http://run%2Fcall:x@127.0.0.1:${String(port)}` };
  await run({ ...packageEnvironment(author), ...http }, 'git', 'ls-remote', 'https://git.example.org/o/r.git');
  assert.equal(users[0], `Basic ${Buffer.from('run/call:x').toString('base64')}`);
  asked.length = 0;
});

test("git uses the broker's endpoint for HTTPS and SSH addresses", async () => {
  const env = packageEnvironment(author);
  for (const url of ['https://git.example.org/o/r.git', 'git@github.com:o/r.git', 'ssh://git@gitlab.com/o/r'])
    await run(env, 'git', 'ls-remote', url);
  const refs = 'info/refs?service=git-upload-pack';
  assert.deepEqual(asked.splice(0), [
    `http://hamlet/git/git.example.org/o/r.git/${refs}`,
    `http://hamlet/git/github.com/o/r.git/${refs}`,
    `http://hamlet/git/gitlab.com/o/r/${refs}`,
  ]);
});

test('the output of git has the real address of a repository', () => {
  const printed =
    "fatal: unable to access 'http://hamlet/git/github.com/acme/shop.git/'\norigin http://hamlet/git/codeberg.org/a/b";
  assert.equal(
    withRealAddresses(printed),
    "fatal: unable to access 'https://github.com/acme/shop.git/'\norigin https://codeberg.org/a/b",
  );
});

test("pip, npm and go use the broker's endpoints of their registries", async () => {
  const env = packageEnvironment(author);
  await run(env, 'python3', '-m', 'pip', 'download', 'toy');
  assert.ok(asked.includes('http://hamlet/pip/toy/'), asked.join('\n'));
  await run(env, 'npm', 'view', 'toy', '--fetch-retries', '0');
  assert.ok(asked.includes('http://hamlet/npm/toy'), asked.join('\n'));
  await run(
    { ...env, GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' },
    'go',
    'list',
    '-m',
    '-versions',
    'toys.example.org/top',
  );
  assert.ok(asked.includes('http://hamlet/go/toys.example.org/top/@v/list'), asked.join('\n'));
});
