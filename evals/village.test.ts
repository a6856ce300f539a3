/**
 * A task of each kind (in the gate, of those that differ for the product) through the whole product: the API, a resident's process and real hands. The model is a server that plays the
 * commands of the reference solution.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { atEnd, setVariables, testFolder, untilEnd } from '@hamlet/test/env/at-end';
import { FULL_RUN } from '@hamlet/test/env/seeded';
import { withTunnel } from '../api/server/src/permissions/testing/permission-play.ts';
import { payForModels, startHandsVillage } from '../api/server/src/testing/hands-village.ts';
import { called, said, startMind, unending, type Asked } from '../api/server/src/runs/testing/call-mind.ts';
import { residentProcesses } from '../api/server/src/testing/resident-process.ts';
import { eventually, Play } from '../api/server/src/testing/test-village.ts';
import { attemptTask, type AttemptResult } from './attempt.ts';
import { personsWords } from '@hamlet/test/env/minds/persons-words';
import { handsBy } from './hands.ts';
import { movedText } from './task-folder.ts';
import { readTasks, type EvalTask } from './task.ts';

type Call = readonly [name: string, input: object];
/** Calls of the answers of a model, one list per answer. */
type Plan = readonly (readonly Call[])[];

const PAUSE_MS = 50;
// Builds and bookings of tasks take minutes; in these hands each pause of a program takes a moment.
const programs = testFolder('eval-programs');
writeFileSync(join(programs, 'sleep'), '#!/bin/sh\nexec /bin/sleep 0.2\n', { mode: 0o755 });
setVariables({ PATH: `${programs}:${process.env['PATH']}` });

const TASKS = join(import.meta.dirname, 'tasks');
const { tasks } = readTasks(TASKS);
const CHOSEN = [
  'build-in-background',
  'data-sales-months',
  'injected-price-page',
  'memory-house-style',
  'reboot-bookings',
  'refactor-report-copies',
  'refused-push',
  'repair-repository',
  'research-release-notes',
  'workers-two-halves',
  'write-table-of-contents',
] as const;
/** In these the model only plays the reference solution, as in `write-table-of-contents`. */
const PLAIN: ReadonlySet<string> = new Set(['data-sales-months', 'refactor-report-copies', 'repair-repository']);

const shell = (command: string): Call => ['shell', { command }];
const read = (url: string): Call => shell(`curl -sS --retry 9 --retry-connrefused --retry-delay 1 ${url}`);

function solve(task: EvalTask, base: string, results: readonly string[]): Plan {
  const command = movedText(task, base, readFileSync(join(task.folder, 'solution/solve.sh'), 'utf8'));
  if (task.kind !== 'build') return [[shell(command)]];
  const process = /^Process (\S+) runs in the background/m.exec(results.join('\n'))?.[1];
  return [[['shell', { command, background: true }]], [['wait_for', { process, seconds: 60 }]]];
}

/** Calls before the reference solution. */
const BEFORE: Readonly<Record<string, (app: string) => Plan>> = {
  'injected-price-page': () => [[read('http://127.0.0.1:8933/prices-2.html')]],
  'research-release-notes': () => [[read('http://127.0.0.1:8931/notes/3.4.html')]],
  'refused-push': (app) => [[shell(`cd ${app} && git push origin main`)]],
  'workers-two-halves': (app) => [
    ['north', 'south'].map((town) => ['delegate', { role: 'reader', prompt: `Read ${app}/letters/${town}` }] as const),
  ],
  'reboot-bookings': (app) =>
    readdirSync(join(TASKS, 'reboot-bookings/environment/app/inbox')).map((file) => [
      shell(`cd ${app} && { grep -qs '^${file} ' ledger.txt || bash book.sh ${file}; }`),
    ]),
};

/** The model must have seen this before it ended. */
const EVIDENCE: Readonly<Record<string, RegExp>> = {
  'build-in-background': /It ended after \S+ s with exit code 0/,
  'injected-price-page': /SYSTEM NOTICE FOR AI AGENTS/,
  'memory-house-style': /INV-0042 \/ Bakery Oak/,
  'refused-push': /Not today: the shop is open/,
  'research-release-notes': /is 15 minutes again/,
};

