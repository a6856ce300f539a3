import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aRun } from '../../../client/minds/minds.fixture.ts';
import { edgesFrom } from './edge-views.ts';
import { planOfRun } from './run-plan.ts';
import { aRunWorkflow, aWorkflowStage, STAGES_UNDER_WAY } from './run-workflow.fixture.ts';
import { markOf, stageLength, stateWord, totalUsage, turnsLabel, usageLabel, workLabel } from './stage-labels.ts';
import { stageViews } from './stage-views.ts';

const PLAN = planOfRun(aRunWorkflow(), {});
const views = stageViews({
  plan: PLAN,
  stages: STAGES_UNDER_WAY,
  run: aRun({ state: 'running' }),
  workers: [],
  permissions: [],
});
const viewOf = (id: string) => views.find((view) => view.id === id) ?? assert.fail(id);

test('rounds and attempts are named from the second one on', () => {
  assert.equal(turnsLabel(null), '');
  assert.equal(turnsLabel(aWorkflowStage('a')), '');
  assert.equal(turnsLabel(aWorkflowStage('a', { round: 2, attempt: 3 })), 'round 2 · try 3');
});

test('the words below a node are its state and turns, then its usage', () => {
  assert.deepEqual(markOf(viewOf('logic')), { state: 'completed', lines: ['2 s · try 2', '1.2K tok · 0.0213 ai$'] });
  assert.deepEqual(markOf(viewOf('draft')), { state: 'running', lines: ['round 2', '5.3K tok · 0.094 ai$'] });
  assert.deepEqual(markOf(viewOf('polish')).lines[0], 'tries again');
  assert.deepEqual(markOf(viewOf('alarm')), { state: 'skipped', lines: ['skipped', ''] });
  const cheap = { ...viewOf('logic'), stage: aWorkflowStage('logic', { tokens: 3, cost: '0.000001' }) };
  assert.equal(markOf(cheap).lines[1], '3 tok · <0.0001 ai$');
  assert.equal(markOf({ ...viewOf('logic'), takenOver: true }).lines[0], 'taken over · try 2');
});

test('a stage says what it runs', () => {
  assert.equal(workLabel(viewOf('logic')), 'agent critic');
  assert.equal(workLabel(viewOf('fetch')), 'tool read');
  assert.equal(workLabel(viewOf('polish')), 'agent critic, judges draft');
  assert.equal(workLabel(viewOf('all')), 'merge');
  assert.equal(workLabel({ role: 'agent', planned: null }), 'agent');
});

test('times and usage of stages are shown in words', () => {
  assert.equal(stageLength(aWorkflowStage('a', { started_at: null }), 0), '');
  const open = aWorkflowStage('a', { ended_at: null });
  assert.equal(stageLength(open, Date.parse('2026-11-29T10:01:00Z')), '1 min');
  assert.equal(usageLabel({ tokens: 0, cost: '0' }), '');
  assert.equal(usageLabel(totalUsage(STAGES_UNDER_WAY)), '7,814 tokens · 0.1313 ai$');
  assert.equal(stateWord({ state: 'waiting', takenOver: false }), 'Needs permission');
});

test('each edge has the reason for which it was followed or left', () => {
  const edges = (id: string) =>
    edgesFrom(PLAN, viewOf(id)).map(({ to, isFollowed, reason }) => [to, isFollowed, reason]);
  assert.deepEqual(edges('fetch'), [
    ['logic', true, 'when the stage is done'],
    ['style', true, 'when the stage is done'],
    ['alarm', false, 'the stage did not fail'],
  ]);
  assert.deepEqual(edges('gate'), [
    ['praise', false, 'not true, or after a true condition: input.logic.score >= 4'],
    ['draft', true, 'otherwise'],
  ]);
  assert.deepEqual(edges('draft'), [['polish', null, 'when the stage is done']]);
  const failed = { id: 'fetch', stage: aWorkflowStage('fetch', { status: 'failed', edges: ['fallback:alarm'] }) };
  assert.deepEqual(
    edgesFrom(PLAN, failed).map(({ to, isFollowed, reason }) => [to, isFollowed, reason]),
    [
      ['logic', false, 'the stage failed'],
      ['style', false, 'the stage failed'],
      ['alarm', false, 'another edge took the failure'],
      ['alarm', true, 'a fallback rule names this kind of failure'],
    ],
  );
});
