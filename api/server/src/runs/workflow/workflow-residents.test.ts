/** Workflows of agents in residents in separate processes: tools, agents side by side, people, kills at work, cancels and repeats. */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { Run, Worker } from '@hamlet/contract';
import { untilEnd } from '@hamlet/test/env/at-end';
import { dataOf } from '@hamlet/test/env/client';
import { wireModels } from '../../gateway/testing/wire-models.ts';
import { RunPlay } from '../../testing/play/run-play.ts';
import { testResidents } from '../../testing/resident-process.ts';
import { eventually, startPlay } from '../../testing/test-village.ts';
import { called, said, startMind, unending } from '../testing/call-mind.ts';

const RULES = [{ tools: ['read', 'publish', 'delegate', 'speak', 'buy'], verdict: 'allow' }];

/** Two critics judge what the board says; one sentence goes to the board. */
const REVIEW = {
  'agents.yaml': `agents:
  - { id: kind, instructions: You are the kind critic., model: small, tools: [balance], budget: { steps: 5 } }
  - { id: strict, instructions: You are the strict critic., model: a-model-of-tomorrow, tools: [balance],
      output: { type: object, properties: { score: { type: integer } }, required: [score], additionalProperties: false } }
`,
  'tools.yaml': `tools:
  - { id: balance, uses: handler, description: Shows the balance., effect: read, input: { type: object } }
  - { id: post_to_board, uses: handler, description: Posts., effect: keyed,
      input: { type: object, properties: { title: { type: string }, body: { type: string } }, required: [title, body] } }
`,
  'workflow.yaml': `workflow:
  id: review
  description: Two critics and a post.
  nodes:
    - { id: look, role: tool, tool: balance, input: {} }
    - { id: one, role: agent, agent: kind, input: "='judge ' + task.input" }
    - { id: two, role: agent, agent: strict, input: "='judge ' + task.input" }
    - { id: both, role: merge, merge: by_source }
    - { id: post, role: tool, tool: post_to_board, input: { title: "=task.input", body: "='Kind: ' + input.one + ' Strict: ' + string(input.two.score)" } }
    - { id: end, role: linear, output: "={'kind': stages.one.output, 'strict': stages.two.output.score}" }
  edges: [{ from: look, to: one }, { from: look, to: two }, { from: one, to: both }, { from: two, to: both }, { from: both, to: post }, { from: post, to: end }]
`,
};

/** A person allows a call of the task, and one of an agent. */
const ASKING = {
  'agents.yaml': 'agents: [{ id: kind, instructions: You are the kind critic., model: small, tools: [balance] }]',
  'tools.yaml': `tools:
  - { id: balance, uses: handler, ask: true, description: Shows the balance., effect: read, input: { type: object } }
`,
  'workflow.yaml': `workflow:
  id: asking
  description: Asks a person.
  nodes:
    - { id: first, role: linear, output: "={}" }
    - { id: look, role: tool, tool: balance }
    - { id: judge, role: agent, agent: kind, input: "='judge ' + task.input" }
  edges: [{ from: first, to: look }, { from: look, to: judge }]
`,
};

const FAULTY = {
  'tools.yaml': `tools:
  - { id: balanse, uses: handler, description: Shows the balance., input: { type: object } }
  - { id: read, uses: filesystem.read_file }
`,
  'workflow.yaml': `workflow:
  id: faulty
  description: Names a tool that nobody has.
  nodes: [{ id: look, role: tool, tool: balanse }, { id: end, role: tool, tool: read }]
  edges: [{ from: look, to: end }]
`,
};

/** Only the answers of these critics end. */
const BOTH = ['kind', 'strict'];
let mayEnd: readonly string[] = BOTH;
afterEach(() => {
  mayEnd = BOTH;
});

