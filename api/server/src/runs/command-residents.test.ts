/** An agent whose mind is a program, by configuration alone: a resident's process, a real supervisor of its hands, and the API. */
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { programClaimOf, type Permission } from '@hamlet/contract';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import { untilEnd, setVariables } from '@hamlet/test/env/at-end';
import { dataOf, follow } from '@hamlet/test/env/client';
import { testResidents } from '../testing/resident-process.ts';
import { RunPlay } from '../testing/play/run-play.ts';
import { eventually, testVillage } from '../testing/test-village.ts';

const hands = untilEnd(await startHands());
setVariables({ HAMLET_HANDS_SOCKET: hands.socket });
const village = await testVillage({ villageSpeed: 20 });
const sample = (name: string): string => join(village.samples, name);
// The prompt is the script.
appendFileSync(
  sample('good-agent-ada.yaml'),
  `  runtime:\n    name: command\n    config: { command: sh, args: "-c\\n{prompt}", cwd: ${hands.workspace} }\n`,
);
const TOY = resolve(import.meta.dirname, '../../../../agent-image/resident/src/acp/testing/acp-agent.ts');
appendFileSync(
  sample('good-agent-bob.yaml'),
  `  runtime:\n    name: acp\n    config: { command: ${process.execPath}, args: "${TOY}\\n${hands.workspace}", cwd: ${hands.workspace}, mode: ask }\n`,
);
const runs = new RunPlay((await village.startReplica()).peopleUrl);
const residents = testResidents(runs.play, ['ada']);
await runs.play.everybody();

const fileOf = (name: string): string => join(hands.workspace, name);
const linesOf = (name: string): readonly string[] =>
  existsSync(fileOf(name)) ? readFileSync(fileOf(name), 'utf8').trim().split('\n') : [];

async function answer(runId: string, word: 'happened' | 'repeat' | 'allow'): Promise<Permission> {
  const asked = await runs.asked(runId);
  await runs.play.admin.answerPermission({ permission_id: asked.permission_id, answer: word });
  return asked;
}

function watch(runId: string) {
  const { events, ended } = follow(() => runs.play.admin.streamRun({ run_id: runId }));
  return {
    events,
    ended,
    words: () => events.flatMap((each) => (each.event === 'delta' ? [each.data.text] : [])).join(''),
  };
}

/** A command that waits until a file exists. */
const awaited = (name: string): string => `while [ ! -e ${fileOf(name)} ]; do sleep 0.05; done`;

const isAlive = (pid: string): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

test('a command answers a run: its output is streamed and is the result', async () => {
  await residents.start('ada');
  const script = `${awaited('read')}; printf 'Hello from %s. ' "$AGENT_ID"; ${awaited('go')}; echo done`;
  const { run_id } = await runs.give('ada', script);
  const reading = watch(run_id);
  await eventually('the work in the stream', () =>
    reading.events.some((each) => each.event === 'run' && each.data.state === 'running'),
  );
  appendFileSync(fileOf('read'), '');
  await eventually('the words', () => reading.words() === 'Hello from ada. ');
  appendFileSync(fileOf('go'), '');
  const run = await runs.ended(run_id);
  assert.deepEqual([run.state, run.summary, run.runtime], ['done', 'Hello from ada. done', 'command']);
  await reading.ended;
  const { run_id: failing } = await runs.give('ada', 'echo no oven >&2; exit 4');
  const failed = await runs.ended(failing);
  assert.equal(failed.error?.code, 'command_failed');
  assert.match(failed.error?.message ?? '', /exit code 4\. It said: no oven/);
});

test('a command that is killed midway runs again only if a person allows it', async () => {
  for (const word of ['happened', 'repeat'] as const) {
    const name = `loaves-${word}`;
    const child = await residents.start('ada');
    const { run_id } = await runs.give(
      'ada',
      `echo loaf >>${fileOf(name)}; [ -e ${fileOf(`${name}-go`)} ] || sleep 600`,
    );
    await eventually('the first loaf', () => linesOf(name).length === 1);
    await residents.kill(child);
    await runs.play.admin.rebootAgent({ agent_id: 'ada' });
    appendFileSync(fileOf(`${name}-go`), '');
    // If the person answers `repeat`, the volume is lost too.
    await residents.start('ada', word === 'repeat' ? 'moved' : undefined);
    const asked = await answer(run_id, word);
    assert.deepEqual([asked.why, asked.tool, asked.call_id], ['unknown', 'command', '1.0']);
    const run = await runs.ended(run_id);
    assert.deepEqual([run.state, linesOf(name).length], ['done', word === 'repeat' ? 2 : 1], run.summary ?? '');
    await residents.killAll();
    await runs.play.admin.rebootAgent({ agent_id: 'ada' });
  }
});

