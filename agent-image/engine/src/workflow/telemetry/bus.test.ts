import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'node:test';
import { SYSTEM_CLOCK } from '../../loop/system-clock.ts';
import { aTelemetryEvent } from '../testing/a-telemetry-event.ts';
import { createTelemetryBus, type SinkProblem, type TelemetryBus, type TelemetrySink } from './bus.ts';
import type { TelemetryEvent } from './event.ts';
import { memorySink } from './sinks/memory-sink.ts';

const LIMIT_MS = 5_000;

const numbered = (from: number, count: number): readonly TelemetryEvent[] =>
  [...Array(count).keys()].map((index) => aTelemetryEvent('error', { seq: from + index }));

function aBus(sinks: readonly TelemetrySink[]): Readonly<{ bus: TelemetryBus; problems: SinkProblem[] }> {
  const problems: SinkProblem[] = [];
  const report = (problem: SinkProblem): void => void problems.push(problem);
  return { bus: createTelemetryBus({ sinks, redact: (event) => event, report, clock: SYSTEM_CLOCK }), problems };
}

const seqs = (events: readonly TelemetryEvent[]): readonly number[] => events.map(({ seq }) => seq);

test('each sink gets all events in their order, at most 100 at once', async () => {
  const memory = memorySink();
  const batches: number[] = [];
  const other: TelemetrySink = { name: 'other', write: (events) => void batches.push(events.length) };
  const { bus, problems } = aBus([memory, other]);
  for (let first = 1; first <= 500; first += 7) bus.publish(numbered(first, Math.min(7, 501 - first)));
  assert.equal(await bus.flush(LIMIT_MS), true);
  assert.deepEqual(
    seqs(memory.events()),
    [...Array(500).keys()].map((index) => index + 1),
  );
  assert.equal(
    batches.reduce((sum, each) => sum + each),
    500,
  );
  assert.ok(Math.max(...batches) <= 100);
  assert.deepEqual(problems, []);
  await bus.close(LIMIT_MS);
});

test('publishing returns before any sink runs', () => {
  let writes = 0;
  const { bus } = aBus([{ name: 'busy', write: () => void (writes += 1) }]);
  bus.publish(numbered(1, 3));
  assert.equal(writes, 0);
});

test('a failing sink loses only its own events, and is reported once until it works again', async () => {
  const memory = memorySink();
  let writes = 0;
  const failing: TelemetrySink = {
    name: 'failing',
    write: () => {
      writes += 1;
      if (writes <= 3) throw new Error(`write ${writes}`);
    },
  };
  const { bus, problems } = aBus([failing, memory]);
  for (let number = 1; number <= 5; number += 1) {
    bus.publish(numbered(number, 1));
    await bus.flush(LIMIT_MS);
  }
  assert.deepEqual(seqs(memory.events()), [1, 2, 3, 4, 5]);
  assert.deepEqual(
    problems.map(({ sink, kind, events, error }) => ({
      sink,
      kind,
      events,
      error: error instanceof Error ? error.message : error,
    })),
    [
      { sink: 'failing', kind: 'lost', events: 1, error: 'write 1' },
      { sink: 'failing', kind: 'lost', events: 2, error: null },
    ],
  );
  assert.deepEqual(bus.counts().get('failing'), { written: 2, lost: 3, dropped: 0 });
});

test('a rejecting sink, a failing close and a failing report hurt neither the engine nor other sinks', async () => {
  const memory = memorySink();
  const rejecting: TelemetrySink = {
    name: 'rejecting',
    write: async () => Promise.reject(new Error('no')),
    close: () => Promise.reject(new Error('no close')),
  };
  const report = (): never => assert.fail('the report fails too');
  const bus = createTelemetryBus({ sinks: [rejecting, memory], redact: (event) => event, report, clock: SYSTEM_CLOCK });
  bus.publish(numbered(1, 2));
  await bus.close(LIMIT_MS);
  assert.deepEqual(seqs(memory.events()), [1, 2]);
});

test('a slow sink drops what it cannot take, counts it, and blocks neither the engine nor other sinks', async () => {
  const memory = memorySink();
  const gate = Promise.withResolvers<void>();
  const taken: number[] = [];
  const slow: TelemetrySink = {
    name: 'slow',
    write: async (events) => {
      taken.push(...seqs(events));
      await gate.promise;
    },
  };
  const { bus, problems } = aBus([slow, memory]);
  bus.publish(numbered(1, 1));
  while (taken.length === 0) await turn();
  for (let first = 2; first <= 1_501; first += 100) {
    bus.publish(numbered(first, 100));
    await turn();
  }
  assert.equal(await bus.flush(1), false);
  while (memory.events().length < 1_501) await turn();
  assert.deepEqual(problems, [{ sink: 'slow', kind: 'dropped', events: 100, error: null }]);
  gate.resolve();
  assert.equal(await bus.flush(LIMIT_MS), true);
  assert.deepEqual(bus.counts().get('slow'), { written: 1_001, lost: 0, dropped: 500 });
  assert.deepEqual(taken, seqs(numbered(1, 1_001)));
  assert.equal(
    problems.reduce((sum, { events }) => sum + events, 0),
    500,
  );
});

test('closing waits for a sink only for the limit, aborts its write, and counts what it did not take', async () => {
  let isAborted = false;
  const stuck: TelemetrySink = {
    name: 'stuck',
    write: (_, signal) => {
      signal.addEventListener('abort', () => (isAborted = true));
      return new Promise(() => {});
    },
  };
  const { bus, problems } = aBus([stuck]);
  bus.publish(numbered(1, 150));
  await turn();
  await bus.close(20);
  assert.equal(isAborted, true);
  assert.deepEqual(bus.counts().get('stuck'), { written: 0, lost: 0, dropped: 50 });
  assert.equal(problems[0]?.kind, 'dropped');
});

test('a sink that lingers gets a flush at once, and a full batch without waiting', async () => {
  const batches: number[] = [];
  const lingering: TelemetrySink = {
    name: 'lingering',
    lingerMs: 3_600_000,
    write: (events) => void batches.push(events.length),
  };
  const { bus } = aBus([lingering]);
  bus.publish(numbered(1, 1));
  bus.publish(numbered(2, 1));
  assert.equal(await bus.flush(LIMIT_MS), true);
  assert.deepEqual(batches, [2]);
  bus.publish(numbered(3, 60));
  bus.publish(numbered(63, 60));
  while (batches.length < 2) await turn();
  assert.equal(batches[1], 100);
  await bus.close(LIMIT_MS);
  assert.deepEqual(batches, [2, 100, 20]);
});

test('a closed bus takes nothing, and an added sink gets later events until it is removed', async () => {
  const memory = memorySink();
  const { bus } = aBus([]);
  bus.publish(numbered(1, 1));
  const remove = bus.add(memory);
  bus.publish(numbered(2, 1));
  await bus.flush(LIMIT_MS);
  remove();
  bus.publish(numbered(3, 1));
  await bus.close(LIMIT_MS);
  bus.publish(numbered(4, 1));
  await turn();
  assert.deepEqual(seqs(memory.events()), [2]);
});

test('the memory sink keeps the newest 10,000 events', () => {
  const memory = memorySink();
  const { signal } = new AbortController();
  for (let first = 1; first <= 10_050; first += 50) void memory.write(numbered(first, 50), signal);
  assert.equal(memory.events().length, 10_000);
  assert.equal(memory.events()[0]?.seq, 51);
});
