/** The exporter against a receiver that refuses what OTLP does not allow. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { otlpReceiver, type Hindrance, type OtlpReceiver } from '@hamlet/test/env/net/otlp-receiver';
import { until } from '@hamlet/test/env/until';
import { Registry } from 'prom-client';
import { SpanExporter } from './span-exporter.ts';
import { TRACING_ENVIRONMENT } from './tracing-settings.ts';
import { isInSample, spanIdOf, traceIdOf, type Span } from './span.ts';

const TIMES = { lingerMs: 5, firstWaitMs: 5, stopMs: 2_000 };
const SOURCE = { namespace: 'meadow', instance: 'replica-1' };

const spans = (count: number, from = 0): readonly Span[] =>
  Array.from({ length: count }, (_, index) => ({
    traceId: traceIdOf('test'),
    spanId: spanIdOf('test', `${from + index}`),
    parentSpanId: null,
    name: `span ${from + index}`,
    kind: 'internal',
    startMs: 1_790_000_000_000,
    endMs: 1_790_000_000_005,
    attributes: { 'hamlet.run': 'one', count: 3, share: 0.25, nothing: null },
    error: null,
  }));

function exporterTo(endpoint: string, times = TIMES) {
  const registry = new Registry();
  const warnings: string[] = [];
  const log = (level: string, message: string): void => void warnings.push(`${level}: ${message}`);
  const exporter = new SpanExporter({ url: `${endpoint}/v1/traces`, source: SOURCE, registry, log, times });
  const counts = async (): Promise<Readonly<Record<string, number>>> => {
    const metric = await registry.getSingleMetric('hamlet_trace_spans_total')?.get();
    return Object.fromEntries((metric?.values ?? []).map(({ labels, value }) => [labels['outcome'], value]));
  };
  return { exporter, counts, warnings };
}

async function exporting(hindrances: readonly Hindrance[] = []) {
  const receiver: OtlpReceiver = await otlpReceiver(hindrances);
  return { receiver, ...exporterTo(receiver.endpoint) };
}

test('spans arrive once, in few requests, with their attributes in the types of OTLP', async () => {
  const { receiver, exporter, counts } = await exporting();
  exporter.add(spans(3));
  exporter.add(spans(600, 3));
  await exporter.stop();
  assert.equal(receiver.spans.length, 603);
  assert.equal(new Set(receiver.spans.map(({ spanId }) => spanId)).size, 603);
  assert.equal(receiver.requests.length, 2);
  const [first] = receiver.spans;
  assert.deepEqual(first?.attributes, [
    { key: 'hamlet.run', value: { stringValue: 'one' } },
    { key: 'count', value: { intValue: '3' } },
    { key: 'share', value: { doubleValue: 0.25 } },
  ]);
  assert.deepEqual([first?.startTimeUnixNano, first?.endTimeUnixNano], ['1790000000000000000', '1790000000005000000']);
  assert.deepEqual(await counts(), { sent: 603 });
});

test('a request is repeated while the collector is busy or away, and the log names the failure once', async () => {
  const busy = { status: 503, headers: { 'retry-after': '0' } };
  const { receiver, exporter, counts, warnings } = await exporting([busy, 'hangs_up', busy]);
  exporter.add(spans(2));
  await until('the spans', async () => receiver.spans.length === 2);
  await exporter.stop();
  assert.equal(receiver.requests.length, 4);
  assert.deepEqual(await counts(), { sent: 2 });
  assert.deepEqual(warnings, []);
});

test('spans that the collector refuses are lost and counted, and later ones still arrive', async () => {
  const partial = { status: 200, body: JSON.stringify({ partialSuccess: { rejectedSpans: '1', errorMessage: 'no' } }) };
  const { receiver, exporter, counts, warnings } = await exporting([{ status: 400 }, partial]);
  exporter.add(spans(2));
  await until('the first request', async () => receiver.requests.length === 1);
  await until('its count', async () => (await counts())['lost'] === 2);
  exporter.add(spans(3, 2));
  await until('the second request', async () => (await counts())['sent'] === 2);
  exporter.add(spans(1, 5));
  await exporter.stop();
  assert.deepEqual(await counts(), { lost: 3, sent: 3 });
  assert.deepEqual(warnings, ['warn: traces do not reach their collector']);
});

test('a full queue drops what comes, and counts it', async () => {
  const { receiver, exporter, counts } = await exporting();
  exporter.add(spans(5_000));
  await exporter.stop();
  assert.equal(receiver.spans.length, 4_096);
  assert.deepEqual(await counts(), { sent: 4_096, dropped: 904 });
});

test('stop ends in time although the collector hangs, and takes no more spans', async () => {
  const { endpoint } = await otlpReceiver(['hangs', 'hangs']);
  const { exporter, counts } = exporterTo(endpoint, { ...TIMES, stopMs: 50 });
  exporter.add(spans(600));
  await exporter.stop();
  assert.deepEqual(await counts(), { lost: 512, dropped: 88 });
  exporter.add(spans(2));
  assert.deepEqual(await counts(), { lost: 512, dropped: 90 });
});

test('a sample has about its share of the traces, and a larger one contains it', () => {
  const traces = Array.from({ length: 10_000 }, (_, index) => traceIdOf(`${index}`));
  const some = traces.filter((traceId) => isInSample(traceId, 0.1));
  assert.ok(some.length > 800 && some.length < 1_200, `${some.length}`);
  assert.ok(some.every((traceId) => isInSample(traceId, 0.2)));
  assert.equal(traces.filter((traceId) => isInSample(traceId, 0)).length, 0);
  assert.equal(traces.filter((traceId) => isInSample(traceId, 1)).length, traces.length);
});

test('an address with a password is refused, because a request to it would fail and the log would show it', () => {
  const takes = (address: string): boolean => TRACING_ENVIRONMENT.HAMLET_TRACING_ENDPOINT.safeParse(address).success;
  assert.equal(takes('http://collector.monitoring:4318'), true);
  for (const address of [
    'http://me:secret@collector:4318',
    'http://me@collector:4318',
    'ftp://collector',
    'http://c/?a',
  ])
    assert.equal(takes(address), false, address);
});
