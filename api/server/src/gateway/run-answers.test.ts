/** Answers for a run: its watchers receive their text, a cancel ends them, and the run counts their tokens. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunDelta } from '@hamlet/contract';
import { OPENAI_WIRE, type WireChunk } from '@hamlet/models/testing';
import { Redis } from 'ioredis';
import { untilEnd } from '@hamlet/test/env/at-end';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { dataOf } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { RunPlay } from '../testing/play/run-play.ts';
import { agentToken, eventually, testVillage, type AgentId } from '../testing/test-village.ts';
import { testWire, wireModels } from './testing/wire-models.ts';

const deltas: RunDelta[] = [];
/** In progress from the first test to the last. */
let runOfBob = '';

const [village, wire] = await Promise.all([testVillage(), testWire()]);
const models = wireModels(wire.url);
const one = new RunPlay((await village.startReplica({}, { models })).peopleUrl);
const two = new RunPlay((await village.startReplica({}, { models })).peopleUrl);
const redis = untilEnd(new Redis(village.redis.url));
redis.on('pmessage', (_pattern: string, _channel: string, message: string) => {
  deltas.push(JSON.parse(message) as RunDelta);
});
await redis.psubscribe(`${village.redis.scope}run-delta:*`);
await one.play.everybody();

interface Asking {
  readonly signal?: AbortSignal;
  /** The run that the door of the pod names. */
  readonly program?: string;
  readonly model?: string;
  readonly at?: RunPlay;
}

function ask(
  agentId: AgentId,
  metadata: object,
  { signal, program, model = 'small', at = one }: Asking = {},
): Promise<Response> {
  return fetch(`${at.play.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${agentToken(agentId)}`,
      'content-type': 'application/json',
      ...(program === undefined ? {} : { 'hamlet-run': program }),
    },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Talk.' }], stream: true, metadata }),
    signal: signal ?? null,
  });
}

function answerWith(text: readonly string[], ending?: WireChunk): void {
  const whole = OPENAI_WIRE.stream({ text, usage: { prompt: 20, completion: 5 } });
  const chunks = ending === undefined ? whole.chunks : [...whole.chunks.slice(0, text.length + 1), ending];
  wire.add({ answer: { ...whole, chunks } });
}

async function startedRun(agentId: AgentId): Promise<string> {
  const { run_id: runId } = await one.give(agentId);
  dataOf(await one.start(agentId, runId));
  return runId;
}

const deltasOf = (runId: string): readonly RunDelta[] => deltas.filter(({ run_id: id }) => id === runId);

test('the text of an answer is published with the numbers of the request, and the run counts tokens', async () => {
  const runId = await startedRun('bob');
  runOfBob = runId;
  answerWith(['I ', 'walk ', 'now.']);
  assert.match(await (await ask('bob', { run_id: runId, ask: '3', attempt: 1 })).text(), /DONE/);
  const received = await eventually('the deltas', () => deltasOf(runId).length === 3 && deltasOf(runId));
  assert.deepEqual(
    received,
    ['I ', 'walk ', 'now.'].map((text) => ({ run_id: runId, ask: 3, attempt: 1, text })),
  );
  const { usage } = await one.get(runId);
  assert.equal(usage.tokens, 25);
  wire.verify();
});

test("a program's answer is charged to the run in its header, even if its body names another, and people do not see it; another run, an earlier attempt and a cancelled run are refused", async () => {
  const runId = await startedRun('fay');
  answerWith(['an answer to the program']);
  assert.match(await (await ask('fay', { run_id: runOfBob }, { program: `${runId}/1` })).text(), /DONE/);
  assert.equal((await one.get(runId)).usage.tokens, 25);
  assert.deepEqual(deltasOf(runId), []);
  wire.verify();
  const codes: [string, string][] = [
    [`${runOfBob}/1`, 'no_such_run'],
    [`${runId}/2`, 'run_settled'],
    [runId, 'no_such_run'],
    [`${runId}/1/x`, 'no_such_run'],
  ];
  for (const [program, code] of codes) {
    const answer = (await (await ask('fay', {}, { program })).json()) as { code: string };
    assert.equal(answer.code, code, program);
  }
  await one.play.admin.cancelRun({ run_id: runId });
  const cancelled = (await (await ask('fay', {}, { program: `${runId}/1` })).json()) as { code: string };
  assert.equal(cancelled.code, 'run_settled');
  dataOf(await one.settle('fay', runId, { attempt: 1, state: 'cancelled', summary: 'Cancelled.' }));
});

test('a parked run keeps its budgets: a request that names no run is charged to it', async () => {
  const runId = await startedRun('fay');
  const { cycle } = await one.play.agent('fay');
  await one.play.as('fay').parkRun({ run_id: runId, cycle, attempt: 1, code: 'network', wait_ms: 3_600_000 });
  answerWith(['hidden']);
  assert.match(await (await ask('fay', {})).text(), /DONE/);
  assert.equal((await one.get(runId)).usage.tokens, 25);
  await one.play.admin.cancelRun({ run_id: runId });
  wire.verify();
});

