/** Programs under a real supervisor: their streams, their ends, and the processes that they leave behind. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { untilEnd } from '@hamlet/test/env/at-end';
import { ProgramError, type Program, type ProgramEnd } from '@hamlet/engine';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import { isAlive, soon } from '../testing/tool-calls.ts';
import { handsPrograms } from './hands-programs.ts';

const hands = untilEnd(await startHands());
let ids = 0;

const script = (text: string, fields: Partial<Program> = {}): Program => ({
  id: `p${(ids += 1)}`,
  owner: `o${ids}`,
  argv: ['sh', '-c', text],
  cwd: hands.workspace,
  env: {},
  stdin: '',
  timeoutMs: 60_000,
  ...fields,
});

async function run(program: Program, signal = new AbortController().signal): Promise<ProgramEnd & { output: string }> {
  let output = '';
  const end = await handsPrograms(hands.socket).run(program, { onOutput: (text) => (output += text), signal });
  return { ...end, output };
}

test('a program reads its input, arguments and variables, and its result has the exit code and both streams', async () => {
  const ended = await run(script('cat; printf %s "$WORD" >&2; exit 3', { stdin: 'grüß dich', env: { WORD: 'bread' } }));
  const text = 'grüß dich';
  assert.deepEqual(ended, {
    code: 3,
    cause: 'exit',
    stdout: { text, bytes: Buffer.byteLength(text) },
    stderr: { text: 'bread', bytes: 5 },
    output: text,
  });
});

test('output arrives while the program runs', async () => {
  const [output, next] = [Promise.withResolvers<void>(), join(hands.workspace, 'next')];
  let text = '';
  const onOutput = (part: string): void => {
    text += part;
    if (text === 'one') output.resolve();
  };
  const program = script(`printf one; while [ ! -e ${next} ]; do sleep 0.01; done; printf two`);
  const ended = handsPrograms(hands.socket).run(program, { onOutput, signal: new AbortController().signal });
  await output.promise;
  await run(script(`touch ${next}`));
  assert.equal((await ended).stdout.text, 'onetwo');
  assert.equal(text, 'onetwo');
});

test('a long output loses its middle and states the omitted length', async () => {
  const { stdout } = await run(script('printf begin; head -c 3000000 /dev/zero | tr "\\0" x; printf end'));
  assert.equal(stdout.bytes, 3_000_008);
  assert.match(stdout.text, /^beginx+\n\[… \d+ bytes left out …\]\nx+end$/);
  assert.ok(stdout.text.length < 300_000);
});

test('an abort ends the program with everything that it started, even in another session', async () => {
  const file = join(hands.workspace, 'pids');
  const program = script(
    `trap '' TERM; setsid sh -c 'trap "" TERM; echo $$ >>${file}; sleep 600' & echo $$ >>${file}; sleep 600; wait`,
  );
  const stop = new AbortController();
  const ended = run(program, stop.signal);
  const pids = (): readonly number[] =>
    existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
  await soon(() => pids().length === 2);
  stop.abort();
  assert.equal((await ended).cause, 'request');
  await soon(() => pids().every((pid) => !isAlive(pid)));
});

test('a timeout ends a program, and the end of a program ends the processes that it left behind', async () => {
  assert.equal((await run(script('sleep 600', { timeoutMs: 50 }))).cause, 'timeout');
  const file = join(hands.workspace, 'left');
  const left = await run(
    script(`setsid sh -c 'echo $$ >${file}; exec sleep 600' & while [ ! -s ${file} ]; do :; done; echo done`),
  );
  assert.deepEqual([left.code, left.stdout.text], [0, 'done\n']);
  const pid = Number(readFileSync(file, 'utf8'));
  await soon(() => !isAlive(pid));
});

test('a program that cannot start, or that finds no hands, counts as not started', async () => {
  const missing = await run(script('', { argv: ['no-such-program'] }));
  assert.equal(missing.code, 127);
  assert.match(missing.stderr.text, /not found/);
  const refused = run(script('true', { cwd: '/no/such/folder' }));
  await assert.rejects(refused, (error) => error instanceof ProgramError && !error.started);
  const nowhere = handsPrograms(join(hands.workspace, 'none.sock'));
  const ports = { onOutput: () => {}, signal: new AbortController().signal };
  await assert.rejects(nowhere.run(script('true'), ports), (error) => error instanceof ProgramError && !error.started);
});

test('if the supervisor ends while a program runs, the outcome is unknown', async () => {
  const [own, begun] = [await startHands(), Promise.withResolvers<void>()];
  const ports = { onOutput: () => begun.resolve(), signal: new AbortController().signal };
  const ended = handsPrograms(own.socket).run(script('echo here; exec sleep 600', { cwd: own.workspace }), ports);
  ended.catch(() => {});
  await begun.promise;
  await own.kill();
  await assert.rejects(ended, (error) => error instanceof ProgramError && error.started);
  await own.remove();
});