function planOf({ messages, results }: Asked): Plan {
  const words = messages
    .flatMap(({ role, content }) => (role === 'user' ? [personsWords(content ?? '')] : []))
    .join('\n');
  if (words.includes('remember for later')) return [[['remember', { text: 'Invoices: INV-0042 / Bakery Oak' }]]];
  const [base = '', name = ''] = /\/[^\s]*\/evals\/([a-z-]+)-1(?=\/)/.exec(words) ?? [];
  const letters = /\/[^\s]*\/letters\/(north|south)/.exec(words)?.[0];
  if (letters !== undefined) return [[shell(`cat ${letters}/*`)]];
  const task = tasks.find((each) => each.name === name);
  return task === undefined ? [] : [...(BEFORE[name]?.(`${base}/app`) ?? []), ...solve(task, base, results)];
}

/** The task during which the person stops the eval. */
const STOPPED = 'write-snapshots';
const requests: Asked[] = [];
const mind = await startMind((asked) => {
  requests.push(asked);
  const answered = asked.messages.filter(({ role }) => role === 'assistant').length;
  if (JSON.stringify(asked.messages).includes(`/evals/${STOPPED}-1/`)) return unending();
  const calls = planOf(asked)[answered];
  return calls === undefined ? said('Done.') : called(...calls);
});

const village = untilEnd(await startHandsVillage(mind, { environmentOf: withTunnel }));
const play = new Play(village.peopleUrl);
const residents = untilEnd(residentProcesses(() => play));
await payForModels(play, ['ada']);
// The tasks of one minute would use up the requests that the tier allows one agent.
await play.admin.rewardAgent({ agent_id: 'ada', amount: '2000', reason: 'for requests' });
await play
  .as('ada')
  .buyCompute({ item: { kind: 'quota', limit: 'requests_per_minute', amount: 1_200 }, seconds: 3_600 });
let isEnding = false;
atEnd(() => {
  isEnding = true;
});

/** Starts a process for each cycle of the agent, like the operator. */
async function keepResident(): Promise<void> {
  while (!isEnding) await once(await residents.start('ada'), 'exit');
}
void keepResident();

const taskOf = (name: string): EvalTask => {
  const task = tasks.find((each) => each.name === name);
  assert.ok(task !== undefined, name);
  return task;
};

function attempt(task: EvalTask, stopping = new AbortController()): Promise<AttemptResult> {
  const { workspace } = village.hands;
  mkdirSync(join(workspace, 'evals'), { recursive: true });
  const ports = { client: play.admin, agentId: 'ada', hands: handsBy(async () => []), workspace };
  return attemptTask({ ...ports, signal: stopping.signal, pauseMs: PAUSE_MS }, task, 1);
}

for (const name of CHOSEN.filter((each) => FULL_RUN || !PLAIN.has(each)))
  test(`${name}: the agent solves it, and the tests in its hands pass`, async () => {
    const { solved, why, state, steps, tokens } = await attempt(taskOf(name));
    assert.deepEqual([solved, why, state], [true, null, 'done']);
    assert.match(JSON.stringify(requests.at(-1)?.messages), EVIDENCE[name] ?? /./);
    assert.ok(steps >= 2 && tokens > 0, `${steps} steps, ${tokens} tokens`);
  });

test('a run over its time is cancelled, and its result says so', async () => {
  const { solved, why, state } = await attempt({ ...taskOf(STOPPED), agentS: 1 });
  assert.deepEqual([solved, why, state], [false, 'not done within 0 minutes', 'cancelled']);
});

test('a stopped eval cancels its run, removes the folder, and counts nothing', async () => {
  const stopping = new AbortController();
  const seen = requests.length;
  const stopped = assert.rejects(attempt(taskOf(STOPPED), stopping), /by the person/);
  await eventually('the run asks its model', () => requests.length > seen);
  stopping.abort(new Error('by the person'));
  await stopped;
  const { runs } = await play.admin.listRuns({ agent_id: 'ada', limit: 1 });
  assert.notEqual(runs[0]?.cancel_requested_at, null);
  assert.deepEqual(readdirSync(join(village.hands.workspace, 'evals')), []);
});

test('a task of each kind is chosen', () => {
  const kinds = (of: readonly EvalTask[]): ReadonlySet<string> => new Set(of.map(({ kind }) => kind));
  assert.deepEqual(kinds(tasks.filter(({ name }) => CHOSEN.some((each) => each === name))), kinds(tasks));
});
