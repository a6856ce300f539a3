/** Commands on real processes: results, limits, permissions, and the end of whole process groups. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { aWorkspace, useBuiltIn } from '../testing/a-workspace.ts';
import { OutputWindow, WINDOW_BYTES } from './output-window.ts';

const workspace = await aWorkspace({ ...process.env, OPENAI_API_KEY: 'a key', LANG: 'C' });
const use = useBuiltIn(workspace);
const run = (...argv: readonly string[]) => use.json('command.run', { argv });

/** Polls until the condition holds, for at most 5 s. */
async function until(condition: () => boolean, message: string): Promise<void> {
  for (let round = 0; round < 500; round += 1) {
    if (condition()) return;
    await sleep(10);
  }
  assert.fail(message);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie answers signals until its parent has read its end.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

test('a program runs in its folder, without a shell, a terminal or a key', async () => {
  mkdirSync(join(workspace.root, 'in'));
  const { stdout } = await use.json('command.run', { argv: ['pwd'], folder: 'in' });
  assert.equal(stdout, `${workspace.root}/in\n`);
  assert.equal((await run('echo', '$HOME', '; ls', '*')).stdout, '$HOME ; ls *\n');
  const variables: string = (await run('env')).stdout;
  const names = variables
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0] ?? '');
  assert.ok(names.includes('LANG') && names.includes('PATH'));
  assert.ok(!variables.includes('a key') && names.length <= 9, variables);
  assert.equal((await run('cat')).stdout, '', 'its input is empty');
});

test('a program that fails says its exit code and both outputs', async () => {
  const outcome = await use('command.run', { command: 'echo out; echo err >&2; exit 3' });
  assert.ok(outcome.kind === 'failed' && outcome.code === 'command_failed', JSON.stringify(outcome));
  const result = JSON.parse(outcome.text);
  assert.deepEqual(result, {
    exit_code: 3,
    signal: null,
    stdout: 'out\n',
    stderr: 'err\n',
    stdout_bytes: 4,
    stderr_bytes: 4,
  });
  const killed = await use('command.run', { command: 'kill -9 $$' });
  assert.ok(killed.kind === 'failed' && JSON.parse(killed.text).signal === 'SIGKILL');
  const missing = await use('command.run', { argv: ['no-such-program'] });
  assert.ok(missing.kind === 'failed' && missing.code === 'program_not_found');
});

test('a long output keeps its beginning and its end', async () => {
  const { stdout, stdout_bytes: bytes } = await use.json('command.run', { command: 'seq 1 300000' });
  assert.ok(stdout.startsWith('1\n2\n') && stdout.endsWith('299999\n300000\n'));
  assert.ok(stdout.length < 3 * WINDOW_BYTES, `${stdout.length}`);
  assert.match(stdout, new RegExp(`bytes left out`));
  assert.ok(bytes > 1_000_000);
});

test('a window of an output is exact up to its size and cuts no character beyond', () => {
  for (const size of [
    0,
    1,
    WINDOW_BYTES,
    2 * WINDOW_BYTES - 1,
    2 * WINDOW_BYTES,
    2 * WINDOW_BYTES + 1,
    9 * WINDOW_BYTES,
  ])
    for (const part of [1_000, 7_001, 65_536]) {
      const whole = Buffer.from('å€😀b'.repeat(size / 4)).subarray(0, size);
      const window = new OutputWindow();
      for (let at = 0; at < size; at += part) window.add(whole.subarray(at, at + part));
      assert.equal(window.bytes, whole.length);
      const text = window.text();
      if (whole.length <= 2 * WINDOW_BYTES) assert.equal(text, whole.toString());
      else {
        const [, left] = /\[… (\d+) bytes left out …\]/.exec(text) ?? [];
        assert.equal(Number(left), whole.length - 2 * WINDOW_BYTES);
        assert.ok(!text.slice(0, -2).includes('\uFFFD'), `${size} in parts of ${part}`);
      }
    }
});