const mind = untilEnd(
  await startMind(({ asked, system, isAfterCall }) => {
    if (!isAfterCall) return called(['balance', {}]);
    const critic = system.includes('strict critic') ? 'strict' : 'kind';
    if (!mayEnd.includes(critic)) return unending();
    return critic === 'strict' ? said('{"score": 3}') : said(`It is good: ${/judge \w+/.exec(asked)?.[0]}`);
  }),
);
const { play } = await startPlay({
  villageSpeed: 20,
  environment: { HAMLET_TOOL_RULES: JSON.stringify(RULES) },
  models: wireModels(mind.url),
  manifests: { ada: REVIEW, bob: ASKING, cleo: FAULTY },
});
const runs = new RunPlay(play.url);
const residents = testResidents(play, ['ada', 'bob', 'cleo']);
for (const agent_id of ['ada', 'bob'] as const)
  await play.admin.rewardAgent({ agent_id, amount: '2000', reason: 'for models' });
const item = { kind: 'quota', limit: 'requests_per_minute', amount: 1_200 } as const;
await runs.play.as('ada').buyCompute({ item, seconds: 36_000 });

const begin = async (agent_id: 'ada' | 'bob' | 'cleo', prompt: string): Promise<string> =>
  (await play.admin.createRun({ agent_id, prompt, workflow: {} })).run.run_id;
const workersOf = async (parent_run_id: string): Promise<readonly Worker[]> =>
  (await play.admin.listWorkers({ agent_id: 'ada', parent_run_id })).workers;
const posted = async (title: string): Promise<number> =>
  (await play.admin.listPosts({ q: title, limit: 50 })).posts.filter((post) => post.title === title).length;
const answerOf = ({ summary }: Run): unknown => JSON.parse(summary ?? '');
/** The workers of both critics, whose models are at work. */
const atWork = (runId: string, attempt: number): Promise<readonly Worker[]> =>
  eventually('two critics at work', async () => {
    const found = (await workersOf(runId)).filter(({ run }) => run.state === 'running' && run.attempt >= attempt);
    return found.length === 2 && found.every(({ run }) => run.usage.steps > 0) ? found : null;
  });
const killed = async (child: Parameters<typeof residents.kill>[0]): Promise<void> => {
  await residents.kill(child);
  await play.admin.rebootAgent({ agent_id: 'ada' });
};

test('a tool, two agents side by side and a merge are one run; each agent is a worker', async () => {
  await residents.start('ada');
  const runId = await begin('ada', 'rye');
  const run = await runs.ended(runId);
  assert.deepEqual([run.state, run.error, run.runtime], ['done', null, 'workflow'], run.summary ?? '');
  assert.deepEqual(answerOf(run), { kind: 'It is good: judge rye', strict: 3 });
  assert.equal(await posted('rye'), 1);
  const workers = await workersOf(runId);
  assert.deepEqual(workers.map(({ run: each }) => [each.worker?.stage, each.state, each.worker?.role]).toSorted(), [
    [{ stage: 'one', round: 1, attempt: 1, agent: 'kind' }, 'done', 'one'],
    [{ stage: 'two', round: 1, attempt: 1, agent: 'strict' }, 'done', 'two'],
  ]);
  const texts = mind.requests.map(({ body }) => JSON.stringify(body)).filter((text) => text.includes('critic'));
  assert.equal(texts.length, 4);
  assert.ok(texts.every((text) => text.includes('"name":"balance"') && !text.includes('"name":"post_to_board"')));
  const used = workers.reduce((sum, { run: each }) => sum + each.usage.tokens, 0);
  assert.ok(run.usage.tokens >= used, JSON.stringify([run, ...workers]));
});

