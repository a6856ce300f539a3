/** The page of a run with a workflow in a real browser, under the content security policy of the API. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import type { JournalClaim, Run, Worker, WorkflowStage } from '@hamlet/contract';
import {
  ASKING_RULES,
  PermissionPlay,
  post,
  type Working,
} from '../../../api/server/src/permissions/testing/permission-play.ts';
import {
  aRunWorkflow,
  aWorkflowStage,
  STAGES_UNDER_WAY,
  type RunWorkflowData,
} from '../../../web/src/features/workflow/stages/run-workflow.fixture.ts';
import { visit } from '../browser.ts';
import { assertSound, startViewerStage, testOnDevices, type ViewerStage } from './web-viewers.ts';

/** Longest wait for a part of the page, which needs no agent. */
const WAIT_MS = 30_000;
const MANIFESTS = 'ab'.repeat(32);

const FILES = Object.fromEntries(aRunWorkflow().manifests.files.map(({ path, text }) => [path, text]));
const RULES = JSON.stringify([...JSON.parse(ASKING_RULES), { tools: ['delegate'], verdict: 'allow' }]);

let stage: ViewerStage;
let permits: PermissionPlay;
let run: Run;
let again: Run;

before(async () => {
  stage = await startViewerStage({
    kim: 'admin',
    environment: { HAMLET_TOOL_RULES: RULES },
    manifests: { ada: FILES },
  });
  await stage.village.liftRequestLimits();
  permits = new PermissionPlay(stage.url);
  await permits.play.everybody();
  run = (await permits.play.admin.createRun({ agent_id: 'bob', prompt: 'Review the notes.' })).run;
  again = (await permits.play.admin.createRun({ agent_id: 'bob', prompt: 'Review the notes again.' })).run;
});
after(() => stage?.remove());

type Shown = Readonly<{ run: Partial<Run>; workflow: RunWorkflowData; workers?: readonly Worker[] }>;

const json = (route: Route, body: unknown, status = 200): Promise<void> =>
  route.fulfill({ status, contentType: 'application/json', body: JSON.stringify(body) });

/** Lets the API answer as if a run had a workflow. `shown` is read at each request. */
async function pretend(page: Page, created: Run, shown: () => Shown): Promise<void> {
  page.setDefaultTimeout(WAIT_MS);
  const path = `**/api/v1/runs/${created.run_id}`;
  await page.route(path, (route) => json(route, { run: { ...created, ...shown().run }, offer: null }));
  // A stream that stays open and says nothing.
  await page.route(`${path}/stream*`, () => undefined);
  await page.route(`${path}/workflow`, (route) => json(route, shown().workflow));
  await page.route('**/api/v1/agents/bob/workers*', (route) => json(route, { workers: shown().workers ?? [] }));
}

const STARTED = '2026-11-29T10:00:00.000Z';
const running: Partial<Run> = { state: 'running', started_at: STARTED, workflow: { manifests: MANIFESTS } };
const failed: Partial<Run> = {
  ...running,
  state: 'failed',
  ended_at: '2026-11-29T10:01:00.000Z',
  error: { code: 'budget_tokens', message: 'The run has used its tokens.' },
};

const node = (page: Page, id: string) => page.locator(`.graph-node[data-stage="${id}"]`);
const line = (page: Page, id: string) => page.locator(`.stage-line[data-stage="${id}"]`);

async function zooms(page: Page): Promise<void> {
  const graph = page.locator('.graph-frame > svg');
  const width = async (): Promise<number> => Number(await graph.getAttribute('width'));
  const first = await width();
  await page.getByRole('button', { name: 'Larger' }).click();
  assert.ok(Math.abs((await width()) / first - 1.25) < 0.001);
  await page.locator('.graph-frame').press('-');
  assert.ok(Math.abs((await width()) / first - 1) < 0.001);
  await page.locator('.graph-frame').press('0');
  const isWhole = `(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
    scrollWidth <= clientWidth && scrollHeight <= clientHeight)(document.querySelector('.graph-frame'))`;
  assert.ok(await page.evaluate<boolean>(isWhole), 'the whole graph is in its frame');
}

