import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunDelta, RunEvent } from '@hamlet/contract';
import { Transcript } from './transcript.ts';

const RUN = '0f7c2b1e-0000-4000-8000-000000000002';
const base = { run_id: RUN, number: 1, at: '2026-11-23T10:00:00.000Z', witnessed: true };
const words = (text: string, ask = 1, attempt = 1): RunDelta => ({ run_id: RUN, ask, attempt, text });
const model = { attempt: 1, model: 'small', usage: null, cost: null, code: null };
const call = { call_id: '1.0', tool: 'say', effect: 'once', arguments_text: null, outcome: null, result_text: null };

const answered = (text: string, ask = 1): RunEvent => ({
  ...base,
  event: 'model_answered',
  detail: { ...model, ask, text },
});

function printed(work: (transcript: Transcript) => void, isReplay = false): string {
  let text = '';
  work(new Transcript((more) => (text += more), isReplay));
  return text;
}

test('words stream on one line, and calls are printed between them', () => {
  const text = printed((transcript) => {
    transcript.delta(words('I go '));
    transcript.delta(words('to Bob.'));
    transcript.event(answered('I go to Bob.'));
    transcript.event({ ...base, event: 'call_begun', detail: { ...call, arguments_text: '{"text":"Hello"}' } });
    transcript.event({ ...base, event: 'call_settled', detail: { ...call, outcome: 'ok', result_text: 'Said.' } });
    transcript.delta(words('Done.', 2));
    transcript.answer('Done.');
  });
  assert.equal(text, 'I go to Bob.\n  → say {"text":"Hello"}\n  ← say ok: Said.\nDone.\n');
});

test('words of a program between its calls are printed once: as they stream, or from their events later', () => {
  const claim = JSON.stringify({ kind: 'say', title: '', output: 'I look.' });
  const said = { ...call, call_id: '1.0.s1', tool: 'program.say', outcome: 'ok', arguments_text: claim };
  const event: RunEvent = { ...base, event: 'call_settled', detail: said };
  const live = printed((transcript) => {
    transcript.delta(words('I look.'));
    transcript.event(event);
    transcript.answer('I look.');
  });
  assert.equal(live, 'I look.\n');
  assert.equal(
    printed((transcript) => transcript.event(event), true),
    'I look.\n',
  );
});

test('a failed answer names its code, unless a person raised the limits', () => {
  const text = printed((transcript) => {
    for (const code of ['overloaded', 'acp_not_started', 'limits_raised'])
      transcript.event({ ...base, event: 'model_failed', detail: { ...model, ask: 1, text: null, code } });
  });
  assert.equal(
    text,
    '  the model failed: overloaded\n  the program failed: acp_not_started\n  a person raised the limits\n',
  );
});

test('a start names the mind, and what a program says about its own work is printed as a claim', () => {
  const mind = { runtime: 'acp', preset: 'opencode', program: 'OpenCode', version: '1.18.33', installed: true };
  const claim = (kind: string, more: object) => JSON.stringify({ kind, title: 'src/\u001boven.ts', ...more });
  const text = printed((transcript) => {
    transcript.event({ ...base, event: 'started', detail: { cycle: 1, mind } });
    const edit = { ...call, call_id: '1.0.t1', tool: 'program.edit', arguments_text: claim('edit', {}) };
    transcript.event({ ...base, event: 'call_begun', detail: edit });
    transcript.event({ ...base, event: 'call_settled', detail: { ...edit, outcome: 'failed' } });
    const plan = {
      tool: 'program.plan',
      arguments_text: claim('plan', { plan: [{ text: 'x', status: 'completed' }] }),
    };
    transcript.event({ ...base, event: 'call_settled', detail: { ...call, ...plan, outcome: 'ok' } });
    for (const title of ['Installing Pi', 'Installing Pi: 90 of 176 MB']) {
      const install = { call_id: '1.0.install', tool: 'program.install', arguments_text: claim('install', { title }) };
      transcript.event({ ...base, event: 'call_begun', detail: { ...call, ...install } });
    }
  });
  const [started, begun, ended, planned, ...installed] = text.split('\n');
  assert.deepEqual(installed.slice(0, 2), ['  → Installing Pi', '  → Installing Pi: 90 of 176 MB']);
  assert.equal(started, '  started with OpenCode 1.18.33');
  assert.match(begun ?? '', /^ {2}→ claims: edit src\/.*oven\.ts$/);
  assert.match(ended ?? '', /^ {2}← claims: edit src\/.*oven\.ts, failed$/);
  assert.equal(planned, '  ← claims: plan, 1 of 1 done, ok');
  assert.ok(!text.includes('\u001b'));
});

test('a call whose start the agent and the API report is printed once, and again if it is tried again', () => {
  const text = printed((transcript) => {
    const begun: RunEvent = { ...base, event: 'call_begun', detail: call };
    for (const event of [begun, begun]) transcript.event(event);
    transcript.event({ ...base, event: 'call_begun', detail: { ...call, call_id: '1.1' } });
    transcript.event({ ...base, event: 'call_unknown', detail: call });
    transcript.event(begun);
  });
  const again = '  ? say: it is unknown whether it happened\n  → say\n';
  assert.equal(text, `  → say\n  → say\n${again}`);
});

test('lost deltas are printed from the stored answer, and no text is printed twice', () => {
  const half = printed((transcript) => {
    transcript.delta(words('I go '));
    transcript.event(answered('I go to Bob.'));
    transcript.answer('I go to Bob.');
  });
  assert.equal(half, 'I go to Bob.\n');
  const none = printed((transcript) => {
    transcript.event(answered('I go.'));
    transcript.answer('I go.');
  });
  assert.equal(none, 'I go.\n');
  const gap = printed((transcript) => {
    transcript.delta(words('to Bob.'));
    transcript.answer('I go to Bob.');
  });
  assert.equal(gap, 'to Bob.\nI go to Bob.\n');
});

test('a new attempt withdraws the words of the previous one', () => {
  const text = printed((transcript) => {
    transcript.delta(words('I thi'));
    transcript.delta(words('I go.', 1, 2));
    transcript.answer('I go.');
  });
  assert.equal(text, 'I thi\n … again:\nI go.\n');
});

test('control characters are replaced, and events without text print nothing', () => {
  assert.equal(
    printed((transcript) => transcript.delta(words('\u001b[2Jclear\u0007'))),
    '\ufffd[2Jclear\ufffd',
  );
  assert.equal(
    printed((transcript) => transcript.event({ ...base, event: 'settled', detail: {} })),
    '',
  );
});
