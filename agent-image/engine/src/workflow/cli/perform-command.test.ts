/** Commands on real files, with a scripted server of models. Commands that a signal ends run in separate processes. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { OPENAI_WIRE, startWireServer, type WireServer } from '@hamlet/models/testing';
import { testFolder } from '@hamlet/test/env/at-end';
import { until } from '@hamlet/test/env/until';
import { performCommand } from './perform-command.ts';

const MAIN = join(import.meta.dirname, 'main.ts');
const folder = testFolder('cli');
let folders = 0;
let server: WireServer;
before(async () => {
  server = await startWireServer();
});
after(() => server.close());

const REVIEW = `workflow:
  id: review
  nodes:
    - { id: judge, role: agent, agent: critic, input: "=task.input.text", decides: true }
    - { id: good, role: linear, output: "={'good': true, 'tags': task.tags}" }
    - { id: bad, role: tool, tool: run, input: { argv: [node, --eval, "process.exit(3)"] } }
  edges:
    - { from: judge, to: good, type: conditional, when: "output == 'good'" }
    - { from: judge, to: bad, type: conditional, otherwise: true }
`;
/** The only command writes its process id, and waits. */
const SLOW = `workflow:
  id: slow
  nodes:
    - { id: wait, role: tool, tool: run, input: { argv: [node, --eval, "require('fs').writeFileSync('pid', String(process.pid)); setTimeout(() => {}, 60000)"] } }
    - { id: after, role: linear, output: "='over'" }
  edges:
    - { from: wait, to: after }
`;
const TOOLS = `permissions: { shell: { allow: [node] } }
tools:
  - { id: run, uses: command.run, timeout_s: 60 }
`;

function aFolder(workflow = REVIEW): string {
  const dir = join(folder, `${(folders += 1)}`);
  mkdirSync(dir);
  const agents = `models:
  - { id: fast, provider: compatible, name: small, base_url: "${server.url}/v1" }
agents:
  - { id: critic, instructions: You judge., model: fast }
`;
  writeFileSync(join(dir, 'agents.yaml'), agents);
  writeFileSync(join(dir, 'tools.yaml'), TOOLS);
  writeFileSync(join(dir, 'workflow.yaml'), workflow);
  return dir;
}

type Ended = Readonly<{ code: number | null; out: string; err: string }>;
type Started = Readonly<{ child: ChildProcess; ended: Promise<Ended>; err: () => string }>;

function start(...args: readonly string[]): Started {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (part: Buffer) => (out += part.toString()));
  child.stderr.on('data', (part: Buffer) => (err += part.toString()));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out, err }));
  return { child, ended, err: () => err };
}

/** A command in this process. */
async function run(...args: readonly string[]): Promise<Ended> {
  let [out, err] = ['', ''];
  const code = await performCommand(args, {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    onStop: () => () => {},
  });
  return { code, out, err };
}

const says = (text: string) => ({ answer: OPENAI_WIRE.stream({ text: [text], usage: { prompt: 20, completion: 3 } }) });

/** The id of the task, from the first line of progress. */
const taskIn = (err: string): string => /task ([\w-]+):/.exec(err)?.[1] ?? assert.fail(err);

/** The process id of the command of a slow task, once it runs. */
const commandIn = (dir: string): Promise<number> =>
  until('the command', () => existsSync(join(dir, 'pid')) && Number(readFileSync(join(dir, 'pid'), 'utf8')), {
    capMs: 20_000,
  });

test('validate names each fault with its line, and graph draws what is valid', async () => {
  const dir = aFolder();
  const valid = await run('validate', dir);
  assert.deepEqual([valid.code, valid.err], [0, '']);
  assert.match(valid.out, /workflow review is valid: 3 nodes, 2 edges, 1 agent, 1 tool/);
  const picture = join(dir, 'a.svg');
  assert.equal((await run('graph', dir, '-o', picture)).code, 0);
  assert.match(readFileSync(picture, 'utf8'), /^<svg [\s\S]*>judge<[\s\S]*<\/svg>\n$/);
  const plan = await run('graph', dir, '--json');
  assert.partialDeepStrictEqual(JSON.parse(plan.out), { workflow: 'review', stages: [{ id: 'judge', decides: true }] });
  const broken = aFolder(REVIEW.replace('tool: run', 'tool: runn'));
  const invalid = await run('validate', broken);
  assert.deepEqual([invalid.code, invalid.out], [2, '']);
  assert.match(invalid.err, /workflow\.yaml:6:\d+: [\s\S]*\^\n  hint: .*run/);
  const { errors } = JSON.parse((await run('run', broken, '--json')).out) as { readonly errors: readonly object[] };
  assert.partialDeepStrictEqual(errors, [{ code: 'config_reference', file: 'workflow.yaml', line: 6 }]);
});

