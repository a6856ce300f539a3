import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { until } from '@hamlet/test/env/until';
import type { Journal } from '../../journal/journal.ts';
import { SYSTEM_CLOCK } from '../../loop/system-clock.ts';
import { echo, outcomeOf, someJournals } from '../../testing/a-tool.ts';
import { anEngine, aRequest } from '../../testing/an-engine.ts';
import { anEvent } from '../../testing/an-event.ts';
import { otlpReceiver } from '@hamlet/test/env/net/otlp-receiver';
import { calls, says, scriptedModel } from '../../testing/scripted-model.ts';
import type { SinkProblem } from './bus.ts';
import { TelemetryEvent } from './event.ts';
import { openTelemetry, type Telemetry, type TelemetryParts } from './open-telemetry.ts';

const LIMIT_MS = 5_000;
const folder = testFolder('open-telemetry');
const journals = someJournals();
const SECRET = 'sk-0123456789';
let folders = 0;

type Opened = Readonly<{ telemetry: Telemetry; problems: SinkProblem[]; dir: string }>;

const partsOf = (dir: string, parts: Partial<TelemetryParts>): TelemetryParts => ({
  sinks: [{ type: 'memory' }],
  others: [],
  redaction: { paths: [], secrets: [SECRET] },
  folder: dir,
  stdout: new PassThrough().resume(),
  version: '1.0.0',
  clock: SYSTEM_CLOCK,
  random: () => 0.5,
  providerOf: () => 'hamlet',
  sources: { textOf: () => null, costOf: () => 1, isSensitive: () => false },
  report: () => {},
  ...parts,
});

function opened(parts: Partial<TelemetryParts> = {}): Opened {
  const problems: SinkProblem[] = [];
  const dir = join(folder, `${(folders += 1)}`);
  const made = openTelemetry(partsOf(dir, { report: (problem) => void problems.push(problem), ...parts }));
  return made.ok ? { telemetry: made.telemetry, problems, dir } : assert.fail(made.problems.join());
}

/** A run of a real engine, whose input has a secret, that reports to the telemetry. */
async function run(journal: Journal, notify: Telemetry['notify'], id = 'r1'): Promise<void> {
  const model = scriptedModel([calls(['look', { text: 'a' }]), says('Done.')]);
  const { engine } = anEngine({ journal, model, tools: [echo('look', 'read')], notify });
  assert.equal((await outcomeOf(await engine.start(aRequest({ run: id, input: `Use ${SECRET}.` })))).kind, 'done');
}

test('all sinks get the events of a task, without secrets', async () => {
  const receiver = await otlpReceiver();
  const journal = journals.open();
  const stdout = new PassThrough();
  const { telemetry, problems, dir } = opened({
    sinks: [
      { type: 'memory' },
      { type: 'stdout' },
      { type: 'jsonl', path: 'logs/events.jsonl' },
      { type: 'prometheus', path: 'metrics.prom' },
      { type: 'otlp', endpoint: receiver.endpoint },
    ],
    stdout,
    sources: { textOf: journal.textOf, costOf: () => 1, isSensitive: () => false },
  });
  await run(journal, telemetry.notify);
  await telemetry.close(LIMIT_MS);
  const lines = readFileSync(join(dir, 'logs/events.jsonl'), 'utf8').trimEnd().split('\n');
  const events = lines.map((line) => TelemetryEvent.parse(JSON.parse(line)));
  assert.deepEqual(
    events.map(({ type }) => type),
    [
      'task_created',
      'stage_started',
      'model_called',
      'permission_checked',
      'tool_called',
      'model_called',
      'stage_finished',
      'task_finished',
    ],
  );
  assert.deepEqual(telemetry.events(), events);
  assert.equal(String(stdout.read()), `${lines.join('\n')}\n`);
  assert.match(
    readFileSync(join(dir, 'metrics.prom'), 'utf8'),
    /^hamlet_engine_tasks_total\{.*status="completed"\} 1$/m,
  );
  assert.equal(receiver.spans.length, 5);
  assert.deepEqual(problems, []);
  const [created] = events;
  assert.equal(created?.type === 'task_created' && created.input, 'Use [redacted].');
  assert.ok(!lines.join().includes(SECRET));
});

