/** The agent's shell under a real supervisor: sessions, results, background processes, cancels and restarts of the resident. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { untilEnd } from '@hamlet/test/env/at-end';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import { isAlive, pidsIn, soon, toolCalls } from '../../testing/tool-calls.ts';
import { type CallLog, type HandsKit } from '../hands-tool.ts';
import { handsPrograms } from '../hands-programs.ts';
import { sessionProgram } from './session-script.ts';
import type { CallPlace } from '../../testing/a-hands-kit.ts';
import { NO_CALL_LOG, aHandsKit, callContext, preparedCall, useTool } from '../../testing/a-hands-kit.ts';

const hands = untilEnd(await startHands());

const kit = (calls: CallLog = NO_CALL_LOG): HandsKit =>
  aHandsKit(hands, { environmentOf: () => ({ WAY_OUT: 'proxy' }), calls });

const { textOf } = toolCalls(kit);
const run = (command: string, place: CallPlace = {}): Promise<string> => textOf('shell', { command }, place);

test('folder and exported variables persist within a conversation, and only there', async () => {
  const place = { conversation: 'stays' };
  await run('mkdir -p deep && cd deep && export WORD="one two"', place);
  const text = await run('pwd; echo "$WORD"', place);
  assert.match(text, /^Exit code 0, in .*\/deep\nstdout:\n.*\/deep\none two\n$/);
  const elsewhere = await run('pwd; echo "[${WORD-}]"', { conversation: 'other' });
  assert.match(elsewhere, new RegExp(`\n${hands.workspace}\n\\[\\]\n`));
});

test('a program of a command is never a function or alias of an earlier command, nor read with its options', async () => {
  const place = { conversation: 'names-of-programs' };
  const planted = 'pwd() { echo planted; }; export -f pwd; alias ls="echo planted"; shopt -s expand_aliases; set -f';
  await run(`${planted}; touch here`, place);
  const text = await run('pwd; ls here; echo her?; bash -c pwd', place);
  assert.match(text, new RegExp(`stdout:\n${hands.workspace}\nhere\nhere\n${hands.workspace}\n$`));
});

test('exit, a failure and a syntax error keep the session; a deleted folder falls back to the workspace', async () => {
  const place = { conversation: 'ends' };
  assert.match(await run('export KEPT=yes; mkdir -p gone; cd gone; exit 7', place), /^Exit code 7, in .*\/gone\n/);
  assert.match(
    await run('echo "$KEPT"; nosuchcommand', place),
    /^Exit code 127,[^]*stdout:\nyes\n[^]*stderr:\n[^]*not found/,
  );
  assert.match(await run('if then', place), /^Exit code [12],[^]*syntax error/);
  await run('rmdir ../gone', place);
  assert.match(await run('pwd; echo $KEPT', place), new RegExp(`${hands.workspace}\nyes\n`));
});

test('messages of bash count the lines of the command', async () => {
  assert.match(await run('true\nnosuchcommand'), /hamlet-shell: line 2: nosuchcommand: command not found/);
  assert.match(await run('true\n\nif then'), /line 3: syntax error/);
});

const sessionFolder = (conversation: string): string => join(hands.workspace, '.shells', conversation);
const sh = (script: string): string => execFileSync('bash', ['-c', script], { cwd: hands.workspace }).toString();

test('names and settings that the command defines do not disturb the stored state', async () => {
  const place = { conversation: 'names' };
  await run(
    'set -aexu; code=1; file=2; mark=3; cwd=4; cd() { builtin cd "$@" && printf "moved\\n"; }; echo() { printf no; }; mkdir "it\'s  here"; cd it*',
    place,
  );
  const text = await run('echo "$code$file$mark$cwd"; pwd; export -p | grep -c hamlet_; true', place);
  assert.match(text, /stdout:\n1234\n.*\/it's {2}here\n0\n$/);
  assert.match(await run('echo "$code"; exit 1', place), /^Exit code 1[^]*\n1\n$/);
  await run('readonly FIXED=1; export FIXED', place);
  assert.match(await run('builtin echo "$FIXED"', place), /\n1\n$/);
});

test('no variable of the command reaches the end of the session: neither a program nor another folder', async () => {
  const place = { conversation: 'variables' };
  const ran = join(hands.workspace, 'variables-ran');
  for (const name of ['number', 'next', 'folder', 'own', 'keeps', 'end', 'command', 'cwd']) {
    for (const value of [`a[$(touch ${ran})]`, `${ran}/elsewhere`, ''])
      await run(`__hamlet_${name}='${value}'; export WORD=${name}`, place);
    assert.match(await run('echo $WORD', place), new RegExp(`\n${name}\n$`));
  }
  await run('export __hamlet_command=touch\\ variables-ran; readonly __hamlet_command', place);
  await run('__hamlet_keep() { touch variables-ran; }; export WORD=function', place);
  await run('IFS=0123456789; set -eux; export HAMLET_RUN=stored; false; echo no', place);
  assert.match(await run('echo $HAMLET_RUN', { ...place, run: 'r3' }), /\nr3\n$/);
  assert.ok(!existsSync(ran));
});

/** Runs a command until its timeout. A busy machine may not have started it by then: the next timeout is longer. */
async function runOutOfTime(command: string, sign: RegExp, place: CallPlace = {}): Promise<void> {
  for (let seconds = 1; ; seconds *= 4) {
    const outcome = await useTool(kit())('shell', { command, timeout_s: seconds }, place);
    assert.ok(outcome.kind === 'failed' && outcome.code === 'command_timed_out', JSON.stringify(outcome));
    if (sign.test(outcome.text)) return;
    assert.ok(seconds < 60, `in ${seconds} s it printed only ${outcome.text}`);
  }
}

