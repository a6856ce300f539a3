import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aPermission, aRun } from '../../../client/minds/minds.fixture.ts';
import { planOfRun } from './run-plan.ts';
import { aRunWorkflow, aWorkflowStage, STAGES_UNDER_WAY } from './run-workflow.fixture.ts';
import { stageOfCall } from '@hamlet/engine/manifests';
import { followedEdges, stageViews } from './stage-views.ts';

const PLAN = planOfRun(aRunWorkflow(), {});
const MANIFESTS = 'ab'.repeat(32);
const WORKER = '01a20000-0000-7000-8000-00000000000a';

const views = (more: Partial<Parameters<typeof stageViews>[0]> = {}) =>
  stageViews({
    plan: PLAN,
    stages: STAGES_UNDER_WAY,
    run: aRun({ state: 'running' }),
    workers: [],
    permissions: [],
    ...more,
  });
const states = (found: ReturnType<typeof views>) => Object.fromEntries(found.map(({ id, state }) => [id, state]));

test('the plan of a run is that of its engine, else its manifests in the chosen pipeline', () => {
  assert.deepEqual([PLAN?.pipeline, PLAN?.stages.length, PLAN?.edges.length], ['default', 9, 9]);
  const made = JSON.stringify({ ...PLAN, pipeline: 'short' });
  assert.equal(planOfRun(aRunWorkflow({ plan: made }), {})?.pipeline, 'short');
  assert.equal(planOfRun(aRunWorkflow({ plan: '{"stages":[]}' }), {})?.pipeline, 'default');
  assert.equal(planOfRun(aRunWorkflow(), { pipeline: 'none' }), null);
  const files = [{ path: 'workflow.yaml' as const, text: 'workflow: [' }];
  assert.equal(planOfRun(aRunWorkflow({ manifests: { sha256: MANIFESTS, files } }), {}), null);
});

test('stages are in the order of the plan, and one that has not begun is there', () => {
  const found = views({ stages: [aWorkflowStage('fetch', { status: 'running' }), aWorkflowStage('of_old')] });
  assert.deepEqual(
    found.map(({ id }) => id),
    [...(PLAN?.stages.map(({ id }) => id) ?? []), 'of_old'],
  );
  assert.equal(states(found)['fetch'], 'running');
  assert.equal(states(found)['logic'], 'idle');
});

test('a stage waits for a person while its call or its worker does, until the run ends', () => {
  const asked = aPermission({ call_id: 'draft.2.1:0', state: 'pending' });
  const worker = aRun({ run_id: WORKER, state: 'waiting_permission' });
  const stages = [aWorkflowStage('draft', { status: 'running', worker_run_id: WORKER })];
  assert.equal(states(views({ permissions: [asked] }))['draft'], 'waiting');
  assert.equal(states(views({ permissions: [{ ...asked, state: 'allowed' }] }))['draft'], 'running');
  assert.equal(states(views({ permissions: [{ ...asked, call_id: '4.0' }] }))['draft'], 'running');
  assert.equal(states(views({ stages, workers: [{ run: worker }] }))['draft'], 'waiting');
  const byWorker = { ...asked, run_id: WORKER, call_id: '2.0' };
  assert.equal(states(views({ stages, permissions: [byWorker] }))['draft'], 'waiting');
  assert.equal(states(views({ permissions: [{ ...asked, run_id: WORKER }] }))['draft'], 'running');
  const over = aRun({ state: 'cancelled' });
  const ended = states(views({ run: over, permissions: [asked] }));
  assert.equal(ended['draft'], 'stopped');
  assert.equal(ended['polish'], 'failed');
});

test('the stage of a call is in its id, even if the name of the stage has dots', () => {
  assert.equal(stageOfCall('a.b-1.2.3:0'), 'a.b-1');
  assert.equal(stageOfCall('7.0'), null);
});

test('a run that repeats another from a stage has taken over the stages before it', () => {
  const rerun = { run_id: WORKER, stage: 'draft' };
  const run = aRun({ state: 'running', workflow: { manifests: MANIFESTS, rerun } });
  const taken = (found: ReturnType<typeof views>) => found.filter((each) => each.takenOver).map(({ id }) => id);
  const [fetch, logic, style, all, gate, ...rest] = STAGES_UNDER_WAY.map((stage) => ({
    ...stage,
    worker_run_id: null,
  }));
  assert.ok(fetch && logic && style && all && gate);
  const before = ['fetch', 'logic', 'style', 'all', 'gate'];
  assert.deepEqual(
    taken(views({ run, stages: [fetch, logic, style, all, gate, ...rest] })).toSorted(),
    before.toSorted(),
  );
  assert.deepEqual(taken(views({ run, stages: [fetch, { ...logic, worker_run_id: WORKER }, ...rest] })), ['fetch']);
  assert.deepEqual(taken(views()), []);
});

test('followed edges are those of the stages, and the way back of a judgement in later rounds', () => {
  const draft = aWorkflowStage('draft', { round: 2, status: 'running' });
  const found = followedEdges(views({ stages: [aWorkflowStage('fetch', { edges: ['fetch->logic'] }), draft] }));
  assert.deepEqual([...found], ['fetch->logic', 'again:polish']);
});