test('failing and slow sinks hurt neither a run nor the other sinks', async () => {
  const journal = journals.open();
  const { telemetry, problems, dir } = opened({
    sinks: [{ type: 'memory' }, { type: 'jsonl', path: 'events.jsonl' }],
    others: [
      { name: 'failing', write: () => assert.fail('no') },
      { name: 'stuck', write: () => new Promise(() => {}) },
    ],
  });
  await run(journal, telemetry.notify);
  const path = join(dir, 'events.jsonl');
  await until(
    'all events are in the file',
    () => existsSync(path) && readFileSync(path, 'utf8').split('\n').length === 9,
  );
  assert.equal(await telemetry.flush(50), false);
  assert.equal(telemetry.events().length, 8);
  await telemetry.close(20);
  assert.equal(problems[0]?.sink, 'failing');
});

test('a faulty source costs its events and nothing else', async () => {
  const journal = journals.open();
  const textOf = (): never => assert.fail('the journal is closed');
  const { telemetry } = opened({ sources: { textOf, costOf: () => 1, isSensitive: () => false } });
  await run(journal, telemetry.notify);
  await telemetry.close(LIMIT_MS);
  assert.deepEqual(telemetry.events(), []);
});

test('a task that continues in another process keeps its numbers and durations', async () => {
  const journal = journals.open();
  await run(journal, () => {});
  const found = journal.eventsOf('r1');
  const events = found.ok ? found.events : assert.fail(found.message);
  const whole = opened();
  for (const event of events) whole.telemetry.notify({ type: 'event', event });
  await whole.telemetry.close(LIMIT_MS);
  const middle = Math.floor(events.length / 2);
  const later = opened();
  later.telemetry.catchUp(events.slice(0, middle));
  for (const event of events.slice(middle)) later.telemetry.notify({ type: 'event', event });
  await later.telemetry.close(LIMIT_MS);
  const published = later.telemetry.events();
  assert.ok(published.length > 2);
  assert.deepEqual(published, whole.telemetry.events().slice(-published.length));
});

test('memories that a caller chose for a stage are reported, and words of models are not', async () => {
  const { telemetry } = opened();
  telemetry.notify({ type: 'event', event: anEvent('run_opened') });
  telemetry.notify({ type: 'memory', run: 'r1', stage: 'judge', parts: 3, tokens: 90 });
  telemetry.notify({ type: 'memory', run: 'r1', stage: 'judge', parts: 0, tokens: 0 });
  telemetry.notify({ type: 'delta', run: 'r1', ask: 1, attempt: 1, text: 'Hello' });
  await telemetry.close(LIMIT_MS);
  const [, retrieved, ...rest] = telemetry.events();
  assert.deepEqual(rest, []);
  assert.ok(retrieved?.type === 'memory_retrieved' && retrieved.stage === 'judge' && retrieved.parts === 3);
});

test('a path out of the data folder and a path to redact that hides nothing are problems', () => {
  const bad = openTelemetry(
    partsOf(folder, {
      sinks: [
        { type: 'jsonl', path: '../events.jsonl' },
        { type: 'prometheus', path: '/etc/metrics.prom' },
        { type: 'jsonl', path: 'a/../fine.jsonl' },
        { type: 'jsonl', path: '.' },
      ],
      redaction: { paths: ['run'], secrets: [] },
    }),
  );
  assert.equal(bad.ok, false);
  assert.equal(!bad.ok && bad.problems.length, 4);
  assert.equal(existsSync(join(folder, 'fine.jsonl')), false);
});