test('run prints progress to people and the output to pipes, and inspect shows the task', async () => {
  const dir = aFolder();
  server.add(says('good'));
  const { code, out, err } = await run('run', dir, '--input', '{"text": "Well."}', '--tag', 'short');
  assert.equal(code, 0, err);
  assert.deepEqual(JSON.parse(out), { good: true, tags: ['short'] });
  assert.match(err, /▸ judge\n[\s\S]*✔ judge  [\d.]+ m?s, 23 tokens\n[\s\S]*completed in .*, 23 tokens\n$/);
  const shown = await run('inspect', dir, taskIn(err));
  assert.match(
    shown.out,
    /COMPLETED, workflow review, pipeline default, 23 tokens\n  ✔ judge +agent\n  - bad .*\n  ✔ good +linear\noutput: /,
  );
  const task = JSON.parse((await run('inspect', dir, taskIn(err), '--json')).out) as object;
  assert.partialDeepStrictEqual(task, { status: 'COMPLETED', spent: { tokens: 23 } });
  server.verify();
});

test('a failed task has its place and its code, and exit code 1', async () => {
  server.add(says('bad'));
  const { code, out, err } = await run('run', aFolder(), '--input', '{"text": "Ill."}');
  assert.deepEqual([code, out], [1, '']);
  assert.match(err, /failed in the tool stage bad with tool\/command_failed/);
});

test('flags that cannot be used are named, and no task is created', async () => {
  const dir = aFolder();
  for (const [args, words] of [
    [['run', dir, '--input', '{'], /--input is not JSON/],
    [['run', dir, '--input', '@missing.json'], /--input @missing\.json cannot be read/],
    [['run', dir, '--override', 'dryrun'], /--override dryrun: .*Did you mean 'dry_run'\?/],
    [['run', dir, '--override', '{"kind": "model"}'], /: 'agent' is missing\. Add 'agent' \(string\)\./],
    [['run', dir, '--pipeline', 'none'], /none/],
    [['resume', dir, 'none'], /no task none/],
    [['resume', dir, 'none', '--answer', 'q1'], /--answer q1: write QUESTION=ANSWER|no task none/],
  ] as const) {
    const { code, err } = await run(...args);
    assert.equal(code, 2, err);
    assert.match(err, words);
  }
});

test('a file or folder that cannot be used is named with the reason', async () => {
  const dir = aFolder();
  const file = join(dir, 'agents.yaml');
  const damaged = join(dir, 'damaged');
  mkdirSync(damaged);
  writeFileSync(join(damaged, 'journal.db'), 'no database, and long enough to be one'.repeat(40));
  for (const [args, words] of [
    [['graph', dir, '-o', join(dir, 'none', 'a.svg')], /^--output .*a\.svg cannot be written: ENOENT: /],
    [['run', dir, '--data', file], /^EEXIST: .*agents\.yaml.*\n--data and --workspace name other folders\n$/],
    [['run', dir, '--workspace', join(dir, 'none')], /^ENOENT: .*none/],
    [['inspect', dir, 'none', '--data', damaged], /journal\.db is damaged: /],
  ] as const) {
    const { code, out, err } = await run(...args);
    assert.deepEqual([code, out], [2, ''], err);
    assert.match(err, words);
  }
});

test('a task waits for a key that is not set', async (t) => {
  const dir = aFolder();
  const agents = join(dir, 'agents.yaml');
  const keyed = readFileSync(agents, 'utf8').replace('name: small,', 'name: small, api_key_env: HAMLET_TEST_CLI_KEY,');
  writeFileSync(
    agents,
    `${keyed}  - { id: idle, instructions: You wait., model: other }\n`.replace(
      'agents:',
      '  - { id: other, provider: openai, name: big, api_key_env: HAMLET_TEST_UNUSED_KEY }\nagents:',
    ),
  );
  const refused = await run('run', dir, '--input', '{"text": "Well."}');
  assert.deepEqual([refused.code, refused.out], [2, ''], refused.err);
  assert.match(
    refused.err,
    /^model fast: set HAMLET_TEST_CLI_KEY in the environment .*\nthen continue with: hamlet-engine resume /m,
  );
  const [, command = ''] = /continue with: hamlet-engine (.+)\n/.exec(refused.err) ?? assert.fail(refused.err);
  process.env['HAMLET_TEST_CLI_KEY'] = 'k';
  t.after(() => delete process.env['HAMLET_TEST_CLI_KEY']);
  server.add(says('good'));
  assert.equal((await run(...command.split(' '))).code, 0);
});