testOnDevices('a run shows its workflow as it is carried out, and the details of a stage', async (viewer, device) => {
  const { page } = viewer;
  let stages: readonly WorkflowStage[] = STAGES_UNDER_WAY;
  const workflow = { mode: 'careful', tags: ['notes'], manifests: MANIFESTS };
  await pretend(page, run, () => ({
    run: { ...running, workflow },
    workflow: aRunWorkflow({ pipeline: 'default', stages: [...stages] }),
  }));
  await visit(page, `?view=runs&run=${run.run_id}`);
  await node(page, 'draft').waitFor();
  assert.equal(await node(page, 'draft').getAttribute('data-state'), 'running');
  assert.equal(await node(page, 'alarm').getAttribute('data-state'), 'skipped');
  assert.match((await node(page, 'logic').textContent()) ?? '', /agent critic[^]*2 s · try 2[^]*1\.2K tok/);
  assert.equal(await page.locator('.graph-edge[data-followed="true"]').count(), 7);
  assert.match(await line(page, 'logic').innerText(), /Done · try 2 · 2 s · 1,204 tokens · 0\.0213 ai\$/);
  assert.match(await page.locator('.run-workflow .stage-facts').innerText(), /careful[^]*notes[^]*7,814 tokens/);
  await stage.shot(viewer, `run-workflow-${device}`);
  await node(page, 'gate').click();
  const details = page.locator('.stage-details[data-stage="gate"]');
  await details.waitFor();
  assert.match(await details.innerText(), /praise\s*not true, or after a true condition[^]*draft\s*otherwise/);
  await zooms(page);
  await details.getByRole('button', { name: 'draft' }).click();
  assert.equal(await line(page, 'draft').getAttribute('aria-pressed'), 'true');
  await page.locator('.stage-details').scrollIntoViewIfNeeded();
  await stage.shot(viewer, `run-workflow-stage-${device}`);
  stages = stages.map((each) =>
    each.stage === 'draft' ? aWorkflowStage('draft', { edges: ['draft->polish'] }) : each,
  );
  await page.locator('.graph-node[data-stage="draft"][data-state="completed"]').waitFor();
  await assertSound(viewer);
});

testOnDevices('a person repeats an ended run from a stage, with another input', async (viewer, device) => {
  const { page } = viewer;
  const failure = { category: 'agent', code: 'budget_tokens', message: 'The run of the agent has used its tokens.' };
  const stages = [
    ...STAGES_UNDER_WAY.slice(0, 5),
    aWorkflowStage('draft', { status: 'failed', output: null, failure, input: '{"notes":["a","b"]}' }),
  ];
  await pretend(page, run, () => ({ run: failed, workflow: aRunWorkflow({ pipeline: 'default', stages }) }));
  const rerun = { run_id: run.run_id, stage: 'draft' };
  await pretend(page, again, () => ({
    run: { ...running, workflow: { manifests: MANIFESTS, rerun } },
    workflow: aRunWorkflow({ pipeline: 'default', stages: STAGES_UNDER_WAY.slice(0, 6) }),
  }));
  let sent: unknown = null;
  await page.route(`**/api/v1/runs/${run.run_id}/rerun`, async (route) => {
    sent = route.request().postDataJSON();
    await json(route, { run: again }, 201);
  });
  await visit(page, `?view=runs&run=${run.run_id}`);
  await line(page, 'draft').click();
  assert.match(
    await page.locator('.stage-details .notice-bad').innerText(),
    /agent[^]*budget_tokens[^]*used its tokens/,
  );
  await stage.shot(viewer, `run-workflow-failed-${device}`);
  await page.click('[data-action="repeat-from"]');
  const input = page.locator('.dialog textarea[name="input"]');
  assert.equal(await input.inputValue(), '{\n  "notes": [\n    "a",\n    "b"\n  ]\n}');
  await input.fill('{"notes": [a]}');
  await page.getByText('Line 1, column 12: this is not JSON').waitFor();
  await stage.shot(viewer, `run-workflow-repeat-${device}`);
  await input.fill('{"notes": ["c"]}');
  await page.getByText('Those of the agent now').click();
  await page.getByRole('button', { name: 'Repeat', exact: true }).click();
  await page.locator('.run-repeats', { hasText: 'from the stage draft' }).waitFor();
  assert.deepEqual(sent, { stage: 'draft', manifests: 'current', input_json: '{"notes": ["c"]}' });
  assert.match(await page.locator('[data-taken-over]').innerText(), /fetch, logic, style, all, gate/);
  await page.click('[data-action="repeated-run"]');
  await line(page, 'draft').waitFor();
  await assertSound(viewer);
});

testOnDevices('manifests with an error show the line', async (viewer, device) => {
  const { page } = viewer;
  const workflow = aRunWorkflow();
  const files = workflow.manifests.files.map(({ path, text }) => ({
    path,
    text: text.replace('agent: writer', 'agent: writr'),
  }));
  const message = 'workflow.yaml:10:39: there is no agent “writr”\nDid you mean writer?';
  await pretend(page, run, () => ({
    run: { ...failed, error: { code: 'config_error', message } },
    workflow: { ...workflow, manifests: { ...workflow.manifests, files } },
  }));
  await visit(page, `?view=runs&run=${run.run_id}`);
  const wrong = page.locator('.manifest-lines li[data-wrong]');
  assert.match(await wrong.innerText(), /id: draft, role: agent, agent: writr[^]*there is no agent “writr”/);
  await page.locator('.run-workflow .notice-bad', { hasText: 'Correct the workflow of the agent' }).waitFor();
  await wrong.scrollIntoViewIfNeeded();
  await stage.shot(viewer, `run-workflow-error-${device}`);
  await page.locator('.manifest-head').getByText('agents.yaml').click();
  await page.locator('.manifest-lines code', { hasText: 'gpt-5-mini' }).waitFor();
  await assertSound(viewer);
});

