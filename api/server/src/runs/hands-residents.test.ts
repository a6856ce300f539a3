/** Agents with a model and hands: a resident's process, a real supervisor, and the API. Only the model is scripted. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { type HandsCall } from '@hamlet/contract';
import { OPENAI_WIRE } from '@hamlet/models/testing';
import { untilEnd } from '@hamlet/test/env/at-end';
import { pluck } from '@hamlet/test/env/pluck';
import { withTunnel } from '../permissions/testing/permission-play.ts';
import { payForModels, startHandsVillage } from '../testing/hands-village.ts';
import { RunPlay } from '../testing/play/run-play.ts';
import { residentProcesses, testResidents } from '../testing/resident-process.ts';
import { eventually } from '../testing/test-village.ts';
import { called, said, startMind } from './testing/call-mind.ts';

const RESIDENT = resolve(import.meta.dirname, '../../../../agent-image/resident/src');
const PRIMES = 'Write a Python program that prints the first ten primes, run it and tell me the output';
const PROGRAM = `cat > primes.py <<'END'
primes, n = [], 2
while len(primes) < 10:
    if all(n % p for p in primes):
        primes.append(n)
    n += 1
print(*primes)
END
python3 primes.py`;

/** Tokens that the model reports for the answer to a program: more than all other answers of a run have. */
const PROGRAM_TOKENS = 10_000;
const PROGRAM_USAGE = { prompt: PROGRAM_TOKENS - 7, completion: 7 } as const;

/** The newest system prompt of a run with tools. */
let system = '';