test('text for a run is published only if the asking agent works on that run', async () => {
  const runId = await startedRun('cleo');
  const { run_id: waiting } = await one.give('dan');
  assert.match(await (await ask('eve', { run_id: runId, ask: 1, attempt: 1 })).text(), /no_such_run/);
  answerWith(['not yet']);
  assert.match(await (await ask('dan', { run_id: waiting, ask: 1, attempt: 1 })).text(), /DONE/);
  answerWith(['not under this lease']);
  assert.match(await (await ask('cleo', { run_id: runId, ask: 1, attempt: 1, lease: 99 })).text(), /DONE/);
  answerWith(['for cleo']);
  assert.match(await (await ask('cleo', { run_id: runId, ask: 2, attempt: 1, lease: 1 })).text(), /DONE/);
  await eventually('the last delta', () => deltasOf(runId).length > 0);
  assert.deepEqual(pluck([...deltasOf(runId), ...deltasOf(waiting)], 'text'), ['for cleo']);
  dataOf(await one.settle('cleo', runId, { attempt: 1, state: 'done', summary: 'Done.', answer: 'For cleo.' }));
  assert.equal((await one.get(waiting)).usage.tokens, 25, 'it is counted for the run that asked');
  wire.verify();
});

test('a cancel on another replica ends the answer, also at the provider; the tokens so far are counted', async () => {
  const runId = await startedRun('fay');
  answerWith(['First words.'], 'hold');
  const response = await ask('fay', { run_id: runId, ask: 1, attempt: 1 });
  await eventually('the first words', () => deltasOf(runId).length === 1);
  const upstream = wire.requests.at(-1);
  await two.play.admin.cancelRun({ run_id: runId });
  const said = await response.text();
  assert.match(said, /First words.*"code":"run_settled"/s);
  assert.doesNotMatch(said, /DONE/);
  await upstream?.gone;
  const { tokens } = (await one.get(runId)).usage;
  assert.ok(tokens > 0);
  const refused = await ask('fay', { run_id: runId, ask: 2, attempt: 1 });
  assert.equal(refused.status, 409);
  assert.match(await refused.text(), /run_settled/);
  assert.equal(deltasOf(runId).length, 1);
  wire.verify();
});

test('a request that names no run counts towards the run in progress, and ends with its cancel', async () => {
  const runId = await startedRun('dan');
  answerWith(['hidden']);
  assert.match(await (await ask('dan', {})).text(), /DONE/);
  assert.equal((await one.get(runId)).usage.tokens, 25);
  await one.play.admin.cancelRun({ run_id: runId });
  const refused = await ask('dan', {});
  assert.deepEqual([refused.status, /run_settled/.test(await refused.text())], [409, true]);
  wire.verify();
});

test('a run that has used its tokens gets no further answer, and its requests in progress count', async () => {
  const runId = await startedRun('eve');
  const { budgets } = await one.get(runId);
  const db = village.openDb();
  const tokens = (budgets?.tokens ?? 0) - 1;
  await db.updateTable('run').set({ tokens }).where('run_id', '=', runId).execute();
  answerWith(['the last words']);
  assert.match(await (await ask('eve', { run_id: runId, ask: 1, attempt: 1 })).text(), /DONE/);
  for (const metadata of [{ run_id: runId, ask: 2, attempt: 1 }, {}]) {
    const refused = await ask('eve', metadata);
    assert.equal(refused.status, 402);
    const { code, detail } = (await refused.json()) as { readonly code: string; readonly detail: string };
    assert.deepEqual([code, /budget of tokens/.test(detail)], ['run_budget_spent', true]);
  }
  wire.verify();
});

test('a run that records no steps gets two answers for each step of its budget', async () => {
  await one.play.admin.rewardAgent({ agent_id: 'ada', amount: '1', reason: 'for models' });
  const runId = await startedRun('ada');
  const { budgets } = await one.get(runId);
  const now = new Date();
  const request = {
    agent_id: 'ada',
    agent_uid: 'ada',
    pod_uid: null,
    run_id: runId,
    tier: 'tier-0',
    model: 'small',
    provider: 'wire',
    outcome: 'done' as const,
    reserved_tokens: 1,
    hour_began_at: now,
    started_at: now,
    ended_at: now,
  };
  const rows = Array.from({ length: 2 * (budgets?.steps ?? 0) - 1 }, () => request);
  await village.openDb().insertInto('model_request').values(rows).execute();
  answerWith(['the last answer']);
  assert.match(await (await ask('ada', { run_id: runId, ask: 1, attempt: 1 })).text(), /DONE/);
  const refused = await ask('ada', { run_id: runId, ask: 2, attempt: 1 });
  assert.deepEqual([refused.status, /budget of steps/.test(await refused.text())], [402, true]);
  dataOf(await one.settle('ada', runId, { attempt: 1, state: 'done', summary: 'Done.' }));
  wire.verify();
});

