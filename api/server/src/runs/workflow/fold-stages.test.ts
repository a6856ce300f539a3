import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JournalClaim } from '@hamlet/contract';
import { foldStages, stageStatus } from './fold-stages.ts';

const ref = (name: string): string => name.padEnd(22, '_');
let now = 0;
const event = (type: string, fields: object): JournalClaim => {
  now += 1;
  return { v: 7, type, run: 'r', stage: 'task', fence: 1, at: now, elapsedMs: 0, ...fields };
};
const opened = (stage: string, flow: object = {}) =>
  event('stage_opened', { stage, flow: { role: 'agent', attempt: 1, round: 1, input: ref('in'), calls: [], ...flow } });
const closed = (stage: string, end: string, flow: object = {}) =>
  event('stage_closed', { stage, flow: { end, output: null, failure: null, edges: [], ...flow } });

const statusesOf = (events: readonly JournalClaim[], hasEnded = false) =>
  foldStages(events).stages.map((each) => [each.stage, stageStatus(each, hasEnded)]);

test('stages are in the order of their first beginnings, each with its newest attempt', () => {
  const events = [
    event('run_opened', { plan: ref('plan'), flow: { workflow: 'w', pipeline: 'quick', task: ref('task') } }),
    opened('draft'),
    closed('draft', 'done', { output: ref('out'), edges: ['draft-judge'] }),
    opened('judge', { role: 'feedback' }),
    closed('judge', 'again', { output: ref('no') }),
    opened('draft', { round: 2, input: ref('in2') }),
  ];
  const flow = foldStages(events);
  assert.deepEqual(flow.opened, { pipeline: 'quick', planRef: ref('plan') });
  const [draft, judge] = flow.stages;
  assert.deepEqual([draft?.stage, draft?.round, draft?.inputRef, draft?.ended], ['draft', 2, ref('in2'), null]);
  assert.deepEqual([judge?.stage, judge?.role, judge?.ended?.output], ['judge', 'feedback', ref('no')]);
  assert.ok((draft?.startedAtMs ?? 0) > (judge?.ended?.atMs ?? 0));
});

test('each end of a stage has a status; that of an open stage depends on the end of the run', () => {
  const failure = { category: 'agent', code: 'x', message: ref('why') };
  const events = [
    opened('open'),
    ...['done', 'again', 'stopped'].flatMap((end) => [opened(end), closed(end, end)]),
    opened('tried'),
    closed('tried', 'failed', { failure }),
    opened('handled'),
    closed('handled', 'failed', { failure, edges: ['handled-spare'] }),
    closed('left', 'skipped'),
  ];
  const ends = [
    ['open', 'running', 'stopped'],
    ['done', 'completed', 'completed'],
    ['again', 'repeated', 'stopped'],
    ['stopped', 'stopped', 'stopped'],
    ['tried', 'repeated', 'failed'],
    ['handled', 'failed', 'failed'],
    ['left', 'skipped', 'skipped'],
  ];
  for (const hasEnded of [false, true])
    assert.deepEqual(
      statusesOf(events, hasEnded),
      ends.map(([stage, before, after]) => [stage, hasEnded ? after : before]),
    );
});

test('stages of runs without a workflow, and events of other forms, are ignored', () => {
  const events = [
    event('run_opened', { plan: ref('plan'), model: 'tiny' }),
    event('stage_opened', { stage: 'main' }),
    event('stage_closed', { stage: 'main' }),
    event('tool_settled', { call: 'a' }),
    opened('x'.repeat(65)),
    opened('late', { attempt: 1.5 }),
    { ...opened('future'), at: 253_402_300_800_000 },
  ];
  assert.deepEqual(foldStages(events), { opened: null, stages: [] });
});
