/**
 * The tool `git` with real git under a real supervisor: refusals, checkpoints and their undo, and rebasing work onto the commits
 * of others.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { untilEnd } from '@hamlet/test/env/at-end';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import { toolCalls } from '../../testing/tool-calls.ts';
import { type HandsEnd } from '../hands-tool.ts';
import { authorEnvironment } from '../package-environment.ts';
import { createRefusals } from '../refusals.ts';
import { NO_CALL_LOG, aHandsKit } from '../../testing/a-hands-kit.ts';

const hands = untilEnd(await startHands());
let calls = 0;
let ended: HandsEnd | null = null;
/** The agent's work tree, the server's repository, and another person's work tree. */
let [tree, server, other] = ['', '', ''];

const PEER = ['-c', 'user.name=Peer', '-c', 'user.email=peer@example.org', '-c', 'commit.gpgsign=false'];
const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', [...PEER, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] }).toString();

/** Commits a file in the other person's work tree, and pushes it. */
function peerPushes(file: string, text: string): void {
  writeFileSync(join(other, file), text);
  git(other, 'add', '-A');
  git(other, 'commit', '-qm', `peer: ${file}`);
  git(other, 'push', '-q', 'origin', 'HEAD:main');
}

beforeEach(() => {
  const folder = join(hands.workspace, `t${(calls += 1)}`);
  [tree, server, other] = [join(folder, 'tree'), join(folder, 'server.git'), join(folder, 'other')];
  mkdirSync(folder);
  git(folder, 'init', '-q', '--bare', '-b', 'main', server);
  git(folder, 'clone', '-q', server, other);
  git(other, 'checkout', '-qb', 'main');
  peerPushes('bread', 'flour\n');
  git(folder, 'clone', '-q', server, tree);
});

const refusals = createRefusals();
const kit = aHandsKit(hands, {
  refusals,
  environmentOf: () => authorEnvironment({ name: 'Ada (Harvest)', email: 'ada@example.org' }),
  calls: { ...NO_CALL_LOG, end: async (_context, end) => ((ended = end), null) },
  search: null,
  outsideAgents: [],
});
const { use: useGit, textOf: textOfGit } = toolCalls(() => kit);
const inputOf = (action: string, args: string[] = [], message?: string) => ({
  action,
  args,
  folder: tree,
  ...(message !== undefined && { message }),
});
const use = (...input: Parameters<typeof inputOf>) => useGit('git', inputOf(...input));
const done = (...input: Parameters<typeof inputOf>) => textOfGit('git', inputOf(...input));
async function failedBy(action: string, ...args: string[]): Promise<{ readonly code: string; readonly text: string }> {
  const outcome = await use(action, args);
  assert.ok(outcome.kind === 'failed', JSON.stringify(outcome));
  return outcome;
}

const fileOf = (name: string): string => join(tree, name);
const textOf = (name: string): string | null => (existsSync(fileOf(name)) ? readFileSync(fileOf(name), 'utf8') : null);
const checkpointIn = (text: string): string => /Checkpoint before .*?: (checkpoint-\S+?)\./.exec(text)?.[1] ?? 'none';

test('pull, stash and a forced update of a shared branch are refused without running anything', async () => {
  assert.equal((await failedBy('pull')).code, 'git_pull_refused');
  assert.equal((await failedBy('stash')).code, 'git_stash_refused');
  const before = git(server, 'rev-parse', 'main');
  for (const args of [
    ['--force', 'origin', 'HEAD~0:main'],
    ['origin', '+HEAD:main'],
    ['--delete', 'origin', 'main'],
  ])
    assert.equal((await failedBy('push', ...args)).code, 'git_forced_update_refused');
  assert.equal(git(server, 'rev-parse', 'main'), before);
});

test('status, add, commit and log; the author is the configured one; a commit without a message is refused', async () => {
  writeFileSync(fileOf('cake'), 'sugar\n');
  assert.match(await done('status', ['--short']), /\?\? cake/);
  await done('add', ['-A']);
  assert.equal((await failedBy('commit')).code, 'git_message_missing');
  await done('commit', [], "feat: it's a cake");
  assert.match(
    await done('log', ['-1', '--format=%an <%ae> %s']),
    /Ada \(Harvest\) <ada@example.org> feat: it's a cake/,
  );
  assert.deepEqual([ended?.report.exit, ended?.report.command], [0, "git log -1 '--format=%an <%ae> %s'"]);
});

