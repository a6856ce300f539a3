/** Repositories in the workspace, cloned at the first use by real git under a real supervisor. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { untilEnd } from '@hamlet/test/env/at-end';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import type { BookedRun } from '../../engine/run-book.ts';
import { withGivenFiles } from '../files/given-files.ts';
import { connectHands } from '../hands-client.ts';
import { readIn, readInHands, readWorkTree } from './read-work-tree.ts';
import { createWorkTrees, foldersOf, type Repository, type WorkTrees } from './work-trees.ts';

const hands = untilEnd(await startHands());
const client = untilEnd(await connectHands(hands.socket));
const servers = join(hands.workspace, '../servers');
const REWRITE = `url.file://${servers}/.insteadOf=https://git.example.org/`;
const ofRun = new Map<string, Repository>();
let calls = 0;

const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=P', '-c', 'user.email=p@p.org', '-c', REWRITE, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  }).toString();

/** A repository with one commit on main that contains its name. */
function server(path: string): void {
  const folder = join(servers, path);
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '-q', '-b', 'main');
  writeFileSync(join(folder, 'name'), path);
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', path);
}

const urlOf = (path: string): string => `https://git.example.org/${path}.git`;
const newTrees = (): WorkTrees =>
  createWorkTrees({
    workspace: hands.workspace,
    locks: join(hands.workspace, '../locks'),
    environmentOf: () => ({
      GIT_CONFIG_COUNT: '3',
      GIT_CONFIG_KEY_0: `url.file://${servers}/.insteadOf`,
      GIT_CONFIG_VALUE_0: 'https://git.example.org/',
      GIT_CONFIG_KEY_1: 'safe.directory',
      GIT_CONFIG_VALUE_1: '*',
      GIT_CONFIG_KEY_2: 'protocol.file.allow',
      GIT_CONFIG_VALUE_2: 'always',
      GIT_TERMINAL_PROMPT: '0',
    }),
    repositoryOf: (run) => ofRun.get(run) ?? null,
  });

const trees = newTrees();
for (const path of ['a/project', 'b/project', 'bare']) server(path);

function use(run: string, path: string | null, { branch = 'main', by = trees } = {}) {
  if (path !== null) ofRun.set(run, { url: `${urlOf(path).replace(/\.git$/, '')}`, branch });
  const { signal } = new AbortController();
  return by.of(client, { run, call: `1.${(calls += 1)}` }, signal);
}
const nameIn = (folder: string): string => readFileSync(join(folder, 'name'), 'utf8');

test('a repository is cloned at the first use, and reused by other runs and a later process', async () => {
  const first = await use('r1', 'a/project');
  assert.equal(first.folder, join(hands.workspace, 'project'));
  assert.match(first.note, /^Your repository https:.*a\/project is in .*\/project\.$/);
  assert.equal(nameIn(first.folder), 'a/project');
  writeFileSync(join(first.folder, 'mine'), 'kept');
  assert.deepEqual(await use('r2', 'a/project'), { folder: first.folder, note: '' });
  assert.equal((await use('r3', 'a/project', { by: newTrees() })).folder, first.folder);
  assert.ok(existsSync(join(first.folder, 'mine')));
});

test('two repositories with the same name have two work trees; the first stays unchanged', async () => {
  await use('r1', 'a/project');
  const second = await use('r4', 'b/project');
  assert.match(second.folder, /\/project-[0-9a-f]{8}$/);
  assert.deepEqual([nameIn(second.folder), nameIn(join(hands.workspace, 'project'))], ['b/project', 'a/project']);
  const [one, other] = foldersOf({ url: urlOf('a/project') });
  assert.notEqual(one, other);
});

test('two runs that start together share one clone', async () => {
  const both = await Promise.all([use('r5', 'bare'), use('r6', 'bare')]);
  assert.deepEqual(new Set(both.map(({ folder }) => folder)).size, 1);
  assert.deepEqual(
    readdirSync(hands.workspace).filter((name) => name.startsWith('.clone')),
    [],
  );
});