test('a workflow with functions needs a program, and the words say so', async () => {
  const dir = aFolder();
  writeFileSync(
    join(dir, 'tools.yaml'),
    'tools:\n  - { id: run, uses: handler, description: Runs., input: { type: object } }\n',
  );
  const { code, err } = await run('run', dir);
  assert.equal(code, 2);
  assert.match(err, /tools run\. .* runs from a program\.\n$/);
});

test('a failed task is repeated from a stage, with the manifests as they are', async () => {
  const dir = aFolder();
  server.add(says('bad'));
  const failed = await run('run', dir, '--input', '{"text": "Ill."}');
  assert.equal(failed.code, 1);
  const nowhere = await run('rerun', dir, taskIn(failed.err));
  assert.deepEqual([nowhere.code, nowhere.err.split(':')[0]], [2, '--stage is missing']);
  const unknown = await run('rerun', dir, taskIn(failed.err), '--stage', 'none');
  assert.equal(unknown.code, 2);
  assert.match(unknown.err, /Its stages are judge, /);
  writeFileSync(join(dir, 'workflow.yaml'), REVIEW.replace('exit(3)', 'exit(0)'));
  const asked = server.requests.length;
  const mended = await run('rerun', dir, taskIn(failed.err), '--stage', 'bad');
  assert.equal(mended.code, 0, mended.err);
  assert.equal(server.requests.length, asked, 'the judgement is taken over');
  server.add(says('good'));
  const again = await run('rerun', dir, taskIn(failed.err), '--stage', 'judge', '--input', '"Well."');
  assert.deepEqual([again.code, JSON.parse(again.out)], [0, { good: true, tags: [] }]);
  assert.match(JSON.stringify(server.requests.at(-1)?.body), /Well\./);
});

test('Ctrl-C leaves the task resumable, and prints the command that continues it', async () => {
  const dir = aFolder();
  const whole = OPENAI_WIRE.stream({ text: ['go'] });
  server.add({ answer: { ...whole, chunks: [...whole.chunks.slice(0, 2), 'hold'] } });
  const asked = server.requests.length;
  const { child, ended } = start('run', dir, '--input', '{"text": "Well."}');
  await until('a request', () => server.requests.length > asked, { capMs: 20_000 });
  child.kill('SIGINT');
  const stopped = await ended;
  assert.equal(stopped.code, 130, stopped.err);
  const [, command = ''] = /continue with: hamlet-engine (.+)\n/.exec(stopped.err) ?? assert.fail(stopped.err);
  assert.equal(command, `resume ${dir} ${taskIn(stopped.err)}`);
  const shown = await run('inspect', dir, taskIn(stopped.err));
  assert.equal(shown.err, `not ended; continue with: hamlet-engine ${command}\n`);
  server.add(says('good'));
  const resumed = await run(...command.split(' '));
  assert.deepEqual([resumed.code, JSON.parse(resumed.out)], [0, { good: true, tags: [] }]);
  const later = await run(...command.split(' '));
  assert.deepEqual([later.code, later.out], [0, resumed.out]);
  assert.match(later.err, /^completed before, \d+ tokens\n$/);
  const cancelled = await run('cancel', dir, taskIn(stopped.err));
  assert.equal(cancelled.code, 1);
  assert.match(cancelled.err, /has ended before: it is completed\n$/);
});

test('a task whose command may have run waits for a person, who answers', async () => {
  const dir = aFolder(SLOW);
  const { child, ended, err } = start('run', dir);
  const pid = await commandIn(dir);
  const task = taskIn(err());
  child.kill('SIGKILL');
  await ended;
  process.kill(pid, 'SIGKILL');
  const waiting = await run('resume', dir, task);
  assert.equal(waiting.code, 3, waiting.err);
  assert.match(waiting.err, /^did \w+ \{.*\} happen\?$/m);
  const [, command = ''] = /answer with: hamlet-engine (.+)\n/.exec(waiting.err) ?? assert.fail(waiting.err);
  const answered = await run(...command.replace('=ANSWER', '=happened').split(' '));
  assert.notEqual(answered.code, 3, answered.err);
  assert.equal((await run('resume', dir, task)).code, answered.code, 'a task that has ended stays as it is');
});

test('cancel ends a task that waits', async () => {
  const dir = aFolder(SLOW);
  const { child, ended, err } = start('run', dir);
  await commandIn(dir);
  child.kill('SIGINT');
  assert.equal((await ended).code, 130);
  const cancelled = await run('cancel', dir, taskIn(err()));
  assert.deepEqual([cancelled.code, cancelled.err], [0, `the task ${taskIn(err())} is cancelled\n`]);
});