const ref = (name: string): string => name.padEnd(22, '_');
let seq = 0;

/** Stores events of the journal of a task, as the agent mirrors them. */
async function store(
  { agentId, runId, cycle, attempt }: Working,
  events: readonly (Partial<JournalClaim> & { readonly type: string })[],
): Promise<void> {
  const entries = events.map((fields) => {
    seq += 1;
    return { seq, event: { v: 7, run: runId, stage: 'task', fence: 1, at: Date.now(), elapsedMs: 1, ...fields } };
  });
  const payloads = [
    { ref: ref('input'), text: '{"text":"A loaf."}' },
    { ref: ref('why'), text: '"The oven is cold."' },
  ];
  const stored = await permits.play
    .as(agentId)
    .raw.storeRunJournal({ run_id: runId, cycle, attempt, entries, payloads });
  assert.ok(stored.ok, JSON.stringify(stored));
}

const opened = (id: string) => ({
  type: 'stage_opened',
  stage: id,
  flow: { role: 'agent', attempt: 1, round: 1, input: ref('input'), calls: [] },
});

test('the page follows a run, a person answers the agent of a stage on it, and repeats the run from there', async (context) => {
  const viewer = await stage.viewer();
  context.after(() => viewer.close());
  await stage.signIn(viewer, 'kim');
  const { page } = viewer;
  page.setDefaultTimeout(WAIT_MS);
  const { admin } = permits.play;
  const task = await permits.start(
    'ada',
    (await admin.createRun({ agent_id: 'ada', prompt: 'Review.', workflow: {} })).run,
  );
  await visit(page, `?view=runs&run=${task.runId}`);
  await page.locator('.graph-node[data-stage="polish"][data-state="idle"]').waitFor();
  const flow = { workflow: 'careful-review', pipeline: 'default', task: ref('task') };
  await store(task, [{ type: 'run_opened', model: 'none', plan: ref('plan'), flow }, opened('logic'), opened('style')]);
  await page.locator('.graph-node[data-stage="logic"][data-state="running"]').waitFor();
  const args = { stage: 'logic', round: 1, attempt: 1, agent: 'critic', prompt: 'Review a loaf.' };
  const answer = await permits.perform(task, { tool: 'run_stage', callId: 'logic.1.1:1', args });
  assert.ok(answer.ok && answer.data.outcome.kind === 'ok', JSON.stringify(answer));
  const working = await permits.start('ada', { run_id: String(answer.data.outcome.data?.['run_id']) });
  const asked = await permits.ask(working, post('1.0'));
  assert.ok(asked.ok, JSON.stringify(asked));
  await page.locator('.graph-node[data-stage="logic"][data-state="waiting"]').waitFor();
  await page.click('[data-waiting="logic"] [data-action="answer-stage"]');
  await stage.shot(viewer, 'run-workflow-asked');
  await page
    .locator('.stage-details .permission')
    .getByRole('button', { name: /^Allow/ })
    .first()
    .click();
  await page.locator('.graph-node[data-stage="logic"][data-state="running"]').waitFor();
  const failure = { category: 'agent', code: 'no_oven', message: ref('why') };
  const flowEnd = { end: 'failed', output: null, failure, edges: [] };
  await permits.end(working);
  await store(task, [{ type: 'stage_closed', stage: 'logic', flow: flowEnd }]);
  await permits.end(task);
  await page.locator('.stage-details .notice-bad', { hasText: 'The oven is cold.' }).waitFor();
  assert.equal(await node(page, 'style').getAttribute('data-state'), 'stopped');
  await page.click('[data-action="repeat-from"]');
  assert.equal(await page.locator('.dialog textarea').inputValue(), '{\n  "text": "A loaf."\n}');
  await page.locator('.dialog textarea').fill('{"text": "A cake."}');
  await page.getByRole('button', { name: 'Repeat', exact: true }).click();
  await page.locator('.run-repeats', { hasText: 'from the stage logic, with another input' }).waitFor();
  const [newest] = (await admin.listRuns({ agent_id: 'ada' })).runs;
  const { run } = await admin.getRun({ run_id: newest?.run_id ?? '' });
  const rerun = { run_id: task.runId, stage: 'logic', input_json: '{"text": "A cake."}' };
  assert.deepEqual(run.workflow?.rerun, rerun);
  await assertSound(viewer);
});
