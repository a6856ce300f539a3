import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClockPort } from '../../../loop/ports.ts';
import { SYSTEM_CLOCK } from '../../../loop/system-clock.ts';
import { aTelemetryEvent, TELEMETRY_TYPES } from '../../testing/a-telemetry-event.ts';
import { otlpReceiver, type OtlpReceiver, type ReceivedSpan } from '@hamlet/test/env/net/otlp-receiver';
import type { TelemetrySink } from '../bus.ts';
import type { TelemetryEvent } from '../event.ts';
import { otlpSink } from './otlp-sink.ts';

const { signal } = new AbortController();

/** Records the waits between attempts and does not wait. */
function impatient(): Readonly<{ clock: ClockPort; waits: number[] }> {
  const waits: number[] = [];
  const clock: ClockPort = {
    ...SYSTEM_CLOCK,
    sleep: async (ms) => void waits.push(ms),
    monotonic: () => waits.reduce((sum, each) => sum + each, 0),
  };
  return { clock, waits };
}

const aSink = (endpoint: string, clock: ClockPort = SYSTEM_CLOCK): TelemetrySink =>
  otlpSink({
    endpoint,
    version: '1.2.3',
    providerOf: (model) => (model === 'fast' ? 'openai' : 'hamlet'),
    ports: { clock, random: () => 1, fetch },
  });

const ended = (): readonly TelemetryEvent[] => [aTelemetryEvent('task_created'), aTelemetryEvent('task_finished')];