test('a cancel ends the command and its child processes, names the call, and no output follows', async () => {
  await residents.start('ada');
  const script = `setsid sh -c 'echo $$ >>${fileOf('pids')}; sleep 600' & echo $$ >>${fileOf('pids')}; while :; do echo word; sleep 0.05; done`;
  const { run_id } = await runs.give('ada', script);
  const reading = watch(run_id);
  await eventually('words and processes', () => reading.words() !== '' && linesOf('pids').length === 2);
  dataOf(await runs.cancel(run_id));
  const run = await runs.ended(run_id);
  assert.deepEqual([run.state, run.unsettled], ['cancelled', ['1.0']]);
  await eventually('the end of the processes', () => linesOf('pids').every((pid) => !isAlive(pid)));
  await reading.ended;
  const cancelled = reading.events.findIndex(
    (each) => each.event === 'run_event' && each.data.event === 'cancel_requested',
  );
  assert.ok(cancelled >= 0, reading.events.map(({ event }) => event).join());
  assert.ok(!reading.events.slice(cancelled).some(({ event }) => event === 'delta'), 'words after the cancel');
});

test('after SIGTERM a command may end by itself: its result is stored, and the next process only answers', async () => {
  const child = await residents.start('ada');
  const { run_id } = await runs.give('ada', `echo loaf >>${fileOf('term')}; ${awaited('oven')}; echo baked`);
  await eventually('the loaf', () => linesOf('term').length === 1);
  child.kill('SIGTERM');
  await eventually('the interruption', async () =>
    (await runs.events(run_id)).some(({ event }) => event === 'interrupted'),
  );
  appendFileSync(fileOf('oven'), '');
  await eventually('the end of the process', () => child.exitCode !== null);
  assert.equal(child.exitCode, 0);
  assert.equal((await runs.get(run_id)).ended_at, null);
  await runs.play.admin.rebootAgent({ agent_id: 'ada' });
  await residents.start('ada');
  const run = await runs.ended(run_id);
  assert.deepEqual([run.state, run.summary, linesOf('term').length], ['done', 'baked', 1]);
});

test('a program of the Agent Client Protocol: its words and claims are shown, the rules and a person decide about what it asks', async () => {
  await residents.start('bob');
  const call = { toolCallId: 'c9', kind: 'edit', title: 'Edit the recipe' } as const;
  const steps = [
    { update: { sessionUpdate: 'tool_call', status: 'in_progress', ...call } },
    { update: { sessionUpdate: 'tool_call_update', toolCallId: 'c9', status: 'completed' } },
    { ask: { toolCallId: 'c1', kind: 'execute', rawInput: { command: 'ls' } } },
    { update: { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' } },
    { ask: { toolCallId: 'c2', kind: 'other', title: 'Light the oven' } },
    { update: { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'Is it hot?' } } },
  ];
  const { run_id } = await runs.give('bob', `SCRIPT ${JSON.stringify(steps)}`);
  const reading = watch(run_id);
  const asked = await answer(run_id, 'allow');
  assert.deepEqual([asked.tool, asked.call_id, asked.why], ['program_act', '1.0.t3', 'policy']);
  const run = await runs.ended(run_id);
  const words = 'id_allow_once\n\nid_allow_once';
  assert.deepEqual([run.state, run.runtime, run.summary], ['done', 'acp', words], run.error?.message ?? '');
  await reading.ended;
  // A reader that comes after the first words gets the later ones.
  assert.match(reading.words(), /id_allow_once$/);
  const events = await runs.events(run_id);
  const thoughts = events.flatMap((each) => (each.event === 'model_answered' ? (each.detail.thoughts ?? []) : []));
  assert.deepEqual(thoughts, ['Is it hot?']);
  const calls = events.flatMap((each) => (each.event === 'call_begun' || each.event === 'call_settled' ? [each] : []));
  const shown = calls.map(({ event, witnessed, detail }) => [detail.call_id, event, witnessed]);
  assert.deepEqual(
    shown.filter(([id]) => id === '1.0.t1'),
    [
      ['1.0.t1', 'call_begun', false],
      ['1.0.t1', 'call_settled', false],
    ],
  );
  assert.ok(shown.some(([id, event, witnessed]) => id === '1.0.t2' && event === 'call_begun' && witnessed));
  const claims = calls.flatMap(({ event, detail }) => (event === 'call_settled' ? (programClaimOf(detail) ?? []) : []));
  assert.deepEqual(
    claims.map(({ kind, title }) => [kind, title]),
    [
      ['edit', 'Edit the recipe'],
      ['say', ''],
    ],
  );
  const order = [...new Set(calls.map(({ detail }) => detail.call_id))].filter((id) => id.startsWith('1.0.'));
  assert.deepEqual(order, ['1.0.t1', '1.0.t2', '1.0.s1', '1.0.t3'], 'words stand between the calls around them');
});
