import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunEvent } from '@hamlet/contract';
import { isReportDue, reportText, type ReportFacts } from './run-report.ts';

const MINUTE_MS = 60_000;

type Call = Extract<RunEvent, { event: 'call_begun' | 'call_settled' | 'call_unknown' }>;

const aCall = (event: Call['event'], call: string, detail: Partial<Call['detail']>): RunEvent => ({
  run_id: '01a20000-0000-7000-8000-000000000001',
  number: 1,
  at: '2026-11-23T12:00:00Z',
  witnessed: true,
  event,
  detail: {
    call_id: call,
    tool: 'say',
    effect: 'keyed',
    arguments_text: null,
    outcome: null,
    result_text: null,
    ...detail,
  },
});

const FACTS: ReportFacts = { state: 'running', steps: 1, totals: [], recent: [] };
const nowOf = (facts: Partial<ReportFacts>): string =>
  reportText({ ...FACTS, ...facts })
    .split('\n')
    .find((line) => line.startsWith('Now: ')) ?? '';

test('a report is due after five minutes or twenty steps', () => {
  const mark = { nowMs: 10 * MINUTE_MS, reportedAtMs: 6 * MINUTE_MS, steps: 30, reportedSteps: 11 };
  assert.equal(isReportDue(mark), false);
  assert.equal(isReportDue({ ...mark, reportedAtMs: 5 * MINUTE_MS }), true);
  assert.equal(isReportDue({ ...mark, reportedSteps: 10 }), true);
});

test('a report has counts and last results of tools, the open call, and failures with their codes', () => {
  const text = reportText({
    state: 'running',
    steps: 22,
    totals: [
      { tool: 'read_board', outcome: 'ok', calls: 14 },
      { tool: 'say', outcome: 'ok', calls: 1 },
      { tool: 'buy', outcome: 'failed', calls: 2 },
    ],
    recent: [
      aCall('call_settled', '1.0', { outcome: 'ok', result_text: 'said\n  it' }),
      aCall('call_settled', '2.0', {
        tool: 'read_board',
        outcome: 'ok',
        result_text: '{"kind":"ok","text":"3 \\"posts\\", the rest is cu',
      }),
      aCall('call_settled', '3.0', {
        tool: 'buy',
        outcome: 'failed',
        result_text: '{"code":"insufficient_funds","kind":"failed","text":"no money"}',
      }),
      aCall('call_settled', '4.0', { tool: 'buy', outcome: 'failed', result_text: 'too dear' }),
      aCall('call_begun', '5.0', { tool: 'go_to' }),
    ],
  });
  assert.equal(
    text,
    [
      'Done: 22 steps, 15 calls',
      '- read_board: 14; last: 3 "posts", the rest is cu',
      '- say: 1; last: said it',
      '',
      'Now: a call of go_to is under way.',
      '',
      'Failed: 2 calls',
      '- buy (insufficient_funds): no money',
      '- buy (failed): too dear',
    ].join('\n'),
  );
});

test('a report says what the run waits for, or how it ended', () => {
  const asked: RunEvent = {
    run_id: '01a20000-0000-7000-8000-000000000001',
    number: 2,
    at: '2026-11-23T12:00:00Z',
    witnessed: true,
    event: 'permission_asked',
    detail: { tool: 'post_to_board' },
  };
  assert.match(nowOf({ state: 'waiting_permission', recent: [asked] }), /the run waits for a person \(post_to_board\)/);
  assert.match(nowOf({ state: 'queued' }), /the run waits for its agent/);
  const parked: RunEvent = { ...asked, event: 'queued', detail: { code: 'token_quota_exhausted', wait_ms: 600_000 } };
  assert.match(nowOf({ state: 'queued', recent: [parked] }), /the run waits for its model \(token_quota_exhausted\)/);
  assert.match(nowOf({ state: 'failed' }), /has ended: failed/);
  assert.match(nowOf({ recent: [aCall('call_begun', '1.0', {}), aCall('call_unknown', '1.0', {})] }), /the model/);
});

test('a report of many tools and long results stays short', () => {
  const names = Array.from({ length: 100 }, (_, index) => `tool_${index}`);
  const long = 'x'.repeat(10_000);
  const text = reportText({
    state: 'running',
    steps: 900,
    totals: names.flatMap((tool) => [
      { tool, outcome: 'ok', calls: 9 },
      { tool, outcome: 'failed', calls: 1 },
    ]),
    recent: names.flatMap((tool, index) => [
      aCall('call_settled', `${index}.0`, { tool, outcome: 'ok', result_text: long }),
      aCall('call_settled', `${index}.1`, { tool, outcome: 'failed', result_text: long }),
    ]),
  });
  assert.ok(text.length < 6_000, `${text.length} characters`);
  assert.match(text, /and 88 more tools/);
});
