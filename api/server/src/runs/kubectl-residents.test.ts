/** `kubectl hamlet` as people use it: chat, a question and its answer, a run that is followed, denied and cancelled. The plugin is a process; only the model is scripted. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { atEnd, untilEnd, testFolder } from '@hamlet/test/env/at-end';
import { payForModels, startHandsVillage } from '../testing/hands-village.ts';
import { RunPlay } from '../testing/play/run-play.ts';
import { testResidents } from '../testing/resident-process.ts';
import { eventually, TOKENS } from '../testing/test-village.ts';
import { askFor, startCallMind } from './testing/call-mind.ts';

const PLUGIN = resolve(import.meta.dirname, '../../../../cli/kubectl/src/main.ts');
const QUESTION = askFor('ask_human', { question: 'Which bread?' });

const open = new Set<ChildProcess>();
/** Outside every village folder, because the plugin searches the parents of its folder for up.json. */
const folder = testFolder('kubectl');

const village = untilEnd(await startHandsVillage(await startCallMind()));
const runs = new RunPlay(village.peopleUrl);
const residents = testResidents(runs.play);
await payForModels(runs.play, ['ada']);
await residents.start('ada');
atEnd(async () => {
  for (const child of open) child.kill();
});

/** Starts the plugin. `printed`: its output so far. */
function hamlet(...args: string[]): Readonly<{ printed: () => string; code: Promise<number> }> {
  const env = { ...process.env, HAMLET_URL: village.peopleUrl, HAMLET_TOKEN: TOKENS.admin, KUBECONFIG: '' };
  const child = spawn(process.execPath, [PLUGIN, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  open.add(child);
  child.once('close', () => open.delete(child));
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
  return { printed: () => printed, code: once(child, 'close').then(([code]) => Number(code)) };
}

async function ended(...args: string[]): Promise<{ readonly code: number; readonly printed: string }> {
  const command = hamlet(...args);
  return { code: await command.code, printed: command.printed() };
}

test("a person chats, and another terminal answers the agent's question by the beginning of its id", async () => {
  const chat = hamlet('chat', 'ada', `--once=${QUESTION}`);
  const { permission_id: id } = await runs.asked();
  await eventually('the question in the chat', () => chat.printed().includes(id));
  const waiting = await ended('permissions', 'ada');
  assert.equal(waiting.code, 1, 'something waits');
  assert.match(waiting.printed, /Which bread\?[^]*kubectl hamlet approve/);
  const answered = await ended('approve', id.slice(0, 23), '--reply=rye');
  assert.deepEqual([answered.code, answered.printed], [0, 'ask_human of ada: allowed\n']);
  assert.equal(await chat.code, 0, chat.printed());
  assert.match(chat.printed(), /Next\.[^]*Which bread\?[^]*The results: [^]*rye/);
  assert.equal((await ended('permissions', 'ada')).code, 0, 'nothing waits');
});

test('a run is followed to its end, even if a person denies its call', async () => {
  await eventually('the end of all runs', async () => {
    const { runs: newest } = await runs.play.admin.listRuns({ agent_id: 'ada', limit: 5 });
    return newest.every(({ ended_at }) => ended_at !== null);
  });
  const follow = hamlet('runs', 'ada', '--follow');
  await eventually('the wait for a run', () => follow.printed().includes('waits for the next'));
  const { run_id } = await runs.give('ada', QUESTION);
  const { permission_id: id } = await runs.asked();
  const denied = await ended('deny', id, '--reason=No bread today, and password=rye-4711 is no question');
  assert.equal(denied.code, 0, denied.printed);
  assert.equal(await follow.code, 0, follow.printed());
  assert.match(
    follow.printed(),
    new RegExp(
      `run ${run_id}: Call ask_human[^]*The results: [^]*denied \\(person\\)[^]*> No bread today, and password=\\[secret\\] is no question\\n[^]*done: \\d+ steps`,
    ),
  );
  assert.match((await ended('runs', 'ada', '--limit=1')).printed, new RegExp(`${run_id} +ada +Hamlet's engine +done`));
});

test('when a person cancels a run, its follower ends and its page shows the cancel', async () => {
  const { run_id } = await runs.give('ada', QUESTION);
  await runs.asked();
  const follow = hamlet('runs', 'ada', '--follow');
  await eventually('the run', () => follow.printed().includes(run_id));
  const cancelled = await ended('run', run_id, 'cancel', '--reason=Too late');
  assert.equal(cancelled.code, 0, cancelled.printed);
  assert.equal(await follow.code, 1, follow.printed());
  assert.match(follow.printed(), /cancelled: \d+ steps?/);
  assert.match((await ended('run', run_id)).printed, /^run of ada, [^]*cancelled: \d+ steps?/);
});

test('a refusal names the fault, and the exit code is 1', async () => {
  const unknown = await ended('approve', '00000000-0000-4000-8000-000000000000');
  assert.equal(unknown.code, 1);
  assert.match(unknown.printed, /permission/i);
  const missing = await ended('chat', 'zed', '--once=Hello');
  assert.equal(missing.code, 1);
  assert.equal(missing.printed.match(/no agent of this id is in the world/g)?.length, 1, missing.printed);
});
