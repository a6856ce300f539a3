import { Permission, type Run, type WorkflowStage } from '@hamlet/contract';
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compilePlan, readManifests } from '@hamlet/engine/manifests';
import { testFolder } from '@hamlet/test/env/at-end';
import { taskOf } from './run.ts';
import { stageNews } from './stage-text.ts';
import { hamlet, scriptedVillage } from './testing/scripted-village.ts';
import { outputOf } from './workflow-view.ts';

const RUN = '01a20000-0000-7000-8000-000000000001';
const WORKER = '01a20000-0000-7000-8000-000000000002';
const EARLIER = '01a20000-0000-7000-8000-000000000003';
const ASKED = '01a20000-0000-7000-8000-000000000004';
const at = '2026-11-29T22:00:00.000Z';
const SHA = 'ab'.repeat(32);

const runOf = (parts: Partial<Run> = {}): Run => ({
  run_id: RUN,
  agent_id: 'ada',
  kind: 'prompt',
  state: 'running',
  prompt: 'Review the change',
  created_at: at,
  created_by: { role: 'admin', id: 'x' },
  schedule: null,
  attempt: 1,
  cycle: 1,
  started_at: at,
  ended_at: null,
  summary: null,
  error: null,
  cancel_requested_at: null,
  session_id: null,
  runtime: 'workflow',
  usage: { tokens: 340, cost: '0.5', steps: 2, witnessed: true },
  budgets: null,
  workflow: { manifests: SHA },
  unsettled: [],
  ...parts,
});
const DONE = runOf({ state: 'done', ended_at: at, summary: 'ship it' });

const stageOf = (stage: string, parts: Partial<WorkflowStage> = {}): WorkflowStage => ({
  stage,
  role: 'agent',
  status: 'completed',
  round: 1,
  attempt: 1,
  input: '{}',
  output: null,
  failure: null,
  edges: [],
  worker_run_id: null,
  tokens: 0,
  cost: '0',
  started_at: at,
  ended_at: '2026-11-29T22:00:12.300Z',
  ...parts,
});
const JUDGING = stageOf('judge', { status: 'running', worker_run_id: WORKER, ended_at: null });
const JUDGED = stageOf('judge', { worker_run_id: WORKER, tokens: 340, cost: '0.5' });
const SHIPPED = stageOf('ship', {
  role: 'linear',
  output: '{"verdict":"ship\\u001b[31m it","score":9007199254740993}',
});

const MANIFEST = `workflow:
  id: review
  description: Judges a text.
  nodes:
    - { id: judge, role: linear, output: "={'score': 4}", decides: true }
    - { id: ship, role: linear }
    - { id: fix, role: linear }
  edges:
    - { from: judge, to: ship, type: conditional, when: "output.score >= 4" }
    - { from: judge, to: fix, type: conditional, otherwise: true }
`;
const read = readManifests(new Map([['workflow.yaml', MANIFEST]]));
assert.ok(read.ok, JSON.stringify(read));
const compiled = compilePlan(read.value, 'default');
assert.ok(compiled.ok);
const PLAN = JSON.stringify(compiled.value);
const workflowOf = (stages: readonly WorkflowStage[], plan: string | null = PLAN) => ({
  manifests: { sha256: SHA, files: [{ path: 'workflow.yaml', text: 'workflow: {}' }] },
  pipeline: plan === null ? null : 'default',
  plan,
  stages,
});

const PERMISSION = Permission.parse({
  permission_id: ASKED,
  run_id: WORKER,
  agent_id: 'ada',
  session_id: null,
  request: 'publish',
  call_id: '1.0',
  tool: 'publish',
  arguments: '{"text":"x"}',
  why: 'policy',
  reason: '',
  question: null,
  state: 'pending',
  policy_version: '1',
  asked_at: at,
  expires_at: '2026-11-30T22:00:00.000Z',
  answered_at: null,
  answered_by: null,
  answer: null,
  reply: null,
});

interface Moment {
  readonly run: Run;
  readonly stages: readonly WorkflowStage[];
  readonly asks?: boolean;
}