test('a merge makes a checkpoint first, and undo restores files, branch and uncommitted changes', async () => {
  peerPushes('bread', 'rye\n');
  await done('fetch');
  writeFileSync(fileOf('draft'), 'not committed\n');
  const tip = git(tree, 'rev-parse', 'HEAD');
  const text = await done('merge', ['origin/main']);
  const checkpoint = checkpointIn(text);
  assert.match(text, /undo with args/);
  assert.equal(textOf('bread'), 'rye\n');
  rmSync(fileOf('draft'));
  await done('undo', [checkpoint]);
  assert.deepEqual(
    [textOf('bread'), textOf('draft'), git(tree, 'rev-parse', 'HEAD')],
    ['flour\n', 'not committed\n', tip],
  );
  assert.match(git(tree, 'status', '--short', '--branch'), /^## main\.\.\..*\n\?\? draft\n$/);
  const again = checkpointIn(git(tree, 'log', '-1', '--format=%s', checkpoint));
  assert.equal(again, 'none', 'a checkpoint is one commit');
});

test('undo reverts a reset that lost commits and changes, and leaves a stopped rebase', async () => {
  writeFileSync(fileOf('bread'), 'spelt\n');
  git(tree, 'commit', '-qam', 'mine');
  writeFileSync(fileOf('bread'), 'spelt and salt\n');
  const checkpoint = checkpointIn(await done('reset', ['--hard', 'HEAD~1']));
  assert.equal(textOf('bread'), 'flour\n');
  await done('undo', [checkpoint]);
  assert.deepEqual([textOf('bread'), git(tree, 'log', '-1', '--format=%s')], ['spelt and salt\n', 'mine\n']);
  git(tree, 'commit', '-qam', 'salt');
  peerPushes('bread', 'rye\n');
  await done('fetch');
  const { code, text } = await failedBy('rebase', 'origin/main');
  assert.deepEqual([code, /CONFLICT/.test(text)], ['git_failed', true]);
  await done('undo', [checkpointIn(text)]);
  assert.equal(existsSync(join(tree, '.git/rebase-merge')), false);
  assert.equal(textOf('bread'), 'spelt and salt\n');
});

test('checkout makes a checkpoint only if there are changes; deleting a branch always makes one', async () => {
  await done('branch', ['idea']);
  assert.equal(checkpointIn(await done('checkout', ['idea'])), 'none');
  writeFileSync(fileOf('bread'), 'maybe\n');
  assert.notEqual(checkpointIn(await done('checkout', ['--force', 'main'])), 'none');
  assert.equal(textOf('bread'), 'flour\n');
  git(tree, 'commit', '-q', '--allow-empty', '-m', 'only here');
  git(tree, 'branch', '-f', 'idea', 'HEAD');
  const kept = checkpointIn(await done('branch', ['-D', 'idea']));
  assert.equal(git(tree, 'log', '-1', '--format=%s', kept), 'only here\n');
});

test('sync rebases work onto the commits of others after a snapshot and a fetch; then it is squashed', async () => {
  peerPushes('rolls', 'round\n');
  writeFileSync(fileOf('cake'), 'sugar\n');
  const text = await done('carry_forward', ['main']);
  assert.notEqual(checkpointIn(text), 'none');
  assert.deepEqual([textOf('rolls'), textOf('cake')], ['round\n', 'sugar\n']);
  await done('squash', ['main'], 'feat: cake');
  assert.equal(git(tree, 'log', '--format=%s', 'origin/main..HEAD'), 'feat: cake\n');
  peerPushes('tart', 'apple\n');
  await done('fetch');
  assert.match((await failedBy('squash', 'main')).code, /git_message_missing/);
  const outcome = await use('squash', ['main'], 'x');
  assert.match(outcome.kind === 'failed' ? outcome.text : '', /use carry_forward first/);
});

test('a conflict leaves the snapshot and no unfinished rebase', async () => {
  peerPushes('bread', 'rye\n');
  writeFileSync(fileOf('bread'), 'spelt\n');
  const { code, text } = await failedBy('carry_forward');
  assert.deepEqual([code, /bread/.test(text), /the rebase was undone/.test(text)], ['git_failed', true, true]);
  assert.deepEqual(
    [textOf('bread'), git(tree, 'log', '-1', '--format=%s')],
    ['spelt\n', 'wip: snapshot before sync\n'],
  );
});

test("a push goes to the agent's own branch, even with force; the caller must name any other branch", async () => {
  await done('checkout', ['-b', 'fix/oven']);
  writeFileSync(fileOf('oven'), 'hot\n');
  git(tree, 'add', '-A');
  await done('commit', [], 'fix: oven');
  await done('push');
  assert.equal(git(server, 'log', '-1', '--format=%s', 'hamlet/ada/fix/oven'), 'fix: oven\n');
  await done('commit', ['--amend'], 'fix: the oven');
  assert.equal((await failedBy('push')).code, 'git_failed');
  await done('push', ['--force']);
  assert.equal(git(server, 'log', '-1', '--format=%s', 'hamlet/ada/fix/oven'), 'fix: the oven\n');
});

test('a refused push says so, with the words of the server or the rule of the broker', async () => {
  await done('checkout', ['-b', 'fix/oven']);
  writeFileSync(fileOf('oven'), 'hot\n');
  await done('add', ['-A']);
  await done('commit', [], 'fix: oven');
  writeFileSync(join(server, 'hooks/pre-receive'), '#!/bin/sh\necho "no ovens here" >&2\nexit 1\n', { mode: 0o755 });
  const byServer = await failedBy('push');
  assert.equal(byServer.code, 'push_refused');
  assert.match(
    byServer.text,
    /^The push was refused, and nothing was pushed: pre-receive hook declined\n[^]*no ovens here/,
  );
  rmSync(server, { recursive: true });
  const rule = 'egress_push_ref: push to hamlet/ada/BRANCH';
  refusals.note('r1/9.9', 'github.com', { code: 'egress_push_ref', phrase: rule });
  const byBroker = await useGit('git', inputOf('push'), { call: '9.9' });
  assert.ok(byBroker.kind === 'failed', JSON.stringify(byBroker));
  assert.deepEqual([byBroker.code, byBroker.text.includes(rule)], ['push_refused', true]);
  assert.deepEqual(ended?.report.refused, [rule]);
});

test('a repository can be made and cloned, beside that of the run', async () => {
  const made = { action: 'init', args: ['-b', 'main', `made-${calls}`] };
  assert.match(await textOfGit('git', made), new RegExp(`made-${calls}`));
  await textOfGit('git', { action: 'clone', args: [server, `copy-${calls}`] });
  assert.equal(readFileSync(join(hands.workspace, `copy-${calls}/bread`), 'utf8'), 'flour\n');
  assert.match(await done('remote', ['-v']), /origin\s.*server\.git \(push\)/);
});

test('git works in a folder without a work tree, before the first commit, and with unusual names', async () => {
  const empty = join(tree, '../empty');
  mkdirSync(empty);
  [tree] = [empty];
  git(empty, 'init', '-q', '-b', "it's/odd");
  assert.match((await failedBy('checkpoint')).text, /no commit yet/);
  writeFileSync(fileOf("a'b $x"), '1\n');
  writeFileSync(fileOf('Mühle 😀.txt'), '1\n');
  assert.match(await done('status', ['--short']), /\?\? "?Mühle 😀\.txt"?\n/);
  await done('add', ['-A']);
  await done('commit', [], 'first');
  const names = [checkpointIn(await done('checkpoint')), checkpointIn(await done('checkpoint'))];
  assert.equal(new Set(names).size, 2);
  assert.match(names[0] ?? '', /^checkpoint-it's-odd-\d+/);
  assert.match((await failedBy('undo', 'nothing')).text, /There is no branch nothing/);
});

test('a folder outside the workspace is refused, as an absolute and as a relative path', async () => {
  for (const folder of ['/etc', '../elsewhere', `${hands.workspace}/../elsewhere`]) {
    tree = folder;
    const outcome = await use('status');
    assert.equal(outcome.kind === 'failed' && outcome.code, 'outside', JSON.stringify(outcome));
  }
});