/** Runs the command in a person's message, or reads the file that it lists, and answers with the result. */
const shellMind = startMind((request) => {
  system = request.system;
  const { asked, isAfterCall, results } = request;
  if (asked === 'Hello') return OPENAI_WIRE.stream({ text: ['Good day.'], usage: PROGRAM_USAGE });
  if (isAfterCall) return said(`The result: ${results.at(-1) ?? ''}`);
  const file = /^Deliver: (.*)$/m.exec(asked)?.[1];
  if (file !== undefined) return called(['deliver', { kind: 'file', path: file }]);
  const given = /^- \/workspace\/(\S+) \(/m.exec(asked)?.[1];
  if (given !== undefined) return called(['read_file', { path: given }]);
  const command = asked.includes(PRIMES) ? PROGRAM : /^Run: ([^]*)$/m.exec(asked)?.[1];
  return command === undefined ? said('Good day.') : called(['shell', { command, timeout_s: 600 }]);
});

const village = untilEnd(await startHandsVillage(await shellMind, { environmentOf: withTunnel }));
const runs = new RunPlay(village.peopleUrl);
const residents = testResidents(runs.play, ['ada']);
await payForModels(runs.play, ['ada']);

const fileOf = (name: string): string => join(village.hands.workspace, name);
const linesOf = (name: string): readonly string[] =>
  existsSync(fileOf(name)) ? readFileSync(fileOf(name), 'utf8').trim().split('\n').filter(Boolean) : [];
const isAlive = (pid: string): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
const callsOf = async (run_id: string): Promise<readonly HandsCall[]> =>
  (await runs.play.admin.listCalls({ run_id })).calls;

test("the image's compile cache has every module that a resident with a model and hands loads", async () => {
  const [cache, log] = [fileOf('cache'), fileOf('cache.log')];
  const [fill, main] = ['process/fill-compile-cache.ts', 'main.ts'].map((file) => join(RESIDENT, file));
  for (const file of [fill, main])
    await promisify(execFile)(process.execPath, [file ?? '', '--help'], {
      env: { ...process.env, NODE_COMPILE_CACHE: cache },
    });
  const watched = `NODE_DEBUG_NATIVE=COMPILE_CACHE NODE_COMPILE_CACHE=${cache} exec "$0" "$1" 2>${log}`;
  const cached = residentProcesses(() => runs.play, ['sh', '-c', watched, process.execPath, main ?? '']);
  try {
    await cached.start('ada');
    assert.match((await runs.ended((await runs.give('ada', 'Run: echo bread')).run_id)).summary ?? '', /bread/);
  } finally {
    await cached.remove();
  }
  const lines = readFileSync(log, 'utf8').split('\n');
  assert.ok(lines.filter((line) => line.endsWith('was accepted, keeping the in-memory entry')).length > 200);
  const missing = lines.filter((line) => /no transpile cache|was not initialized/.test(line));
  assert.deepEqual(missing, []);
});

const ASKING = `import json, os, urllib.request as web
def status(url, headers, body=None):
    try: return web.urlopen(web.Request(url, body, headers)).read().decode()
    except web.HTTPError as error: return error.code
TOOL = {"type": "function", "function": {"name": "bake", "parameters": {"type": "object", "properties": {}}}}
key, base = os.environ["OPENAI_API_KEY"], os.environ["OPENAI_BASE_URL"]
asked = {"model": os.environ["HAMLET_MODEL"], "messages": [{"role": "user", "content": "Hello"}], "tools": [TOOL]}
headers = {"authorization": "Bearer " + key, "content-type": "application/json"}
print(json.loads(status(base + "/chat/completions", headers, json.dumps(asked).encode()))["choices"][0]["message"]["content"])
for origin in (os.environ["ANTHROPIC_BASE_URL"], "ORIGIN"): print(status(origin + "/api/v1/me", {"x-api-key": key}))
open("key", "w").write(key + " " + base)
`;

test("a program in the hands asks the model with its run's key; the key opens nothing else, and ends with the run", async () => {
  await residents.start('ada');
  writeFileSync(fileOf('ask.py'), ASKING.replace('ORIGIN', village.peopleUrl));
  const { run_id } = await runs.give('ada', 'Run: python3 ask.py');
  const { summary, usage } = await runs.ended(run_id);
  assert.match(summary ?? '', /Good day\.\n404\n401/);
  // Decisions that the agent makes in the village meanwhile count too, with 18 tokens each.
  assert.ok(usage.tokens >= PROGRAM_TOKENS && usage.tokens < 2 * PROGRAM_TOKENS, `${usage.tokens} tokens`);
  const { run_id: plain } = await runs.give('ada', 'Run: echo bread');
  assert.ok((await runs.ended(plain)).usage.tokens < PROGRAM_TOKENS);
  const [key = '', base = ''] = readFileSync(fileOf('key'), 'utf8').split(' ');
  const after = await fetch(`${base}/models`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(after.status, 401);
});

test('a file that an agent delivers can be downloaded from its run, byte for byte', async () => {
  writeFileSync(fileOf('menu.csv'), 'bread,price\nrye,4.20\n');
  await residents.start('ada');
  const { run_id } = await runs.give('ada', 'Deliver: menu.csv');
  assert.match((await runs.ended(run_id)).summary ?? '', /Delivered menu\.csv/);
  const { artifacts } = await runs.play.admin.listRunArtifacts({ run_id });
  const [artifact] = artifacts;
  assert.deepEqual(
    [artifacts.length, artifact?.name, artifact?.deliverable, artifact?.media_type],
    [1, 'menu.csv', 'file', 'text/csv'],
  );
  const content = await runs.play.admin.getArtifactContent({ artifact_id: artifact?.artifact_id ?? '' });
  assert.equal(Buffer.from(content).toString(), 'bread,price\nrye,4.20\n');
});

test('a file that a person gives with a message is in the workspace before the first command', async () => {
  await residents.start('ada');
  const { admin } = runs.play;
  const { session_id } = (await admin.createSession({ agent_id: 'ada' })).session;
  const files = [{ name: 'order.csv', content: Buffer.from('rye,2\n').toString('base64') }];
  const { run } = await admin.sendMessage({ session_id, text: 'Read the order.', files });
  assert.match((await runs.ended(run.run_id)).summary ?? '', /rye,2/);
});

test('an agent writes and runs a requested program and answers with its output; the log has the command', async () => {
  await residents.start('ada');
  const { run_id } = await runs.give('ada', PRIMES);
  const run = await runs.ended(run_id);
  assert.equal(run.state, 'done', JSON.stringify(run.error));
  assert.match(run.summary ?? '', /2 3 5 7 11 13 17 19 23 29/);
  assert.ok(existsSync(fileOf('primes.py')));
  assert.match(system, /# Machine\nYour machine is a container[^]*It has .*python3[^]*Nothing outside of the village/);
  const [call, ...others] = await callsOf(run_id);
  assert.deepEqual(
    [call?.state, call?.tool, call?.report?.exit, call?.report?.cwd, others.length],
    ['ended', 'shell', 0, village.hands.workspace, 0],
  );
  assert.equal(call?.report?.stdout, '2 3 5 7 11 13 17 19 23 29\n');
});

test('a resident that is killed during a command resumes it, and it runs once', async () => {
  const child = await residents.start('ada');
  const { run_id } = await runs.give(
    'ada',
    `Run: echo loaf >>${fileOf('loaves')}; while [ ! -e ${fileOf('go')} ]; do sleep 0.05; done; echo baked`,
  );
  await eventually('the loaf', () => linesOf('loaves').length === 1);
  assert.deepEqual(pluck(await callsOf(run_id), 'state'), ['begun'], 'the API has the start before the end');
  await residents.kill(child);
  await residents.start('ada');
  writeFileSync(fileOf('go'), '');
  const run = await runs.ended(run_id);
  assert.deepEqual([run.state, linesOf('loaves').length], ['done', 1]);
  assert.match(run.summary ?? '', /baked/);
});

test('a cancel ends a command with its grandchildren, and names it as unsettled', async () => {
  await residents.start('ada');
  const pids = fileOf('pids');
  const command = `trap '' TERM; (setsid sh -c 'trap "" TERM; echo $$ >>${pids}; while :; do :; done' &) ; env -i setsid sh -c 'trap "" TERM; echo $$ >>${pids}; sleep 600' & echo $$ >>${pids}; while :; do sleep 1; done`;
  const { run_id } = await runs.give('ada', `Run: ${command}`);
  await eventually('three programs', () => linesOf('pids').length === 3);
  await runs.play.admin.cancelRun({ run_id });
  const run = await runs.ended(run_id);
  assert.deepEqual([run.state, run.unsettled], ['cancelled', ['1.0']]);
  await eventually('the end of all programs', () => linesOf('pids').every((pid) => !isAlive(pid)));
  assert.deepEqual(pluck(await callsOf(run_id), 'state'), ['unknown']);
});

test('the processes of a run that ended while its resident was down end when the resident comes back', async () => {
  const child = await residents.start('ada');
  const { run_id } = await runs.give('ada', `Run: echo $$ >>${fileOf('lost')}; while :; do sleep 0.1; done`);
  await eventually('the program', () => linesOf('lost').length === 1);
  await residents.kill(child);
  await runs.play.admin.cancelRun({ run_id });
  await runs.ended(run_id);
  const [pid = ''] = linesOf('lost');
  assert.ok(isAlive(pid));
  await residents.start('ada');
  await eventually('the end of the program', () => !isAlive(pid));
});

test('a push in a command waits for a person, and begins nothing if the person denies it', async () => {
  await residents.start('ada');
  const { run_id } = await runs.give('ada', `Run: touch ${fileOf('before')} && git push`);
  const asked = await runs.asked(run_id);
  assert.deepEqual([asked.tool, asked.why], ['shell', 'policy']);
  assert.match(asked.reason ?? '', /publishes something/);
  await runs.play.admin.answerPermission({ permission_id: asked.permission_id, answer: 'deny', reason: 'Not today' });
  const run = await runs.ended(run_id);
  assert.match(run.summary ?? '', /The result: /, JSON.stringify(run.error));
  assert.deepEqual([await callsOf(run_id), existsSync(fileOf('before'))], [[], false]);
});