/** A village in which each read of the run returns its next state; the last one stays. */
async function villageOf(moments: readonly Moment[], made = runOf({ state: 'queued' })) {
  let index = -1;
  const now = (): Moment => moments[Math.min(Math.max(index, 0), moments.length - 1)] ?? { run: made, stages: [] };
  return scriptedVillage(({ route }) => {
    if (route.startsWith('POST ')) return { status: 201, body: { run: made, offer: null } };
    if (route === `GET /runs/${RUN}`) index += 1;
    switch (route) {
      case `GET /runs/${RUN}`:
        return { status: 200, body: { run: now().run, offer: null } };
      case `GET /runs/${RUN}/workflow`:
        return { status: 200, body: workflowOf(now().stages) };
      case 'GET /permissions':
        return { status: 200, body: { permissions: now().asks === true ? [PERMISSION] : [], next_cursor: null } };
      default:
        throw new Error(`unexpected: ${route}`);
    }
  });
}

test('the prompt names the task, and is its input unless --input gives another', () => {
  const flags = { input: undefined, pipeline: undefined, mode: undefined, tag: undefined };
  assert.deepEqual(taskOf({ names: ['ada', 'Fix it'], flags }), { prompt: 'Fix it', workflow: {} });
  assert.deepEqual(taskOf({ names: ['ada'], flags }).workflow, { input_json: '{}' });
  const given = { input: ' {"n": 9007199254740993} ', pipeline: 'full', mode: 'implement', tag: ['code', 'fast'] };
  assert.deepEqual(taskOf({ names: ['ada', 'Fix it'], flags: given }).workflow, {
    input_json: '{"n": 9007199254740993}',
    pipeline: 'full',
    mode: 'implement',
    tags: ['code', 'fast'],
  });
});

test('run --follow reports each change once on stderr, then prints the output on stdout', async () => {
  const moments = [
    { run: runOf(), stages: [] },
    { run: runOf({ state: 'waiting_permission' }), stages: [JUDGING], asks: true },
    { run: DONE, stages: [JUDGED, SHIPPED, stageOf('fix', { status: 'skipped', started_at: null })] },
  ];
  const { url, asked } = await villageOf(moments);
  const words = ['workflow', 'run', 'ada', 'Fix it', '--input={"pr": 7}', '--tag=code', '--follow'];
  const { code, out, notes } = await hamlet(words, { url });
  assert.equal(code, 0, notes);
  assert.deepEqual(asked[0], {
    route: 'POST /agents/ada/runs',
    query: '',
    body: { prompt: 'Fix it', workflow: { input_json: '{"pr": 7}', tags: ['code'] } },
  });
  assert.equal(out, `${SHIPPED.output}\n`, 'all digits');
  const lines = notes.split('\n');
  assert.deepEqual(
    [lines[0], lines[1], ...lines.slice(-4)],
    [
      `run ${RUN} waits for ada`,
      `▸ judge  run ${WORKER}`,
      '✔ judge  12.3 s, 340 tokens',
      '✔ ship  12.3 s',
      '- fix skipped',
      'done: 2 steps, 340 tokens, 0.5 aiDollars',
    ],
  );
  assert.equal(lines.filter((line) => line.includes(`kubectl hamlet approve ${ASKED}`)).length, 1);
});

test('run without --follow only says which run waits', async () => {
  const { url, asked } = await villageOf([]);
  const { code, out } = await hamlet(['workflow', 'run', 'ada'], { url });
  assert.deepEqual([code, out, asked.length], [0, `run ${RUN} waits for ada\n`, 1]);
  const json = await hamlet(['workflow', 'run', 'ada', '--json'], { url });
  assert.equal((JSON.parse(json.out) as Run).run_id, RUN);
});

test('a run that fails prints its failure, and the exit code is 1', async () => {
  const failure = { category: 'tool', code: 'not_found', message: 'There is no file a.txt\nStack' };
  const error = { code: 'not_found', message: 'failed in the tool stage fetch' };
  const failed = {
    run: runOf({ state: 'failed', ended_at: at, error }),
    stages: [stageOf('fetch', { status: 'failed', failure, attempt: 2 })],
  };
  const { url } = await villageOf([failed]);
  const { code, out, notes } = await hamlet(['workflow', 'run', 'ada', '-f'], { url });
  assert.deepEqual([code, out], [1, '']);
  assert.match(notes, /\n✖ fetch \(attempt 2\) {2}12\.3 s {2}tool\/not_found: There is no file a\.txt\n/);
  assert.match(notes, /\nfailed: 2 steps[^\n]*\nfailed in the tool stage fetch$/);
});