/** Starts a grandchild that ignores SIGTERM, and names it in a file. */
const STUBBORN = `sh -c 'trap "" TERM; echo $$ > grandchild.pid; while :; do sleep 0.05; done' & echo started; wait`;

const grandchild = async (): Promise<number> => {
  const file = join(workspace.root, 'grandchild.pid');
  await until(() => existsSync(file) && readFileSync(file, 'utf8').trim() !== '', 'the grandchild started');
  return Number(readFileSync(file, 'utf8'));
};

test('at its timeout a command ends with all processes of its group, and its output stays', async () => {
  const ending = use('command.run', { command: STUBBORN, timeout_s: 0.3 });
  const pid = await grandchild();
  const outcome = await ending;
  assert.ok(outcome.kind === 'failed' && outcome.code === 'command_timed_out', JSON.stringify(outcome));
  assert.match(outcome.text, /started/);
  await until(() => !isAlive(pid), 'the grandchild is gone');
});

test('a cancel ends a command with its group, and its end is unknown', async () => {
  await run('rm', 'grandchild.pid');
  const controller = new AbortController();
  const ending = use('command.run', { command: STUBBORN }, { signal: controller.signal });
  const pid = await grandchild();
  controller.abort();
  assert.equal((await ending).kind, 'unknown');
  await until(() => !isAlive(pid), 'the grandchild is gone');
  assert.equal((await use('command.run', { argv: ['true'] }, { signal: controller.signal })).kind, 'unknown');
});

test('a command that ignores the first signal is ended all the same', async () => {
  const outcome = await use('command.run', { command: 'trap "" TERM; sleep 60', timeout_s: 0.1 });
  assert.ok(outcome.kind === 'failed' && outcome.code === 'command_timed_out');
  assert.match(outcome.text, /"signal":"SIGKILL"/);
});

test('a process that a command leaves behind ends with it', async () => {
  const { stdout } = await use.json('command.run', { command: 'sleep 60 >/dev/null & echo $!' });
  const pid = Number(stdout);
  assert.ok(pid > 1);
  await until(() => !isAlive(pid), 'the process is gone');
});

test('output is reported while a command runs', async () => {
  const parts: string[] = [];
  await use.json('command.run', { command: 'printf a; printf b >&2' }, { output: (text) => void parts.push(text) });
  assert.deepEqual(parts.toSorted().join(''), 'ab');
});

test('lists of programs and the switch for shells are enforced before anything runs', async () => {
  const made = join(workspace.root, 'made');
  const narrow = useBuiltIn(workspace, { shell: { allow: ['touch', 'git status'], deny: ['git push'] } });
  const denied = async (input: object): Promise<string> => {
    const outcome = await narrow('command.run', input);
    return outcome.kind === 'denied' ? outcome.code : JSON.stringify(outcome);
  };
  assert.equal(await denied({ command: 'touch made' }), 'shell_not_enabled');
  assert.equal(await denied({ argv: ['bash', '-c', 'touch made'] }), 'shell_not_enabled');
  assert.equal(await denied({ argv: ['/usr/bin/touch', 'made'] }), 'program_not_permitted');
  assert.equal(await denied({ argv: ['env', 'touch', 'made'] }), 'program_not_permitted');
  assert.equal(await denied({ argv: ['git', 'push'] }), 'program_not_permitted');
  assert.ok(!existsSync(made));
  assert.equal((await narrow('command.run', { argv: ['touch', 'made'] })).kind, 'ok');
  assert.ok(existsSync(made));
});

test('wrong arguments are refused with what is expected', async () => {
  for (const input of [{}, { argv: [] }, { argv: ['a'], command: 'b' }, { argv: ['a\0'] }, { argv: [''] }]) {
    const outcome = await use('command.run', input);
    assert.equal(outcome.kind, 'invalid_input', JSON.stringify([input, outcome]));
  }
});