test('a branch that the server lacks is created; a failed clone is reported once in each run', async () => {
  rmSync(join(hands.workspace, 'bare'), { recursive: true });
  const { folder, note } = await use('r7', 'bare', { branch: 'new/idea' });
  assert.match(note, /It has no branch new\/idea/);
  assert.equal(git(folder, 'branch', '--show-current'), 'new/idea\n');
  git(servers, 'init', '-q', '--bare', 'empty');
  const empty = await use('r11', 'empty');
  assert.equal(git(empty.folder, 'symbolic-ref', '--short', 'HEAD'), 'main\n');
  const missing = await use('r8', 'nowhere/at-all');
  assert.equal(missing.folder, hands.workspace);
  assert.match(missing.note, /could not be cloned: [^]*(does not exist|not appear)/);
  assert.deepEqual(await use('r8', 'nowhere/at-all'), { folder: hands.workspace, note: '' });
  assert.match((await use('r9', 'nowhere/at-all')).note, /could not be cloned/);
});

test('submodules are filled; one that git cannot reach is named with the cause', async () => {
  for (const path of ['s/stones', 's/water']) server(path);
  server('s/mill');
  const mill = join(servers, 's/mill');
  const allowed = ['-c', 'protocol.file.allow=always'];
  for (const part of ['stones', 'water'])
    git(mill, ...allowed, 'submodule', '--quiet', 'add', `https://git.example.org/s/${part}`, part);
  git(mill, 'commit', '-qm', 'parts');
  rmSync(join(servers, 's/water'), { recursive: true });
  const { folder, note } = await use('r20', 's/mill');
  assert.equal(nameIn(join(folder, 'stones')), 's/stones');
  assert.match(note, /These submodules are empty, because git could not fill them: water\. Cause of the last: \S/);
  assert.deepEqual(await use('r21', 's/mill'), { folder, note: '' });
});

test('a run without a repository works in the workspace; a work tree that was removed is cloned again', async () => {
  assert.deepEqual(await use('r10', null), { folder: hands.workspace, note: '' });
  const { folder } = await use('r1', 'a/project');
  rmSync(folder, { recursive: true });
  assert.equal(nameIn((await use('r1', 'a/project')).folder), 'a/project');
});

test('the first use by a run writes the files of its message; a file that is there already stays', async () => {
  const files = ['one', 'two', 'lost'].map((name) => ({ path: `given/0a/${name}.txt`, sha256: name }));
  const asked: string[] = [];
  const runFile = async (_run: string, _cycle: number, sha256: string) => {
    asked.push(sha256);
    return sha256 === 'lost'
      ? ({ kind: 'refused', code: 'no_such_artifact', detail: '' } as const)
      : ({ kind: 'ok', value: Buffer.from(`${sha256}\n`).toString('base64') } as const);
  };
  const book = { find: (runId: string) => ({ runId, files, lease: { cycle: 1, attempt: 1 } }) as unknown as BookedRun };
  const ports = { work: { runFile }, book, workspace: hands.workspace, rest: async () => {}, random: () => 0 };
  const by = withGivenFiles(trees, ports);
  const read = (name: string) => readFileSync(join(hands.workspace, `given/0a/${name}.txt`), 'utf8');
  const first = await use('r30', null, { by });
  assert.equal(first.note, 'The file given/0a/lost.txt of the message could not be written: no_such_artifact.');
  assert.deepEqual([read('one'), read('two')], ['one\n', 'two\n']);
  writeFileSync(join(hands.workspace, 'given/0a/one.txt'), 'changed');
  assert.equal((await use('r30', null, { by })).note, '');
  assert.equal(asked.length, 3, 'a run asks once');
  await use('r31', null, { by });
  assert.equal(read('one'), 'changed');
});

test("repository and branch are the work tree's current ones, even from another container", async () => {
  const repository = { url: urlOf('a/project').replace(/\.git$/, ''), branch: 'main' };
  const { folder } = await use('r1', 'a/project');
  for (const read of [readInHands(hands.socket, hands.workspace), readIn(hands.workspace)]) {
    assert.deepEqual(await readWorkTree(repository, read), { repo: repository.url, branch: 'main' });
    git(folder, 'checkout', '-qB', 'hot/fix');
    assert.deepEqual(await readWorkTree(repository, read), { repo: repository.url, branch: 'hot/fix' });
    git(folder, 'checkout', '-q', '--detach');
    assert.equal((await readWorkTree(repository, read)).branch, null);
    git(folder, 'checkout', '-q', 'main');
    const absent = { url: 'https://git.example.org/not/there', branch: 'main' };
    assert.deepEqual(await readWorkTree(absent, read), { repo: absent.url, branch: 'main' });
    assert.deepEqual(await readWorkTree(null, read), { repo: null, branch: null });
  }
});