test('a resident that is killed twice, and then loses its volume, continues the same workers and repeats no stage', async () => {
  mayEnd = [];
  const first = await residents.start('ada');
  const runId = await begin('ada', 'barley');
  const before = await atWork(runId, 1);
  await killed(first);
  mayEnd = ['kind'];
  const second = await residents.start('ada');
  await eventually('the first answer', async () => (await workersOf(runId)).some(({ run }) => run.state === 'done'));
  await killed(second);
  mayEnd = BOTH;
  await residents.start('ada', 'moved');
  const run = await runs.ended(runId);
  assert.deepEqual([run.state, run.error], ['done', null], run.summary ?? '');
  assert.deepEqual(answerOf(run), { kind: 'It is good: judge barley', strict: 3 });
  const workers = await workersOf(runId);
  const idsOf = (found: readonly Worker[]): readonly string[] => found.map(({ run: { run_id } }) => run_id).toSorted();
  assert.deepEqual(idsOf(workers), idsOf(before));
  const attemptOf = (stage: string) =>
    workers.find(({ run: each }) => each.worker?.stage?.stage === stage)?.run.attempt;
  assert.deepEqual([attemptOf('one'), attemptOf('two')], [2, 3], 'a worker that has ended stays ended');
  assert.equal(await posted('barley'), 1);
});

test('a run repeats another one from a stage on, with another input', async () => {
  await residents.start('ada');
  const of = await begin('ada', 'oats');
  await runs.ended(of);
  const asked = mind.requests.length;
  const { run } = await play.admin.rerunRun({
    run_id: of,
    stage: 'post',
    input_json: '{"title":"oats again","body":"b"}',
  });
  const again = await runs.ended(run.run_id);
  assert.deepEqual([again.state, again.error], ['done', null], again.summary ?? '');
  assert.deepEqual(answerOf(again), { kind: 'It is good: judge oats', strict: 3 });
  assert.equal(mind.requests.slice(asked).filter(({ body }) => JSON.stringify(body).includes('critic')).length, 0);
  assert.equal(await posted('oats again'), 1);
});

test('faults of the manifests fail the run at their place, and its answer has all of them', async () => {
  await residents.start('cleo');
  const run = await runs.ended(await begin('cleo', 'anything'));
  assert.equal(run.state, 'failed');
  assert.deepEqual(run.error, {
    code: 'config_error',
    message: 'tools.yaml:2:11: the agent has no tool balanse. Write balance. (and 1 more)',
  });
  assert.match(run.summary ?? '', /tools\.yaml:3:11: filesystem\.read_file needs hands/);
});

test('a call in the middle waits for a person, of the task and of the worker of a stage', async () => {
  await residents.start('bob');
  const runId = await begin('bob', 'hops');
  const own = await runs.asked(runId);
  assert.deepEqual([own.tool, own.call_id], ['balance', 'look.1.1:1']);
  await eventually('the run to wait', async () => (await runs.get(runId)).state === 'waiting_permission');
  await play.admin.answerPermission({ permission_id: own.permission_id, answer: 'allow' });
  const ofWorker = await runs.asked();
  const worker = await eventually('the worker to wait', async () => {
    const { worker: origin, state } = await runs.get(ofWorker.run_id);
    return state === 'waiting_permission' ? origin : null;
  });
  assert.deepEqual([ofWorker.tool, worker.parent_run_id, worker.stage?.stage], ['balance', runId, 'judge']);
  assert.equal(ofWorker.reason, 'The workflow asks a person before balance');
  await play.admin.answerPermission({ permission_id: ofWorker.permission_id, answer: 'allow' });
  const run = await runs.ended(runId);
  assert.deepEqual([run.state, run.summary], ['done', 'It is good: judge hops']);
});

test('a cancel in the middle ends the workers too', async () => {
  mayEnd = [];
  await residents.start('ada');
  const runId = await begin('ada', 'hops');
  const workers = await atWork(runId, 1);
  dataOf(await runs.cancel(runId));
  assert.equal((await runs.ended(runId)).state, 'cancelled');
  for (const { run } of workers) assert.equal((await runs.ended(run.run_id)).state, 'cancelled');
  assert.equal(await posted('hops'), 0);
});