test('resume repeats a run from a stage with another input, and follows the new run', async () => {
  const rerun = { run_id: EARLIER, stage: 'judge' };
  const { url, asked } = await villageOf(
    [{ run: DONE, stages: [SHIPPED] }],
    runOf({ workflow: { manifests: SHA, rerun } }),
  );
  const words = ['workflow', 'resume', EARLIER, '--from=judge', '--input="again"', '--current'];
  const { code, notes } = await hamlet(words, { url });
  assert.equal(code, 0, notes);
  assert.deepEqual(asked[0], {
    route: `POST /runs/${EARLIER}/rerun`,
    query: '',
    body: { stage: 'judge', input_json: '"again"', manifests: 'current' },
  });
  assert.match(notes, new RegExp(`^run ${RUN} repeats ${EARLIER} from judge on\n`));
});

test('an input that is not JSON, too long or unreadable is refused before the village is asked', async () => {
  const { url, asked } = await villageOf([]);
  const file = join(testFolder('input'), 'input.json');
  writeFileSync(file, `"${'x'.repeat(70_000)}"`);
  for (const [input, words] of [
    ['{pr: 7}', /--input is not JSON: [^]*for example --input='\{/],
    [`@${file}`, /more than 65536 characters: shorten it/],
    [`@${file}.none`, /cannot be read: ENOENT/],
  ] as const) {
    const { code, notes } = await hamlet(['workflow', 'run', 'ada', `--input=${input}`], { url });
    assert.equal(code, 2);
    assert.match(notes, words);
  }
  assert.deepEqual(asked, []);
});

test('show lists the stages that began and those to come, with tokens, cost and failures', async () => {
  const failure = { category: 'agent', code: 'budget_tokens', message: 'The budget is used up' };
  const judge = stageOf('judge', {
    status: 'repeated',
    failure,
    round: 2,
    tokens: 340,
    cost: '0.5',
    worker_run_id: WORKER,
  });
  const { url } = await villageOf([{ run: runOf(), stages: [judge] }]);
  const { code, out } = await hamlet(['workflow', 'show', RUN], { url });
  assert.equal(code, 0);
  const lines = out.split('\n').map((line) => line.split(/ {3,}/));
  assert.deepEqual(lines[0], ['run of ada, 10m old: Review the change']);
  assert.deepEqual(lines[1], ['pipeline default, manifests abababababab']);
  assert.deepEqual(lines.slice(3, 6), [
    ['STAGE', 'ROLE', 'STATE', 'TIME', 'TOKENS', 'COST', 'RUN', 'NOTE'],
    [
      'judge',
      'agent',
      'repeated',
      '12.3 s',
      '340',
      '0.5',
      WORKER,
      'round 2; agent/budget_tokens: The budget is used up',
    ],
    ['ship', 'linear', 'to come', '-', '-', '-', '-'],
  ]);
});

test('graph draws the plan of a run', async () => {
  const { url } = await villageOf([]);
  const { out } = await hamlet(['workflow', 'graph', RUN, '-o', 'json'], { url });
  assert.deepEqual(JSON.parse(out), JSON.parse(PLAN));
});

test('the output is that of the only exit, an object of several exits by id, or null if one is hidden', () => {
  const fixed = stageOf('fix', { output: '2' });
  const view = (...stages: readonly WorkflowStage[]) => ({ plan: PLAN, stages: [...stages] });
  assert.equal(outputOf(view(JUDGED, SHIPPED)), SHIPPED.output);
  assert.equal(outputOf(view(JUDGED, { ...SHIPPED, output: '1' }, fixed)), '{"ship":1,"fix":2}');
  assert.equal(outputOf(view(JUDGED, { ...SHIPPED, output: null }, fixed)), null);
  assert.equal(outputOf({ plan: null, stages: [] }), null);
});

test('a stage is reported again when its status, its attempt or its round changes', () => {
  const first = stageNews(new Map(), [JUDGING]);
  assert.deepEqual(stageNews(first.reported, [JUDGING]).lines, []);
  const again = stageNews(first.reported, [{ ...JUDGING, attempt: 2, round: 3, worker_run_id: null }]);
  assert.deepEqual(again.lines, ['▸ judge (attempt 2, round 3)']);
  assert.deepEqual(stageNews(again.reported, [JUDGED]).lines, ['✔ judge  12.3 s, 340 tokens']);
});