test('a command that is killed while its state is written leaves the session unchanged', async () => {
  const place = { conversation: 'killed' };
  const folder = sessionFolder('killed');
  await run('mkdir -p kept; cd kept; export WORD=kept', place);
  assert.deepEqual(existsSync(join(folder, 'exports.1')) && existsSync(join(folder, 'exports.0')), false);
  // A pipe blocks the write after its first bytes, until the timeout of the command.
  sh(
    `mkfifo ${folder}/exports.0; exec 3<>${folder}/exports.0; head -c 65536 /dev/zero >&3; sleep 600 >/dev/null 2>&1 & echo $! >holder`,
  );
  await runOutOfTime('cd /; export WORD=lost; echo ran', /ran/, place);
  sh(`kill $(cat holder); rm ${folder}/exports.0`);
  assert.match(await run('pwd; echo $WORD', place), /\/kept\nkept\n$/);
});

test('a state is ignored if its end is missing or belongs to another state', async () => {
  const place = { conversation: 'torn' };
  const folder = sessionFolder('torn');
  await run('export WORD=one', place);
  await run('export WORD=two', place);
  const whole = readFileSync(join(folder, 'exports.0'), 'utf8');
  assert.match(whole, /^# 2 \d+\n/);
  for (let length = whole.length - 1; length > 0; length -= 97) {
    writeFileSync(join(folder, 'exports.0'), whole.slice(0, length));
    assert.match(sh(echoWord(folder)), /^one\n$/, `${length} bytes`);
  }
  writeFileSync(join(folder, 'exports.0'), whole.replace(/^# 2 \d+/, '# 2 1'));
  assert.match(sh(echoWord(folder)), /^one\n$/);
  writeFileSync(join(folder, 'exports.0'), whole);
  assert.match(await run('echo $WORD', place), /\ntwo\n$/);
  assert.match(readFileSync(join(folder, 'exports.1'), 'utf8'), /^# 3 /);
});

/** A command that reads the session but stores nothing. */
const echoWord = (folder: string): string =>
  sessionProgram({ folder, workspace: hands.workspace, own: ['OWN'], command: 'echo $WORD', keeps: false })
    .map(quoted)
    .join(' ');
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

test('a session that an older resident stored continues in its folder', async () => {
  const place = { conversation: 'older' };
  const folder = sessionFolder('older');
  sh(`mkdir -p ${folder} older; echo $PWD/older >${folder}/cwd`);
  writeFileSync(join(folder, 'state'), 'declare -x WORD="kept"\npwd ()\n{\n    echo planted\n}\n');
  assert.match(await run('pwd; echo "[${WORD-}]"; cd ..; export WORD=new', place), /\/older\n\[\]\n$/);
  assert.match(await run('pwd; echo $WORD', place), new RegExp(`\n${hands.workspace}\nnew\n$`));
});

test('the variables of a call are set for each call, and not stored in the session', async () => {
  const place = { conversation: 'own' };
  const first = await run('echo $HAMLET_RUN $HAMLET_CALL $WAY_OUT; export WAY_OUT=changed', { ...place, call: '7.1' });
  assert.match(first, /\nr1 7\.1 proxy\n/);
  assert.match(
    await run('echo $HAMLET_RUN $HAMLET_CALL $WAY_OUT', { ...place, run: 'r2', call: '8.2' }),
    /\nr2 8\.2 proxy\n/,
  );
});

test('a long output loses its middle, which read_output returns', async () => {
  const text = await run('for i in $(seq 1 20000); do echo "line $i"; done', { run: 'long', call: '3.0' });
  assert.match(
    text,
    /stdout:\nline 1\n[^]*\[… the middle of 208894 bytes is left out: read_output process 3\.0 stream stdout …\][^]*line 20000\n$/,
  );
  assert.ok(text.length < 6_000);
  assert.match(await run('seq 1 2600', { run: 'long', call: '2.0' }), /\n1301\n[^]*\n2600\n$/);
  const part = await textOf('read_output', { process: '3.0', offset: 100_000, bytes: 50 }, { run: 'long' });
  assert.match(part, /Bytes 100000 to 100050; read on with offset 100050\.\n/);
  assert.equal(
    part.split('\n').slice(1).join('\n'),
    [...Array(20_000).keys()]
      .map((i) => `line ${i + 1}\n`)
      .join('')
      .slice(100_000, 100_050),
  );
  const little = await run('seq 1 2000', { run: 'long', call: '4.0', roomChars: 2_500 });
  assert.ok(little.length <= 2_500);
  assert.match(little, /characters are left out, for which you have no room: read_output process 4\.0 has all/);
  const stranger = await useTool(kit())('read_output', { process: '3.0' }, { run: 'another' });
  assert.deepEqual([stranger.kind, stranger.kind === 'failed' && stranger.code], ['failed', 'no_such_process']);
});

test('a timeout ends a command with everything that it started', async () => {
  const file = join(hands.workspace, 'slow-pids');
  const command = `setsid sh -c 'echo $$ >>${file}; exec sleep 600' & echo $$ >>${file}; echo begun; sleep 600`;
  await runOutOfTime(command, /begun/);
  await soon(() => pidsIn(file).every((pid) => !isAlive(pid)));
});

test('a command that may wait for people has that time in addition to its own', async () => {
  const waiting: CallLog = { ...NO_CALL_LOG, begin: async () => ({ kind: 'begun', waitsMs: 60_000 }) };
  const input = { command: 'sleep 1.5; echo pushed', timeout_s: 1 };
  const outcome = await useTool(kit(waiting))('shell', input);
  assert.ok(outcome.kind === 'ok' && /pushed/.test(outcome.text), JSON.stringify(outcome));
  const alone = await useTool(kit())('shell', input);
  assert.ok(alone.kind === 'failed' && alone.code === 'command_timed_out', JSON.stringify(alone));
});

test('a background process can be read, signalled and ended, and ends with its run', async () => {
  const place = { run: 'bg', conversation: 'bg' };
  const command = `trap 'echo heard' USR1; echo up; while :; do sleep 0.05; done`;
  const text = await textOf('shell', { command, background: true }, { ...place, call: '1.0' });
  assert.match(text, /^Process 1\.0 runs in the background/);
  await soon(async () =>
    /It has run since[^]*\nup\n/.test(await textOf('read_output', { process: '1.0', wait_s: 5 }, place)),
  );
  await textOf('stop_process', { process: '1.0', signal: 'USR1' }, place);
  await soon(async () => /heard/.test(await textOf('read_output', { process: '1.0' }, place)));
  assert.match(await textOf('list_processes', {}, place), /^- 1\.0: It has run since/);
  assert.match(await textOf('stop_process', { process: '1.0' }, place), /all that it started have been ended/);
  const file = join(hands.workspace, 'bg-pids');
  await textOf('shell', { command: `echo $$ >${file}; sleep 600`, background: true }, { ...place, call: '2.0' });
  await soon(() => pidsIn(file).length === 1);
  await handsPrograms(hands.socket).end('bg');
  await soon(() => pidsIn(file).every((pid) => !isAlive(pid)));
  // The answer comes after a short wait, in which a busy machine may not finish the command.
  await soon(async () =>
    /^Exit code 3[^]*no/.test(await textOf('shell', { command: 'echo no >&2; exit 3', background: true }, place)),
  );
});

test('a call that an earlier resident process began is found again, running or ended, and never runs twice', async () => {
  const log = join(hands.workspace, 'ran');
  const place = { run: 'again', conversation: 'again', call: '1.0' };
  const input = { command: `echo ran >>${log}; while [ ! -e ${log}.go ]; do sleep 0.01; done; echo done` };
  const first = preparedCall(kit(), 'shell', input).execute(callContext(place));
  await soon(() => existsSync(log));
  const found = preparedCall(kit(), 'shell', input).verify(callContext(place));
  await run(`touch ${log}.go`);
  const [, verified] = await Promise.all([first, found]);
  assert.ok(verified.kind === 'done' && verified.outcome.kind === 'ok' && /done/.test(verified.outcome.text));
  assert.match(await run(input.command, place), /done/, 'a second start with the id of the call has no effect');
  assert.equal(readFileSync(log, 'utf8'), 'ran\n');
});

test('after a restart of the hands the model reads that the end of a call is lost; only about a push a person is asked', async () => {
  const ends: string[] = [];
  const restarted: CallLog = {
    ...NO_CALL_LOG,
    find: async () => ({ kind: 'begun', boot: 'another' }),
    end: async (_context, { outcome }) => {
      ends.push(outcome.kind);
      return null;
    },
  };
  const verify = (log: CallLog) => preparedCall(kit(log), 'shell', { command: 'true' }).verify(callContext());
  const verified = await verify(restarted);
  assert.ok(verified.kind === 'done' && verified.outcome.kind === 'failed');
  assert.equal(verified.outcome.code, 'machine_restarted');
  assert.match(verified.outcome.text, /started again[^]*look at what is there before you repeat it/);
  assert.deepEqual(ends, ['failed'], 'the API has the end too');
  const git = (action: string) => preparedCall(kit(restarted), 'git', { action }).verify(callContext());
  assert.deepEqual([(await git('commit')).kind, (await git('push')).kind], ['done', 'unknown']);
});

test('a call that the API never saw did not happen', async () => {
  const verify = (log: CallLog) => preparedCall(kit(log), 'shell', { command: 'true' }).verify(callContext());
  assert.deepEqual(await verify({ ...NO_CALL_LOG, find: async () => ({ kind: 'absent' }) }), { kind: 'not_done' });
});
