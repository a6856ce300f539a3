/** One message in one trace: from the request of a person to its run, its model, its tools, and what these send out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPENAI_WIRE } from '@hamlet/models/testing';
import { inTransaction, taintRun } from '@hamlet/store';
import { dataOf } from '@hamlet/test/env/client';
import { otlpReceiver, type ReceivedSpan } from '@hamlet/test/env/net/otlp-receiver';
import { attemptOf } from '../egress/testing/egress-bodies.ts';
import { testWire, wireModels } from '../gateway/testing/wire-models.ts';
import { readTraceparent } from '../http/trace.ts';
import { PermissionPlay, resultOf } from '../permissions/testing/permission-play.ts';
import { agentToken, clientOf, eventually, testVillage, TOKENS } from '../testing/test-village.ts';

const WORDS = 'Paint the mill in cobalt.';
const ANSWER = 'The mill is cobalt.';
const SECRET_PATH = '/v1/cobalt';
/** An agent chooses the ids of its calls, and could put a text there. */
const CALL = 'The.mill.is.cobalt';
const CALLER = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' };

const [village, wire, receiver] = await Promise.all([testVillage(), testWire(), otlpReceiver()]);
const models = wireModels(wire.url);
const tracing = { HAMLET_TRACING_ENDPOINT: receiver.endpoint, HAMLET_TRACING_RATIO: '1' };
const replica = await village.startReplica(tracing, { models });
const other = await village.startReplica(tracing, { models });
const work = new PermissionPlay(replica.peopleUrl);
await work.play.everybody();
await work.play.admin.rewardAgent({ agent_id: 'ada', amount: '50', reason: 'for the traces' });
await eventually('a replica that leads', async () =>
  /hamlet_jobs_total\{job="run-traces",outcome="done"\} [1-9]/.test(
    await (await fetch(`${replica.metricsUrl}/metrics`)).text(),
  ),
);
const db = village.openDb();

/** Sends a message as a member. Returns the id of its run. */
async function say(headers: Readonly<Record<string, string>> = {}, url = work.play.url): Promise<string> {
  const { session } = await work.member.createSession({ agent_id: 'ada', people: [] });
  const response = await fetch(`${url}/sessions/${session.session_id}/messages`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${TOKENS.member}`,
      'content-type': 'application/json',
      'idempotency-key': session.session_id,
      ...headers,
    },
    body: JSON.stringify({ text: WORDS }),
  });
  assert.ok(response.ok, await response.clone().text());
  return ((await response.json()) as { run: { run_id: string } }).run.run_id;
}

/** Asks the model in the run. Returns the header that its server received. */
async function ask(runId: string): Promise<string | undefined> {
  wire.add({ answer: OPENAI_WIRE.stream({ text: [ANSWER], usage: { prompt: 20, completion: 5 } }) });
  const response = await fetch(`${work.play.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${agentToken('ada')}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'small',
      messages: [{ role: 'user', content: WORDS }],
      metadata: { run_id: runId },
    }),
  });
  assert.equal(response.status, 200, await response.text());
  wire.verify();
  return wire.requests.at(-1)?.headers['traceparent'];
}

const spansOf = (traceId: string): readonly ReceivedSpan[] => receiver.spans.filter((span) => span.traceId === traceId);

function named(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const found = spans.filter((span) => span.name === name);
  return found.length === 1 && found[0] !== undefined
    ? found[0]
    : assert.fail(`${found.length} spans ${name} among ${spans.map((span) => span.name).join(', ')}`);
}

const valueIn = ({ attributes }: ReceivedSpan, key: string): unknown =>
  Object.values(attributes.find((each) => each.key === key)?.value ?? {})[0];

