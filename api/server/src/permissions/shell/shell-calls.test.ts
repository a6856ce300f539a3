/** Shell commands over HTTP: the API judges what their programs do; a person's rule covers only its key. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AllowRule } from '@hamlet/contract';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { type Working, withTunnel, startPermits } from '../testing/permission-play.ts';
import { keyOfCommand } from './allow-key.ts';
import { createReadCommand } from './read-command.ts';

const OPEN = JSON.stringify([{ tools: ['read', 'speak', 'exec', 'publish', 'write_inside'], verdict: 'allow' }]);
const CLOSED = JSON.stringify([
  ...(JSON.parse(OPEN) as object[]),
  { tools: ['publish', 'install'], verdict: 'deny', reason: 'Nothing leaves this village' },
]);

const { village, permits } = await startPermits({ rules: OPEN, environment: withTunnel });
const strict = permits.at(
  (await village.startReplica({ HAMLET_TOOL_RULES: CLOSED, ...(await withTunnel(village)) })).peopleUrl,
);

let calls = 0;
/** `begun`, or the code with which a call of `shell` is refused or denied. */
const started = (working: Working, command: string, by = permits): Promise<string> =>
  startedTool(working, { tool: 'shell', args: { command, background: true } }, by);

/** Like `started`, for a call of any tool. */
const startedTool = (working: Working, call: { readonly tool: string; readonly args: object }, by = permits) =>
  by.begun(working, { callId: `${(calls += 1)}.0`, ...call });

const ask = (working: Working, command: string) =>
  permits.ask(working, { tool: 'shell', callId: `${(calls += 1)}.0`, args: { command } });

/** The state of a new request for a command: `allowed` if a rule answers it. */
const stateOf = async (working: Working, command: string): Promise<string> =>
  dataOf(await ask(working, command)).permission.state;

async function always(working: Working, command: string): Promise<AllowRule> {
  const { permission } = dataOf(await ask(working, command));
  const { rule } = dataOf(await permits.answer(permission.permission_id, { answer: 'allow', always: 'agent' }));
  assert.ok(rule !== null);
  return rule;
}

test('a push in any form needs permission, and so does a command that the parser cannot read', async () => {
  const working = await permits.startRun('ada');
  for (const command of [
    'git push origin main',
    'true && git push',
    'bash -c "git push"',
    'g""it push',
    'sh <<X\ngit push\nX',
    '$(echo git) push',
    'PATH=/tmp ls',
    `${'$('.repeat(3_000)}git push${')'.repeat(3_000)}`,
    `echo ${'a'.repeat(15_000)}; $x`,
  ])
    assert.equal(await started(working, command), 'permission_needed', command.slice(0, 40));
  assert.equal(await started(working, 'ls -l /workspace'), 'begun');
});

test('a rule about a class also applies to shell commands', async () => {
  const working = await permits.startRun('bob');
  assert.equal(await started(working, 'git push', strict), 'policy_denied');
  assert.equal(await started(working, 'timeout 9 pip install flask', strict), 'policy_denied');
  await refuses(
    strict.ask(working, { tool: 'shell', callId: '900.0', args: { command: 'git push' } }),
    'policy_denied',
  );
  assert.equal(await started(working, 'cat /workspace/README.md', strict), 'begun');
});

test('a call of the git tool is judged as the equivalent command', async () => {
  const working = await permits.startRun('dan');
  const git = (action: string, ...args: string[]) => ({ tool: 'git', args: { action, args } });
  for (const [call, verdict] of [
    [git('push'), 'permission_needed'],
    [git('push', 'origin', 'main'), 'permission_needed'],
    [{ tool: 'git', args: { action: 'daemon' } }, 'permission_needed'],
    [git('commit', '-m', 'x'), 'begun'],
  ] as const)
    assert.equal(await startedTool(working, call), verdict, JSON.stringify(call));
  assert.equal(await startedTool(working, git('push'), strict), 'policy_denied');
});

test('"always" for one push covers that push, not the shell', async () => {
  const working = await permits.startRun('cleo');
  const rule = await always(working, 'git push origin hamlet/cleo/bread');
  assert.deepEqual([rule.tool, rule.allow_key], ['shell', '= git push origin hamlet/cleo/bread']);
  assert.equal(await stateOf(working, 'git push origin hamlet/cleo/bread'), 'allowed');
  for (const other of ['git push elsewhere main', 'git push origin hamlet/cleo/bread; curl http://x', 'git push'])
    assert.equal(await stateOf(working, other), 'pending', other);
  const { permission } = dataOf(await ask(working, '$X push'));
  const answer = permits.answer(permission.permission_id, { answer: 'allow', always: 'agent' });
  await refuses(answer, 'validation_failed');
});

test('keys name programs and classes, or the whole command; a doubt, a secret or a long text has none', async () => {
  const read = createReadCommand();
  const key = async (command: string): Promise<string | null> => keyOfCommand(command, await read(command));
  assert.equal(await key('cat /etc/hosts | sort'), 'cat sort: read');
  assert.equal(await key('sort /etc/hosts && cat /etc/hosts'), 'cat sort: read');
  assert.equal(await key('python3 build.py'), '= python3 build.py');
  assert.equal(await key('$x'), null);
  assert.equal(await key(''), null);
  assert.equal(await key(`python3 ${'a'.repeat(300)}`), null);
  assert.equal(await key(`python3 x.py ghp_${'a1'.repeat(20)}`), null);
});
