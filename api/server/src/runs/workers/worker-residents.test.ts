/** Workers of agents with a model: a resident's process, the API, and a scripted model that answers by the prompt of each run. */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { type Run, type Worker } from '@hamlet/contract';
import { dataOf } from '@hamlet/test/env/client';
import { wireModels } from '../../gateway/testing/wire-models.ts';
import { RunPlay } from '../../testing/play/run-play.ts';
import { testResidents } from '../../testing/resident-process.ts';
import { eventually, startPlay } from '../../testing/test-village.ts';
import { called, said, startMind, unending } from '../testing/call-mind.ts';
import { untilEnd } from '@hamlet/test/env/at-end';

const RULES = [
  { tools: ['read', 'publish', 'delegate', 'speak', 'buy'], verdict: 'allow' },
  { tools: ['reply_on_board'], when: 'run', verdict: 'ask', reason: 'a person reads replies first' },
  { tools: ['close_post'], verdict: 'deny', reason: 'admins close posts' },
];
const PARENT = 'The secret of the parent is blue.';

interface Part {
  readonly role?: string;
  readonly prompt: string;
  readonly tokens?: number;
  readonly money?: string;
}

/** Workers that wait end when this is set. */
let mayEnd = false;

const answers = startMind(({ asked, isAfterCall, results }) => {
  const parts = /Delegate: ([^]*)$/.exec(asked)?.[1];
  if (parts !== undefined && !isAfterCall)
    return called(
      ...(JSON.parse(parts) as readonly Part[]).map((part) => ['delegate', { role: 'helper', ...part }] as const),
    );
  if (asked.startsWith('Ask who is active') && !isAfterCall)
    return called(['list_workers', {}], ['delegate', { role: 'helper', prompt: 'Answer: yes' }]);
  if (asked.startsWith('Post') && !isAfterCall) return called(['post_to_board', { title: asked, body: 'Bread.' }]);
  if (asked.startsWith('Close') && !isAfterCall) return called(['close_post', { post_id: crypto.randomUUID() }]);
  if (asked.startsWith('Reply') && !isAfterCall)
    return called(['reply_on_board', { post_id: /[0-9a-f-]{36}/.exec(asked)?.[0], body: 'Yes.' }]);
  if (asked.includes('wait') && parts === undefined && !mayEnd) return unending();
  return said(asked.startsWith('be silent') ? '' : `Result of ${asked.slice(0, 40)}: ${results.join(' | ') || 'fine'}`);
});

const mind = untilEnd(await answers);
const { play } = await startPlay({
  villageSpeed: 20,
  environment: { HAMLET_TOOL_RULES: JSON.stringify(RULES) },
  models: wireModels(mind.url),
});
const runs = new RunPlay(play.url);
const residents = testResidents(play, ['ada']);
await play.admin.rewardAgent({ agent_id: 'ada', amount: '2000', reason: 'for models' });
// The residents of all tests in a minute would use up the requests that the tier allows one agent.
const item = { kind: 'quota', limit: 'requests_per_minute', amount: 1_200 } as const;
await runs.play.as('ada').buyCompute({ item, seconds: 36_000 });
afterEach(() => {
  mayEnd = false;
});

const give = (parts: readonly Part[]): Promise<Run> => runs.give('ada', `${PARENT} Delegate: ${JSON.stringify(parts)}`);
const workersOf = async (parent_run_id: string): Promise<readonly Worker[]> =>
  (await runs.play.admin.listWorkers({ agent_id: 'ada', parent_run_id })).workers;
const active = (runId: string, count = 1): Promise<readonly Worker[]> =>
  eventually(`${count} workers at work`, async () => {
    const found = (await workersOf(runId)).filter(({ run }) => run.state === 'running');
    const texts = mind.requests.map(({ body }) => JSON.stringify(body));
    const asked = found.filter(({ run }) =>
      // The situation follows the words of the prompt.
      texts.some((text) => text.includes(`"content":${JSON.stringify(run.prompt).slice(0, -1)}`)),
    );
    return asked.length === count ? asked : null;
  });