test('a message is one trace, which continues that of its caller and reaches the server of the model', async () => {
  const runId = await say({ traceparent: `00-${CALLER.trace}-${CALLER.span}-01` }, other.peopleUrl);
  const working = await work.start('ada', { run_id: runId });
  const sent = readTraceparent(await ask(runId));
  assert.equal(resultOf(await work.perform(working, { tool: 'say', callId: '1.0', args: { text: ANSWER } })), 'ok');
  dataOf(await work.begin(working, { callId: CALL, args: { command: `echo ${ANSWER}` } }));
  const attempt = await attemptOf(work.play, 'ada', { run: runId, call: CALL, path: SECRET_PATH });
  await clientOf(work.play.url, TOKENS.broker).keepEgressAttempts({ begin: [attempt], end: [] });
  await work.finish(working, CALL, { outcome: { kind: 'failed', code: 'exit_code', text: ANSWER } });
  const { cycle, attempt: number } = working;
  const end = { cycle, attempt: number, state: 'done', summary: ANSWER, answer: ANSWER } as const;
  dataOf(await work.play.as('ada').raw.settleRun({ run_id: runId, ...end }));

  const isOfRun = (span: ReceivedSpan): boolean => span.name === 'invoke_agent ada';
  const spans = await eventually('the trace of the run', () => {
    const found = spansOf(CALLER.trace);
    return found.some(isOfRun) && found.some(({ kind }) => kind === 2) && found;
  });
  const request = named(spans, 'POST /api/v1/sessions/{session_id}/messages');
  const run = named(spans, 'invoke_agent ada');
  const queue = named(spans, 'wait for agent');
  const model = named(spans, 'chat small');
  const tool = named(spans, 'execute_tool say');
  const hands = named(spans, 'execute_tool shell');
  const egress = named(spans, 'GET');
  assert.equal(spans.length, 7);
  assert.deepEqual(
    [request, run, queue, model, tool, hands, egress].map(({ parentSpanId }) => parentSpanId),
    [CALLER.span, request.spanId, run.spanId, run.spanId, run.spanId, run.spanId, hands.spanId],
  );
  assert.deepEqual(sent, { traceId: CALLER.trace, spanId: model.spanId, isSampled: true });
  const usage = ['gen_ai.provider.name', 'gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens'];
  assert.deepEqual(
    usage.map((key) => valueIn(model, key)),
    ['upstream', '20', '5'],
  );
  assert.deepEqual(
    [tool, hands].map(({ status }) => status),
    [{}, { code: 2, message: 'exit_code' }],
  );
  assert.equal(valueIn(egress, 'server.address'), 'api.example.org');
  const idOfCall = 'gen_ai.tool.call.id';
  assert.deepEqual([valueIn(tool, idOfCall), valueIn(hands, idOfCall)], ['1.0', hands.spanId]);
  const sentText = JSON.stringify(spans);
  for (const text of ['cobalt', SECRET_PATH]) assert.equal(sentText.includes(text), false, `a span has ${text}`);
});

test('a run whose request has no trace begins one, and its worker is in it', async () => {
  const { peopleUrl: untraced } = await village.startReplica({}, { models });
  const runId = await say({}, untraced);
  const working = await work.start('ada', { run_id: runId });
  const args = { role: 'helper', prompt: 'Help.' };
  assert.equal(resultOf(await work.perform(working, { tool: 'delegate', callId: '1.0', args })), 'ok');
  const { run_id: workerId } = await db
    .selectFrom('run')
    .select('run_id')
    .where('parent_run_id', '=', runId)
    .executeTakeFirstOrThrow();
  await work.end(await work.start('ada', { run_id: workerId }));
  await work.end(working);
  const ofRun = (id: string) => (span: ReceivedSpan) =>
    span.name === 'invoke_agent ada' && valueIn(span, 'hamlet.run') === id;
  const [worker, parent] = await eventually('both runs', () => {
    const found = [workerId, runId].flatMap((id) => receiver.spans.find(ofRun(id)) ?? []);
    return found.length === 2 && found;
  });
  assert.equal(parent?.parentSpanId, undefined);
  const call = named(spansOf(parent?.traceId ?? ''), 'execute_tool delegate');
  assert.deepEqual([worker?.traceId, worker?.parentSpanId], [call.traceId, call.spanId]);
});

test('two replicas send each span once, and none of callers that record nothing, agents and strangers', async () => {
  const runId = await say({ traceparent: `00-${CALLER.trace.replace('4b', '5c')}-${CALLER.span}-00` });
  const working = await work.start('ada', { run_id: runId });
  assert.equal(await ask(runId), undefined);
  await work.end(working);
  const stranger = 'a'.repeat(32);
  const headers = { traceparent: `00-${stranger}-${CALLER.span}-01` };
  await fetch(`${work.play.url}/world`, { headers });
  await fetch(`${work.play.url}/world`, { headers: { ...headers, authorization: `Bearer ${agentToken('ada')}` } });
  const ended = await db.selectFrom('run').select('run_id').where('ended_at', 'is not', null).execute();
  assert.equal(ended.length, 4);
  // The broker may report after the end which hosts a run reached.
  await inTransaction(db, async (tx) => {
    for (const { run_id } of ended) await taintRun(tx, { runId: run_id, source: 'egress', detail: 'late.example.org' });
  });
  // A later trace shows that those before it would have arrived.
  const later = 'c'.repeat(32);
  const marked = await say({ traceparent: `00-${later}-${CALLER.span}-01` });
  await work.end(await work.start('ada', { run_id: marked }));
  await eventually('the later run', () => spansOf(later).some(({ name }) => name === 'invoke_agent ada'));
  assert.deepEqual([...spansOf(CALLER.trace.replace('4b', '5c')), ...spansOf(stranger)], []);
  const ids = receiver.spans.map(({ spanId }) => spanId);
  assert.equal(new Set(ids).size, ids.length);
});