test("a program's requests at the same time, at two replicas, may use no more than its run has left; what one does not use is free again", async () => {
  const runId = await startedRun('ada');
  const { budgets } = await one.get(runId);
  const left = 200;
  const db = village.openDb();
  const tokens = (budgets?.tokens ?? 0) - left;
  await db.updateTable('run').set({ tokens }).where('run_id', '=', runId).execute();
  const hangUp = new AbortController();
  const asking: Asking = { program: `${runId}/1`, signal: hangUp.signal };
  answerWith(['First words.'], 'hold');
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, at) => ask('ada', {}, { ...asking, at: at % 2 === 0 ? one : two })),
  );
  const refused = answers.filter(({ status }) => status !== 200);
  const codes = await Promise.all(refused.map(async (answer) => ((await answer.json()) as { code: string }).code));
  assert.deepEqual([codes.length, ...new Set(codes)], [23, 'too_many_in_flight']);
  const open = db.selectFrom('model_request').select('run_tokens').where('run_id', '=', runId);
  const underWay = open.where('outcome', '=', 'under_way');
  assert.deepEqual(await underWay.execute(), [{ run_tokens: left }]);
  hangUp.abort();
  await eventually('the end of the request', async () => (await underWay.execute()).length === 0);
  answerWith(['the next']);
  assert.match(await (await ask('ada', {}, { program: `${runId}/1` })).text(), /DONE/);
  dataOf(await one.settle('ada', runId, { attempt: 1, state: 'done', summary: 'Done.' }));
  wire.verify();
});

test('an answer whose caller hangs up counts as a request of the run; a request that reached no provider does not', async () => {
  const runId = await startedRun('ada');
  const { budgets } = await one.get(runId);
  const hangUp = new AbortController();
  answerWith(['the whole answer'], 'hold');
  const reader = (await ask('ada', { run_id: runId, ask: 1, attempt: 1 }, { signal: hangUp.signal })).body?.getReader();
  let text = '';
  while (!text.includes('whole answer')) text += new TextDecoder().decode((await reader?.read())?.value);
  hangUp.abort();
  const db = village.openDb();
  const of = db.selectFrom('model_request').selectAll().where('run_id', '=', runId).where('outcome', '<>', 'under_way');
  const row = await eventually('the end of the request', () => of.executeTakeFirst());
  assert.equal(row.outcome, 'cancelled');
  const { request_id: _id, ...request } = row;
  const add = (count: number, changes: Partial<typeof request>) =>
    db
      .insertInto('model_request')
      .values(Array.from({ length: count }, () => ({ ...request, ...changes })))
      .execute();
  const most = 2 * (budgets?.steps ?? 0);
  const unread = { prompt_tokens: 0, completion_tokens: 0 };
  await add(most, unread);
  await add(most, { ...unread, outcome: 'failed' });
  await add(most, { ...unread, outcome: 'not_paid' });
  await add(most - 4, {});
  await add(1, { outcome: 'failed' });
  await add(1, { ...unread, outcome: 'lost' });
  answerWith(['the last answer']);
  assert.match(await (await ask('ada', { run_id: runId, ask: 2, attempt: 1 })).text(), /DONE/);
  const refused = await ask('ada', { run_id: runId, ask: 3, attempt: 1 });
  assert.deepEqual([refused.status, /budget of steps/.test(await refused.text())], [402, true]);
  wire.verify();
});

test('a request that names a queued run spends the budgets of the run in progress, and ends with it', async () => {
  const runId = runOfBob;
  const { run_id: queued } = await one.give('bob');
  answerWith(['First words.'], 'hold');
  const response = await ask('bob', { run_id: queued, ask: 1, attempt: 1 });
  await eventually('the request', () => wire.requests.length > 0);
  await two.play.admin.cancelRun({ run_id: runId });
  assert.match(await response.text(), /"code":"run_settled"/);
  assert.deepEqual(deltasOf(queued), []);
  assert.ok((await one.get(runId)).usage.tokens > 0);
  wire.verify();
});

test('a run keeps a bought model after the end of its time; a later request gets none', async () => {
  await one.play.admin.rewardAgent({ agent_id: 'cleo', amount: '5', reason: 'for a model' });
  const item = { kind: 'model', model: 'large' } as const;
  await one.play.admin.buyCompute({ agent_id: 'cleo', item, seconds: 60 });
  const { run_id: runId } = await one.give('cleo', 'Think.');
  dataOf(await one.start('cleo', runId));
  const superuser = openSuperuser(village.postgres);
  await superuser.run(
    "update purchase set during = tstzrange(lower(during), clock_timestamp()) where agent_id = 'cleo'",
  );
  await superuser.close();
  await eventually('the end of the purchase', async () => {
    const { limits } = await one.play.admin.getModelUse({ agent_id: 'cleo' });
    return !limits.models.includes('large');
  });
  assert.match(await (await ask('cleo', { run_id: runId, ask: 1, attempt: 1 }, { model: 'large' })).text(), /DONE/);
  dataOf(await one.settle('cleo', runId, { attempt: 1, state: 'done', summary: 'Done.', answer: 'The last words.' }));
  assert.equal((await ask('cleo', {}, { model: 'large' })).status, 404);
});
