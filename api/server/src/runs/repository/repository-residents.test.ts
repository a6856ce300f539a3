/** Repositories of sessions: a resident's process, a real supervisor, real git and the API. Only the model is scripted. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Run } from '@hamlet/contract';
import { untilEnd, testFolder, setVariables } from '@hamlet/test/env/at-end';
import { dataOf } from '@hamlet/test/env/client';
import { withTunnel } from '../../permissions/testing/permission-play.ts';
import { payForModels, startHandsVillage } from '../../testing/hands-village.ts';
import { firstAdmin, invite } from '../../testing/play/people-play.ts';
import { SessionPlay } from '../../testing/play/session-play.ts';
import { testResidents } from '../../testing/resident-process.ts';
import { eventually } from '../../testing/test-village.ts';
import { askFor, startCallMind } from '../testing/call-mind.ts';

const systems: string[] = [];
const folder = testFolder('repositories');
const servers = (name: string): string => join(folder, name);

const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=P', '-c', 'user.email=p@p.org', ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'ignore'],
  }).toString();

function server(name: string): void {
  const seed = servers(`${name}.seed`);
  mkdirSync(seed, { recursive: true });
  git(seed, 'init', '-q', '-b', 'main');
  writeFileSync(join(seed, 'name'), `${name}\n`);
  git(seed, 'add', '-A');
  git(seed, 'commit', '-qm', 'first');
  git(seed, 'clone', '-q', '--bare', seed, servers(`${name}.git`));
}

// This test's hands reach the servers as folders; other tests cover the way through the broker.
const config = join(folder, 'gitconfig');
writeFileSync(config, `[url "file://${folder}/"]\n\tinsteadOf = https://git.example.org/\n[safe]\n\tdirectory = *\n`);
setVariables({ GIT_CONFIG_GLOBAL: config });
['bakery', 'mill'].forEach(server);
const REPOSITORIES = JSON.stringify([{ repository: 'git.example.org/*', members: ['*'] }]);
const village = untilEnd(
  await startHandsVillage(await startCallMind(systems), {
    environmentOf: async (started) => ({ ...(await withTunnel(started)), HAMLET_REPOSITORIES: REPOSITORIES }),
  }),
);
const talk = new SessionPlay(village.peopleUrl);
const residents = testResidents(talk.play);
await payForModels(talk.play, ['ada']);
const mia = await invite(await firstAdmin(talk.play.url), talk.play.url, { name: 'Mia', role: 'member' });
await residents.start('ada');

async function session(name: string, branch = 'main'): Promise<string> {
  const body = { repository: { url: `https://git.example.org/${name}.git`, branch }, people: [] };
  const { session: made } = await mia.client.createSession({ agent_id: 'ada', ...body });
  return made.session_id;
}

const shell = (command: string): string => askFor('shell', { command });

async function say(sessionId: string, ...lines: string[]): Promise<Run> {
  const { run } = dataOf(await talk.say(mia.client, sessionId, lines.join('\n')));
  return talk.ended(run.run_id);
}

test('two sessions on two repositories have two work trees, and each begins in its own', async () => {
  const [bakery, mill] = [await session('bakery'), await session('mill')];
  const first = await say(bakery, shell('cat name; pwd; git branch --show-current'));
  assert.equal(first.state, 'done', JSON.stringify(first.error));
  assert.match(first.summary ?? '', /Your repository https:\/\/git\.example\.org\/bakery\.git is in .*\/bakery\./);
  assert.match(first.summary ?? '', /stdout:\nbakery\n.*\/bakery\nmain/);
  assert.match(
    systems.at(-1) ?? '',
    /Your repository is https:\/\/git\.example\.org\/bakery\.git, branch main\. .*\/bakery, where commands/,
  );
  assert.match((await say(mill, shell('cat name; echo flour >stock'))).summary ?? '', /stdout:\nmill/);
  assert.deepEqual(
    [
      existsSync(join(village.hands.workspace, 'mill/stock')),
      existsSync(join(village.hands.workspace, 'bakery/stock')),
    ],
    [true, false],
  );
});

test('from clone to push, the author is the person, a person permits the push, and the log has each command', async () => {
  const bakery = await session('bakery');
  const git = (action: string, args: string[] = [], message?: string): string =>
    askFor('git', { action, args, message });
  const { run } = dataOf(
    await talk.say(
      mia.client,
      bakery,
      [
        git('checkout', ['-b', 'rye']),
        shell('echo rye >bread'),
        git('add', ['-A']),
        git('commit', [], 'feat: rye'),
        git('pull'),
        git('push'),
      ].join('\n'),
    ),
  );
  const asked = await eventually('a question', async () => {
    const query = { run_id: run.run_id, state: 'pending' as const, limit: 5 };
    return (await talk.play.admin.listPermissions(query)).permissions[0];
  });
  assert.deepEqual([asked.tool, asked.why], ['git', 'policy']);
  assert.match(asked.reason ?? '', /publishes something/);
  await talk.play.admin.answerPermission({ permission_id: asked.permission_id, answer: 'allow' });
  const ended = await talk.ended(run.run_id);
  assert.equal(ended.state, 'done', JSON.stringify(ended.error));
  assert.match(ended.summary ?? '', /Use the action carry_forward/);
  const pushed = ['log', '-1', '--format=%an|%ae|%s', 'hamlet/ada/rye'];
  assert.equal(
    execFileSync('git', pushed, { cwd: servers('bakery.git') }).toString(),
    `Mia (Harvest)|${mia.accountId}@people.hamlet.invalid|feat: rye\n`,
  );
  const { calls } = await mia.client.listCalls({ run_id: run.run_id });
  assert.deepEqual(
    calls.toReversed().map(({ tool, report, outcome }) => [tool, report?.command ?? null, outcome?.code ?? null]),
    [
      ['git', 'git checkout -b rye', null],
      ['shell', 'echo rye >bread', null],
      ['git', 'git add -A', null],
      ['git', "git commit -m 'feat: rye'", null],
      ['git', null, 'git_pull_refused'],
      ['git', 'git push', null],
    ],
  );
});
