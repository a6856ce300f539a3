import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { aTelemetryEvent, TELEMETRY_TYPES } from '../../testing/a-telemetry-event.ts';
import { prometheusSink } from './prometheus-sink.ts';

const folder = testFolder('metrics');
const { signal } = new AbortController();

const LINE = /^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\d+(?:\.\d+)?(?:e-?\d+)?)$/;

/** Reads the text format strictly: each series belongs to the metric above it, and appears once. */
function read(text: string): ReadonlyMap<string, number> {
  assert.ok(text.endsWith('\n'));
  const found = new Map<string, number>();
  let name = '';
  let type = '';
  for (const line of text.trimEnd().split('\n')) {
    const comment = /^# (HELP|TYPE) ([a-z_]+) (.+)$/.exec(line);
    if (comment !== null) {
      if (comment[1] === 'HELP') assert.ok(![...found.keys()].some((key) => key.startsWith(`${comment[2]}{`)));
      name = comment[2] ?? '';
      type = comment[3] ?? '';
      continue;
    }
    const [, series = '', labels = '', value] = LINE.exec(line) ?? assert.fail(`malformed: ${line}`);
    const names = type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
    assert.ok(names.includes(series), line);
    const key = `${series}{${labels}}`;
    assert.ok(!found.has(key), `twice: ${key}`);
    found.set(key, Number(value));
  }
  return found;
}

test('the metrics count every type of event in the text format', async () => {
  const sink = prometheusSink(null);
  await sink.write(
    TELEMETRY_TYPES.map((type) => aTelemetryEvent(type)),
    signal,
  );
  await sink.write([aTelemetryEvent('model_called'), aTelemetryEvent('memory_retrieved')], signal);
  const values = read(sink.text());
  const expected = {
    'tasks_total{workflow="review",pipeline="default",status="completed"}': 1,
    'stages_total{role="agent",end="done"}': 1,
    'agent_calls_total{agent="",outcome="done"}': 1,
    'tool_calls_total{tool="read",outcome="ok"}': 1,
    'model_calls_total{model="fast",outcome="answered"}': 2,
    'tokens_total{model="fast",kind="prompt"}': 20,
    'tokens_total{model="fast",kind="completion"}': 10,
    'cost_micros_total{model="fast"}': 40,
    'memories_retrieved_total{}': 4,
    'routing_decisions_total{kind="edges"}': 1,
    'json_repairs_total{where="arguments",result="repaired"}': 1,
    'permission_checks_total{verdict="allow",by="policy"}': 1,
    'permission_denials_total{tool="read",code="policy"}': 1,
    'sensitive_calls_total{tool="read"}': 1,
    'errors_total{where="tool",category="tool",code="timed_out"}': 1,
    'model_seconds_bucket{model="fast",le="0.1"}': 0,
    'model_seconds_bucket{model="fast",le="0.5"}': 2,
    'model_seconds_bucket{model="fast",le="+Inf"}': 2,
    'model_seconds_sum{model="fast"}': 1,
    'model_seconds_count{model="fast"}': 2,
  };
  for (const [key, value] of Object.entries(expected)) assert.equal(values.get(`hamlet_engine_${key}`), value, key);
});

test('a model without a price adds no cost, and is counted as unpriced', async () => {
  const sink = prometheusSink(null);
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, cost_micros: null, money_micros: 0 };
  await sink.write([aTelemetryEvent('model_called', { model: 'new', usage })], signal);
  const values = read(sink.text());
  assert.equal(values.get('hamlet_engine_cost_micros_total{model="new"}'), undefined);
  assert.equal(values.get('hamlet_engine_unpriced_model_calls_total{model="new"}'), 1);
});

test('labels have at most 100 values, and any text', async () => {
  const sink = prometheusSink(null);
  const tools = [...Array(5_000).keys()].map((index) => `tool "${index}"\\\n`);
  for (const tool of tools) void (await sink.write([aTelemetryEvent('sensitive_call', { tool })], signal));
  const series = [...read(sink.text())].filter(([key]) => key.includes('sensitive_calls_total'));
  assert.equal(series.length, 101);
  assert.equal(series.find(([key]) => key.includes('{tool="other"}'))?.[1], 4_900);
  assert.ok(series.some(([key]) => key.includes(String.raw`{tool="tool \"7\"\\\n"}`)));
});

test('the file is always whole, and nothing else stays in its folder', async () => {
  const path = join(folder, 'a', 'metrics.prom');
  const sink = prometheusSink(path);
  const writing = (async () => {
    for (let number = 0; number < 200; number += 1) await sink.write([aTelemetryEvent('sensitive_call')], signal);
    return 'done' as const;
  })();
  let reads = 0;
  while ((await Promise.race([writing, new Promise((resolve) => setImmediate(resolve))])) !== 'done')
    if (readdirSync(folder).includes('a') && readdirSync(join(folder, 'a')).includes('metrics.prom')) {
      reads += 1;
      assert.ok((read(readFileSync(path, 'utf8')).get('hamlet_engine_sensitive_calls_total{tool="read"}') ?? 0) > 0);
    }
  assert.ok(reads > 0);
  assert.equal(read(readFileSync(path, 'utf8')).get('hamlet_engine_sensitive_calls_total{tool="read"}'), 200);
  assert.deepEqual(readdirSync(join(folder, 'a')), ['metrics.prom']);
});

test('a file that cannot be written fails the write and leaves no other file', async () => {
  const path = join(folder, 'b', 'metrics.prom');
  mkdirSync(path, { recursive: true });
  await assert.rejects(async () => prometheusSink(path).write([aTelemetryEvent('error')], signal), { code: 'EISDIR' });
  assert.deepEqual(readdirSync(join(folder, 'b')), ['metrics.prom']);
});