const attributesOf = ({ attributes }: Pick<ReceivedSpan, 'attributes'>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

function named({ spans }: OtlpReceiver, name: string): ReceivedSpan {
  const found = spans.filter((span) => span.name === name);
  return found.length === 1 && found[0] !== undefined ? found[0] : assert.fail(`${found.length} spans ${name}`);
}

/** A task with an agent stage whose agent asks its model and calls a tool, and with a tool stage. */
const AGENT = { run: 'r2', agent: 'critic', stage: 'judge' };
const TASK: readonly TelemetryEvent[] = [
  aTelemetryEvent('task_created', { stage: null }),
  aTelemetryEvent('routing_decision', { stage: null, kind: 'pipeline' }),
  aTelemetryEvent('stage_started', { stage: 'judge' }),
  aTelemetryEvent('stage_started', { stage: 'fetch', role: 'tool' }),
  aTelemetryEvent('memory_retrieved', AGENT),
  aTelemetryEvent('model_called', { ...AGENT, tool_calls: 1, finish: 'tool_calls' }),
  aTelemetryEvent('permission_checked', AGENT),
  aTelemetryEvent('tool_called', { ...AGENT, outcome: 'failed', code: 'no_such_file' }),
  aTelemetryEvent('error', AGENT),
  aTelemetryEvent('model_called', { ...AGENT, ask: 2 }),
  aTelemetryEvent('agent_called', AGENT),
  aTelemetryEvent('stage_finished', { stage: 'judge' }),
  aTelemetryEvent('tool_called', { stage: 'fetch', call: 'fetch.1' }),
  aTelemetryEvent('stage_finished', { stage: 'fetch', role: 'tool' }),
  aTelemetryEvent('task_finished', { stage: null }),
];

test('a task is one trace of spans, which a strict receiver takes', async () => {
  const receiver = await otlpReceiver();
  const sink = aSink(receiver.endpoint);
  for (const event of TASK) await sink.write([event], signal);
  const task = named(receiver, 'invoke_workflow review');
  const judge = named(receiver, 'stage judge');
  const fetching = named(receiver, 'stage fetch');
  const agent = named(receiver, 'invoke_agent critic');
  const chats = receiver.spans.filter(({ name }) => name === 'chat fast');
  const tools = receiver.spans.filter(({ name }) => name === 'execute_tool read');
  assert.equal(receiver.spans.length, 8);
  assert.equal(new Set(receiver.spans.map(({ traceId }) => traceId)).size, 1);
  assert.equal(new Set(receiver.spans.map(({ spanId }) => spanId)).size, 8);
  assert.equal(task.parentSpanId, undefined);
  assert.deepEqual([judge.parentSpanId, fetching.parentSpanId], [task.spanId, task.spanId]);
  assert.equal(agent.parentSpanId, judge.spanId);
  assert.deepEqual(
    chats.map(({ parentSpanId }) => parentSpanId),
    [agent.spanId, agent.spanId],
  );
  assert.deepEqual(
    tools.map(({ parentSpanId }) => parentSpanId),
    [agent.spanId, fetching.spanId],
  );
  assert.deepEqual(
    task.events.map(({ name }) => name),
    ['hamlet.routing_decision'],
  );
  assert.deepEqual(
    judge.events.map(({ name }) => name),
    ['hamlet.memory_retrieved', 'hamlet.permission_checked', 'hamlet.error'],
  );
});

test('spans have the attributes of the GenAI conventions, and no contents', async () => {
  const receiver = await otlpReceiver();
  await aSink(receiver.endpoint).write(TASK, signal);
  const [chat = assert.fail('no chat')] = receiver.spans.filter(({ name }) => name === 'chat fast');
  assert.equal(chat.kind, 3);
  const expected = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'fast',
    'gen_ai.conversation.id': 'c1',
    'gen_ai.agent.name': 'critic',
    'gen_ai.usage.input_tokens': '10',
    'gen_ai.usage.output_tokens': '5',
    'hamlet.cost_micros': '20',
  };
  for (const [key, value] of Object.entries(expected)) assert.equal(attributesOf(chat)[key], value, key);
  assert.deepEqual(attributesOf(chat)['gen_ai.response.finish_reasons'], { values: [{ stringValue: 'tool_calls' }] });
  const [tool = assert.fail('no tool')] = receiver.spans.filter(({ name }) => name === 'execute_tool read');
  assert.deepEqual(
    ['gen_ai.operation.name', 'gen_ai.tool.name', 'gen_ai.tool.call.id', 'gen_ai.tool.type', 'error.type'].map(
      (key) => attributesOf(tool)[key],
    ),
    ['execute_tool', 'read', '1.0', 'function', 'no_such_file'],
  );
  assert.deepEqual(tool.status, { code: 2, message: 'no_such_file' });
  assert.equal(attributesOf(named(receiver, 'invoke_agent critic'))['gen_ai.operation.name'], 'invoke_agent');
  assert.equal(attributesOf(named(receiver, 'invoke_workflow review'))['gen_ai.workflow.name'], 'review');
  assert.ok(!JSON.stringify(receiver.spans).includes('a.ts'));
});

test('every type of event, alone and without what came before it, is something that the receiver takes', async () => {
  const receiver = await otlpReceiver();
  for (const type of TELEMETRY_TYPES) await aSink(receiver.endpoint).write([aTelemetryEvent(type)], signal);
  assert.equal(receiver.spans.length, 5);
});

test('the same events give the same ids, so a repeated request gives no second span', async () => {
  const receiver = await otlpReceiver();
  await aSink(receiver.endpoint).write(TASK, signal);
  await aSink(`${receiver.endpoint}/v1/traces`).write(TASK, signal);
  assert.equal(receiver.spans.length, 16);
  assert.equal(new Set(receiver.spans.map(({ spanId }) => spanId)).size, 8);
});

test('a clock that is set back makes no span that ends before it starts', async () => {
  const receiver = await otlpReceiver();
  const event = aTelemetryEvent('task_finished', { started_at: 1_800_000_000_000, at: 1_700_000_000_000 });
  await aSink(receiver.endpoint).write([event], signal);
  assert.equal(receiver.spans.length, 1);
});

