import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gitCommand, refuseGit, riskOfGit, repositoryId, repositoryName } from './git-call.ts';

const codeOf = (action: Parameters<typeof refuseGit>[0]['action'], ...args: string[]) =>
  refuseGit({ action, args }, 'ada')?.code ?? null;

test('pull and stash are refused with an alternative', () => {
  assert.equal(codeOf('pull'), 'git_pull_refused');
  assert.match(refuseGit({ action: 'pull', args: [] }, 'ada')?.text ?? '', /carry_forward/);
  assert.equal(codeOf('stash', 'pop'), 'git_stash_refused');
});

test('a forced update in any form is refused, except for branches of the agent', () => {
  for (const args of [
    ['--force', 'origin', 'main'],
    ['-f', 'origin', 'main'],
    ['-uf', 'origin', 'HEAD:main'],
    ['--force-with-lease', 'origin', 'main'],
    ['--force-with-lease=main:abc', 'origin', 'main'],
    ['origin', '+main'],
    ['origin', '+HEAD:refs/heads/main'],
    ['origin', ':main'],
    ['--delete', 'origin', 'main'],
    ['-d', 'origin', 'hamlet/adam/x'],
    ['--mirror', 'origin'],
    ['--prune', 'origin', 'hamlet/ada/x'],
    ['-f', '--all', 'origin'],
    ['-f', 'origin', 'hamlet/ada/x', 'main'],
    ['-f', 'origin', 'hamlet/ada/x:main'],
  ])
    assert.equal(codeOf('push', ...args), 'git_forced_update_refused', args.join(' '));
  for (const args of [
    [],
    ['origin'],
    ['origin', 'main'],
    ['-u', 'origin', 'main'],
    ['-f'],
    ['-f', 'origin', 'HEAD:hamlet/ada/x'],
    ['-f', 'origin', 'HEAD:refs/heads/hamlet/ada/x'],
    ['--delete', 'origin', 'hamlet/ada/x'],
  ])
    assert.equal(codeOf('push', ...args), null, args.join(' '));
});

test('a commit needs a message', () => {
  assert.equal(codeOf('commit'), 'git_message_missing');
  assert.equal(codeOf('squash', 'main'), 'git_message_missing');
  assert.equal(codeOf('commit', '-m', 'x'), null);
  assert.equal(codeOf('commit', '--amend', '--no-edit'), null);
  assert.equal(refuseGit({ action: 'squash', args: ['main'], message: 'feat: x' }, 'ada'), null);
});

test('a call is judged as its equivalent shell command', () => {
  assert.equal(gitCommand({ action: 'status', args: ['--short'] }), 'git status --short');
  assert.equal(
    gitCommand({ action: 'commit', args: ['-a'], message: "it's $(x)" }),
    String.raw`git commit -a -m 'it'\''s $(x)'`,
  );
  assert.equal(gitCommand({ action: 'push', args: ['origin', 'a b'] }), "git push origin 'a b'");
  assert.equal(
    gitCommand({ action: 'carry_forward', args: ['main'] }),
    'git branch checkpoint && git add -A && git commit --no-verify && git fetch origin && git rebase main',
  );
  assert.equal(
    gitCommand({ action: 'squash', args: ['main'], message: 'feat: x' }),
    "git branch checkpoint && git reset --soft main && git commit -m 'feat: x'",
  );
});

test('actions that may lose work are risky', () => {
  const risk = (action: Parameters<typeof riskOfGit>[0]['action'], ...args: string[]) => riskOfGit({ action, args });
  for (const action of ['merge', 'rebase', 'reset', 'cherry-pick', 'revert', 'carry_forward', 'squash'] as const)
    assert.equal(risk(action), 'always', action);
  assert.equal(risk('commit', '--amend'), 'always');
  assert.equal(risk('checkout', 'main'), 'changes');
  assert.equal(risk('restore', '.'), 'changes');
  assert.equal(risk('branch', '-D', 'old'), 'branch');
  for (const action of ['status', 'log', 'add', 'commit', 'fetch', 'push', 'branch'] as const)
    assert.equal(risk(action), 'never', action);
});

test('all addresses of a repository have the same id', () => {
  for (const url of [
    'https://git.example.org/team/project.git',
    'https://git.example.org/team/project',
    'https://user@GIT.example.org/team/project/',
    'https://git.example.org//team/project.git',
    'git@git.example.org:team/project.git',
    'ssh://git@git.example.org/team/project.git',
  ])
    assert.equal(repositoryId(url), 'git.example.org/team/project', url);
  assert.notEqual(repositoryId('https://git.example.org/a/x'), repositoryId('https://git.example.org/b/x'));
  assert.notEqual(repositoryId('https://git.example.org:8443/a/x'), repositoryId('https://git.example.org/a/x'));
});

test('a folder is named after the last part of the path, and cannot escape its parent', () => {
  assert.equal(repositoryName('https://git.example.org/team/project.git'), 'project');
  assert.equal(repositoryName('git@github.com:o/r.git'), 'r');
  assert.equal(repositoryName('git@host:..'), 'repository');
  assert.equal(repositoryName('git@host:a/-rf'), 'rf');
  assert.equal(repositoryName('git@host:a/.hidden $(x)'), 'hidden---x-');
  assert.ok(repositoryName(`https://h.org/${'a'.repeat(900)}`).length <= 100);
});
