/**
 * Calls in the hands over HTTP: the API stores the start before the call runs, assigns slots, and records the output
 * that the agent claims.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listCalls, type CallInput } from '@hamlet/contract';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { eventually } from '../../testing/test-village.ts';
import { type HandsCall, type Working, withTunnel, startPermits } from '../testing/permission-play.ts';

const RULES = JSON.stringify([
  { tools: ['read', 'speak', 'exec', 'write_inside'], verdict: 'allow' },
  { tools: ['stop_process'], verdict: 'ask', reason: 'It may be in use' },
  { tools: ['list_processes'], verdict: 'deny' },
]);

const { village, permits } = await startPermits({ rules: RULES, environment: withTunnel });
const db = village.openDb();

const begin = (working: Working, call?: HandsCall) => permits.begin(working, call);

const OPENED = [{ url: 'https://example.org/a?b=1', title: 'A page', at: '2026-11-25T10:00:00+01:00' }];
const REFUSED = ['egress_not_allowed: no rule of this agent allows a.test:443; ask an admin'];
const REPORT = {
  command: 'ls',
  cwd: '/workspace',
  stdout: 'a\nb\n',
  stderr: '',
  bytes: 4,
  exit: 0,
  duration_ms: 7,
  opened: OPENED,
  refused: REFUSED,
};

const end = (working: Working, callId = '1.0', report: object = REPORT) =>
  permits.finish(working, callId, { report, outcome: { kind: 'ok', text: 'Exit code 0' } });

const stateOf = async (answer: ReturnType<typeof begin>): Promise<string> => dataOf(await answer).state;
const log = async (query: NonNullable<CallInput<typeof listCalls>['query']>) =>
  await permits.play.admin.listCalls(query);

test('start and end of a call are stored once; log and run show what the API saw and what the agent claims', async () => {
  const working = await permits.startRun('ada');
  assert.equal(await stateOf(begin(working, { known: true })), 'absent');
  assert.equal(await stateOf(begin(working)), 'begun');
  assert.deepEqual(dataOf(await begin(working, { boot: 'b2' })), {
    state: 'known',
    boot: 'b1',
    outcome: null,
  });
  await refuses(begin(working, { args: { command: 'rm -r x' } }), 'call_diverged');
  await refuses(end(working, '9.9'), 'no_such_call');
  const pages = (change: object, count = 1) => ({
    opened: Array.from({ length: count }, () => ({ ...OPENED[0], ...change })),
  });
  for (const refused of [[...'1234567'], ['a'.repeat(321)]])
    await refuses(end(working, '1.0', { refused }), 'validation_failed');
  for (const report of [pages({ url: 'javascript:alert(1)' }), pages({ at: 'now' }), pages({}, 51)])
    await refuses(end(working, '1.0', report), 'validation_failed');
  assert.deepEqual(
    [await end(working), await end(working)],
    [
      { stored: true, panic: null, warning: null },
      { stored: false, panic: null, warning: null },
    ],
  );
  assert.equal(await stateOf(begin(working, { known: true })), 'ended');
  const { calls } = await log({ run_id: working.runId });
  assert.deepEqual(
    calls.map(({ state, tool, outcome, arguments: args, report }) => ({ state, tool, outcome, args, report })),
    [{ state: 'ended', tool: 'shell', outcome: { kind: 'ok' }, args: '{"command":"ls"}', report: REPORT }],
  );
  const { events } = await permits.play.admin.listRunEvents({ run_id: working.runId });
  assert.deepEqual(
    pluck(
      events.filter(({ event }) => event.startsWith('call_')),
      'event',
      'witnessed',
    ),
    [
      ['call_begun', true],
      ['call_settled', false],
    ],
  );
  const settled = events.find(({ event }) => event === 'call_settled');
  assert.equal(settled?.event === 'call_settled' && settled.detail.exit, REPORT.exit);
  const { records } = await permits.play.admin.listAudit({ action: 'run.call', object: 'ada' });
  assert.match(
    JSON.stringify(records),
    new RegExp(`"claimed": ?true[^}]*${working.runId}|${working.runId}[^}]*"claimed": ?true`),
  );
});

test('an unfinished call holds a slot of its tier, and is unknown once its run is over', async () => {
  const working = await permits.startRun('bob');
  assert.equal(await stateOf(begin(working)), 'begun');
  await refuses(begin(working, { callId: '1.1' }), 'too_many_tools');
  assert.equal(
    await stateOf(begin(working, { callId: '1.2', tool: 'read_output', args: { process: '1.0' } })),
    'begun',
    'reading takes no slot',
  );
  await end(working, '1.2', {});
  assert.deepEqual(pluck((await log({ agent_id: 'bob', state: 'begun' })).calls, 'call_id'), ['1.0']);
  await permits.play.admin.cancelRun({ run_id: working.runId });
  assert.deepEqual(dataOf(await begin(working, { callId: '1.3' })).outcome?.code, 'run_cancelled');
  await permits.end(working);
  const { run } = await permits.play.admin.getRun({ run_id: working.runId });
  assert.deepEqual(run.unsettled, ['1.0'], 'the API names it even if the agent does not');
  assert.deepEqual(pluck((await log({ agent_id: 'bob', state: 'unknown' })).calls, 'call_id'), ['1.0']);
  await refuses(end(working), 'run_settled');
  const next = await permits.startRun('bob');
  assert.equal(await stateOf(begin(next)), 'begun', 'the slot is free again');
});

test('the rules apply when a call starts: denied, asked or allowed once; tools of village and model are refused', async () => {
  const working = await permits.startRun('cleo');
  const code = async (start: HandsCall) => dataOf(await begin(working, start)).outcome?.code;
  assert.equal(await code({ tool: 'list_processes', args: {} }), 'policy_denied');
  assert.equal(await code({ tool: 'say', args: { text: 'x' } }), 'no_such_tool');
  assert.equal(await code({ tool: 'made_up', args: {} }), 'no_such_tool');
  const stop = { tool: 'stop_process', callId: '2.0', args: { process: '1.0' } };
  await refuses(begin(working, stop), 'permission_needed');
  await permits.allow(working, stop);
  await refuses(begin(working, { ...stop, args: { process: '1.1' } }), 'arguments_differ');
  assert.equal(await stateOf(begin(working, stop)), 'begun');
  assert.equal(await stateOf(begin(working, stop)), 'known', 'the permission is used up');
});

test('a call with an unknown end begins once more for each approval by a person', async () => {
  const working = await permits.startRun('cleo');
  const args = { command: 'git push' };
  const call = { tool: 'shell', callId: '3.0', args };
  const lost = (request: string) =>
    permits.ask(working, call, { why: 'unknown', request: `${working.runId}/${request}` });
  const again = (more: HandsCall = {}) => begin(working, { ...call, boot: 'b2', ...more });
  await permits.allow(working, call);
  assert.equal(await stateOf(begin(working, call)), 'begun');
  const asked = dataOf(await lost('3.0/2')).permission;
  assert.equal(await stateOf(again()), 'known', 'nobody has answered');
  dataOf(await permits.answer(asked.permission_id, { answer: 'repeat' }));
  assert.equal(await stateOf(again({ known: true })), 'known', 'asking about the call does not use up the approval');
  await refuses(again({ args: { command: 'rm -r x' } }), 'call_diverged');
  assert.deepEqual(dataOf(await again()), { state: 'begun', boot: 'b2', outcome: null, waits_s: 120 });
  assert.equal(await stateOf(again()), 'known', 'the approval is used up');
  dataOf(await permits.answer(dataOf(await lost('3.0/3')).permission.permission_id, { answer: 'happened' }));
  assert.equal(await stateOf(again()), 'known');
  dataOf(await permits.answer(dataOf(await lost('3.0/4')).permission.permission_id, { answer: 'repeat' }));
  await end(working, '3.0');
  assert.equal(await stateOf(again()), 'ended', 'a call that has ended does not begin again');
});

async function nextAttempt({ agentId, runId }: Working): Promise<Working> {
  await db.updateTable('run').set({ state: 'queued' }).where('run_id', '=', runId).execute();
  return permits.start(agentId, { run_id: runId });
}

test('a call that a later attempt repeats, or whose process still runs, is open again and takes its slot', async () => {
  const first = await permits.startRun('dan');
  const list = { tool: 'write_file', args: { path: 'a', text: 'x' } };
  assert.equal(await stateOf(begin(first, { ...list, callId: '4.0' })), 'begun');
  const second = await nextAttempt(first);
  const states = async () => {
    const { calls } = await log({ run_id: first.runId });
    return Object.fromEntries(calls.map(({ call_id: id, state }) => [id, state]));
  };
  assert.deepEqual(await states(), { '4.0': 'unknown' });
  assert.equal(await stateOf(begin(second, { ...list, callId: '4.0', boot: 'b2' })), 'known', 'it may run again');
  assert.deepEqual(await states(), { '4.0': 'begun' });
  await refuses(begin(second, { callId: '4.1' }), 'too_many_tools', 'it has its slot');
  assert.equal(await stateOf(begin(second, { ...list, callId: '4.0' })), 'known', 'it is not refused for its own slot');
  await end(second, '4.0', {});
  assert.equal(await stateOf(begin(second, { callId: '4.1' })), 'begun');
  const third = await nextAttempt(first);
  assert.equal(await stateOf(begin(third, { callId: '4.1', boot: 'b2', known: true })), 'known');
  assert.deepEqual(await states(), { '4.0': 'ended', '4.1': 'unknown' }, 'its process is gone with the hands');
  assert.equal(await stateOf(begin(third, { ...list, callId: '4.2' })), 'begun');
  assert.equal(await stateOf(begin(third, { callId: '4.1', known: true })), 'known');
  assert.equal((await states())['4.1'], 'begun', 'its process still runs');
  await refuses(begin(third, { ...list, callId: '4.3' }), 'too_many_tools');
});

test('a repeated call waits for a slot; the database never assigns it to an earlier attempt', async () => {
  const first = await permits.startRun('eve');
  const write = { tool: 'write_file', args: { path: 'a', text: 'x' } };
  assert.equal(await stateOf(begin(first, write)), 'begun');
  const second = await nextAttempt(first);
  assert.equal(await stateOf(begin(second, { callId: '2.0' })), 'begun');
  await refuses(begin(second, write), 'too_many_tools');
  await end(second, '2.0');
  assert.equal(await stateOf(begin(second, write)), 'known');
  const back = db.updateTable('hands_call').set({ attempt: 1 }).where('run_id', '=', first.runId);
  await assert.rejects(back.where('call_id', '=', '1.0').execute(), /goes to no earlier attempt/);
});

test('secrets of known forms are never stored; texts are found only by people who may read them', async () => {
  const working = await permits.startRun('ada');
  const token = `ghp_${'a1'.repeat(20)}`;
  assert.equal(
    await stateOf(begin(working, { args: { command: `curl -H "Authorization: Bearer ${token}" walnut` } })),
    'begun',
  );
  const page = { ...OPENED[0], url: 'https://example.org/?api_key=abcdefgh12' };
  await end(working, '1.0', {
    ...REPORT,
    opened: [page],
    stdout: `token ${token}\nhttps://me:hunter22@host/\nwalnut\n`,
  });
  const { rows } = await eventually('the rows', async () => {
    const found = await db.selectFrom('hands_call').selectAll().where('run_id', '=', working.runId).execute();
    return found.length > 0 && { rows: JSON.stringify(found) };
  });
  assert.ok(!rows.includes(token) && !rows.includes('hunter22') && rows.includes('[secret]'), rows);
  const events = await db.selectFrom('run_event').select('detail').where('run_id', '=', working.runId).execute();
  assert.ok(!JSON.stringify(events).includes(token));
  assert.equal((await log({ q: 'walnut' })).calls.length, 1);
  assert.equal((await log({ q: 'api_key=[secret]' })).calls.length, 1, 'addresses of opened pages contain no secrets');
  assert.equal((await log({ q: '100%_' })).calls.length, 0);
  assert.equal((await permits.member.listCalls({ q: 'walnut' })).calls.length, 0);
  await refuses(permits.play.admin.listCalls({ cursor: 'bm8' }), 'cursor_invalid');
});