test('a refusal that may pass is repeated with growing waits, or after the time that the receiver asks for', async () => {
  const retryAfter = { 'retry-after': '7' };
  const hindrances = [{ status: 503 }, 'hangs_up', { status: 429, headers: retryAfter }, { status: 502 }] as const;
  const receiver = await otlpReceiver(hindrances);
  const { clock, waits } = impatient();
  await aSink(receiver.endpoint, clock).write(ended(), signal);
  assert.deepEqual(waits, [500, 1_000, 7_000, 4_000]);
  assert.equal(receiver.spans.length, 1);
});

test('a receiver that stays unavailable is asked five times', async () => {
  const receiver = await otlpReceiver(Array(10).fill({ status: 503 }));
  const { clock, waits } = impatient();
  await assert.rejects(async () => aSink(receiver.endpoint, clock).write(ended(), signal), { code: 'otlp_refused' });
  assert.equal(receiver.requests.length, 5);
  assert.deepEqual(waits, [500, 1_000, 2_000, 4_000]);
});

test('all attempts together end within a minute, and no wait is longer than half of it', async () => {
  const receiver = await otlpReceiver(Array(10).fill({ status: 503, headers: { 'retry-after': '3600' } }));
  const { clock, waits } = impatient();
  await assert.rejects(async () => aSink(receiver.endpoint, clock).write(ended(), signal), { code: 'otlp_refused' });
  assert.deepEqual(waits, [30_000, 30_000]);
});

test('a refusal that stays, a redirect and a partial success are not repeated', async () => {
  const partial = JSON.stringify({ partialSuccess: { rejectedSpans: '1', errorMessage: 'no room' } });
  const cases = [
    [{ status: 400, body: '{"message":"bad"}' }, 'otlp_refused', /answered 400: \{"message":"bad"\}/],
    [{ status: 413 }, 'otlp_refused', /413/],
    [{ status: 200, body: partial }, 'otlp_partial', /rejected 1 spans: no room/],
  ] as const;
  for (const [hindrance, code, message] of cases) {
    const receiver = await otlpReceiver([hindrance]);
    await assert.rejects(async () => aSink(receiver.endpoint).write(ended(), signal), { code, message });
    assert.equal(receiver.requests.length, 1);
  }
});

test('a warning of a receiver that took everything is not a failure', async () => {
  const body = JSON.stringify({ partialSuccess: { rejectedSpans: '0', errorMessage: 'slow down' } });
  const receiver = await otlpReceiver([{ status: 200, body }]);
  await aSink(receiver.endpoint).write(ended(), signal);
  assert.equal(receiver.requests.length, 1);
});

test('a receiver that never answers costs only the time of the attempts, and an abort ends it at once', async () => {
  const hanging = await otlpReceiver(Array(10).fill('hangs'));
  const { clock } = impatient();
  const hurried: ClockPort = { ...clock, after: (_, run) => SYSTEM_CLOCK.after(1, run) };
  await assert.rejects(async () => aSink(hanging.endpoint, hurried).write(ended(), signal), {
    code: 'otlp_unreachable',
  });
  assert.equal(hanging.requests.length <= 5, true);
  const stopped = new AbortController();
  const written = aSink(hanging.endpoint).write(ended(), stopped.signal);
  stopped.abort();
  await assert.rejects(async () => written, { code: 'otlp_unreachable' });
});

test('a port without a receiver is a failure with the fix', async () => {
  const { clock } = impatient();
  await assert.rejects(async () => aSink('http://127.0.0.1:1', clock).write(ended(), signal), {
    code: 'otlp_unreachable',
    message: 'http://127.0.0.1:1/v1/traces does not answer. Check the endpoint of the sink.',
  });
});

test('events that make no span send nothing', async () => {
  const receiver = await otlpReceiver();
  await aSink(receiver.endpoint).write([aTelemetryEvent('task_created'), aTelemetryEvent('error')], signal);
  assert.equal(receiver.requests.length, 0);
});