const codesOf = (run: Run): readonly string[] =>
  [...(run.summary ?? '').matchAll(/worker_[a-z_]+/g)].map(([code]) => code);

test('a worker knows only its prompt, role and tools; its parent reads the result', async () => {
  await residents.start('ada');
  const { run_id } = await give([{ role: 'poster', prompt: 'Post about flour' }]);
  const run = await runs.ended(run_id);
  assert.deepEqual([run.state, run.error], ['done', null], run.summary ?? '');
  const [worker, ...others] = await workersOf(run_id);
  assert.ok(worker !== undefined && others.length === 0);
  assert.deepEqual(
    [worker.run.kind, worker.run.state, worker.run.worker?.role, worker.run.worker?.depth, worker.run.prompt],
    ['worker', 'done', 'poster', 1, 'Post about flour'],
  );
  assert.match(worker.envelope?.summary ?? '', /^Result of Post about flour/);
  assert.match(worker.envelope?.artifacts[0]?.at ?? '', /view=board&post=/);
  assert.deepEqual(worker.envelope?.errors, []);
  assert.match(run.summary ?? '', /"artifacts":\[\{"kind":"link"/);
  assert.ok((worker.run.budgets?.tokens ?? 0) < (run.budgets?.tokens ?? 0), 'a share of the budget');
  const own = mind.requests
    .map(({ body }) => JSON.stringify(body))
    .filter((text) => text.includes('Your role: poster'));
  assert.equal(own.length, 2);
  assert.ok(
    own.every((text) => !text.includes(PARENT)),
    'no text of the parent',
  );
});

test('the result of a worker names the calls that were denied', async () => {
  await residents.start('ada');
  const { run_id } = await give([{ prompt: 'Close the post' }]);
  const run = await runs.ended(run_id);
  const [worker] = await workersOf(run_id);
  assert.deepEqual([run.state, worker?.run.state], ['done', 'done'], run.summary ?? '');
  assert.deepEqual(worker?.envelope?.errors, [
    {
      code: 'call_denied',
      what: 'The call 1.0 of close_post was denied: admins close posts',
      fix: 'Do without this call, or ask a person.',
    },
  ]);
  assert.match(run.summary ?? '', /call_denied/);
});

test('a failed worker reports a code, what failed and what to do; its parent continues', async () => {
  await residents.start('ada');
  const { run_id } = await give([{ prompt: 'be silent' }]);
  const run = await runs.ended(run_id);
  const [worker] = await workersOf(run_id);
  assert.deepEqual([run.state, worker?.run.state], ['done', 'failed'], run.summary ?? '');
  const [error] = worker?.envelope?.errors ?? [];
  assert.equal(error?.code, 'empty_answer');
  assert.ok(error.what.length > 0 && error.fix.length > 0);
  assert.match(run.summary ?? '', /empty_answer/);
});

test('each guard refuses with its own code, and says what to do', async () => {
  await residents.start('ada');
  const parts = [
    { prompt: 'Answer: yes', tokens: 900_000_000 },
    { prompt: 'Answer: yes', money: '1000000' },
  ];
  const over = await runs.ended((await give(parts)).run_id);
  assert.deepEqual(codesOf(over).toSorted(), ['worker_no_money', 'worker_no_tokens'], over.summary ?? '');
  assert.match(over.summary ?? '', /Ask for fewer tokens/);
  const third = [{ prompt: 'Answer: yes' }];
  const second = [{ prompt: `Delegate: ${JSON.stringify(third)}` }];
  const deep = await runs.ended((await give([{ prompt: `Delegate: ${JSON.stringify(second)}` }])).run_id);
  assert.match(JSON.stringify(await workersOf(deep.run_id)), /worker_too_deep/);
  mayEnd = true;
  const wide = await give(Array.from({ length: 6 }, () => ({ prompt: 'Please wait', tokens: 1_000 })));
  const { summary } = await runs.ended(wide.run_id);
  assert.ok(!(summary ?? '').includes('worker_no_tokens'), summary ?? '');
});

test('the registry lists the active workers, and their number is limited', async () => {
  await residents.start('ada');
  const { run_id } = await give(Array.from({ length: 5 }, (_, at) => ({ prompt: `Please wait ${at}`, tokens: 1_000 })));
  const four = await eventually('four workers', async () => {
    const found = (await workersOf(run_id)).filter(({ run }) => run.state === 'running');
    return found.length === 4 ? found : null;
  });
  assert.ok(four.every(({ run, envelope }) => run.worker?.depth === 1 && envelope === null));
  for (const { run } of four) dataOf(await runs.cancel(run.run_id));
  const run = await runs.ended(run_id);
  assert.deepEqual(codesOf(run), ['worker_too_many']);
});

test('one worker is cancelled, and its parent reads that; a cancel of the parent ends the tree', async (context) => {
  await residents.start('ada');
  const one = await give([{ prompt: 'Please wait here' }]);
  const [first] = await active(one.run_id);
  const began = performance.now();
  dataOf(await runs.cancel(first?.run.run_id ?? ''));
  assert.equal((await runs.ended(first?.run.run_id ?? '')).state, 'cancelled');
  context.diagnostic(`a worker was cancelled in ${Math.round(performance.now() - began)} ms`);
  const parent = await runs.ended(one.run_id);
  assert.deepEqual(
    [parent.state, /"code":"cancelled"/.test(parent.summary ?? '')],
    ['done', true],
    parent.summary ?? '',
  );
  const inner = [{ prompt: 'Please wait below' }];
  const tree = await give([{ prompt: `Delegate: ${JSON.stringify(inner)}` }]);
  const [middle] = await eventually('the worker of a worker', async () => {
    const [found] = await workersOf(tree.run_id);
    return found !== undefined && (await active(found.run.run_id)).length > 0 ? [found] : null;
  });
  const [leaf] = await workersOf(middle.run.run_id);
  const cancelledAt = performance.now();
  dataOf(await runs.cancel(tree.run_id));
  for (const id of [tree.run_id, middle.run.run_id, leaf?.run.run_id ?? ''])
    assert.equal((await runs.ended(id)).state, 'cancelled');
  context.diagnostic(`a tree of three was cancelled in ${Math.round(performance.now() - cancelledAt)} ms`);
});

test('a worker asks a person like any run, and its parent waits for it', async () => {
  await residents.start('ada');
  await runs.ended((await give([{ prompt: 'Post about rye' }])).run_id);
  const { posts } = await runs.play.admin.listPosts({ q: 'Post about rye', limit: 5 });
  const { run_id } = await give([{ prompt: `Reply to ${posts[0]?.post_id}` }]);
  const pending = await eventually('a question', async () => {
    const [worker] = await workersOf(run_id);
    if (worker?.run.state !== 'waiting_permission') return null;
    const query = { run_id: worker.run.run_id, state: 'pending' as const, limit: 5 };
    return (await runs.play.admin.listPermissions(query)).permissions[0];
  });
  const { permission_id } = pending;
  await runs.play.admin.answerPermission({ permission_id, answer: 'allow' });
  const run = await runs.ended(run_id);
  const [worker] = await workersOf(run_id);
  assert.deepEqual([run.state, worker?.run.state], ['done', 'done'], JSON.stringify(worker));
});

test('a killed resident resumes parent and worker: one worker, one post, one result', async () => {
  const child = await residents.start('ada');
  const { run_id } = await give([{ prompt: 'Post about salt and wait' }]);
  const [before] = await active(run_id);
  const title = 'Post about salt and wait';
  const posted = async () => (await runs.play.admin.listPosts({ q: title, limit: 5 })).posts.length;
  await eventually('the post', async () => (await posted()) === 1);
  await residents.kill(child);
  await runs.play.admin.rebootAgent({ agent_id: 'ada' });
  mayEnd = true;
  await residents.start('ada');
  const run = await runs.ended(run_id);
  assert.deepEqual([run.state, run.error], ['done', null], run.summary ?? '');
  const workers = await workersOf(run_id);
  assert.deepEqual(
    workers.map(({ run: each }) => [each.run_id, each.state]),
    [[before?.run.run_id, 'done']],
  );
  assert.ok((workers[0]?.run.attempt ?? 0) > 1, 'the next process continued it');
  assert.equal(await posted(), 1);
});
