/** The sinks that write files and streams, on real ones. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { aTelemetryEvent, TELEMETRY_TYPES } from '../../testing/a-telemetry-event.ts';
import { TelemetryEvent } from '../event.ts';
import { jsonlSink } from './jsonl-sink.ts';
import { stdoutSink } from './stdout-sink.ts';

const folder = testFolder('telemetry');
const { signal } = new AbortController();
let files = 0;
const aPath = (): string => join(folder, `${(files += 1)}`, 'events.jsonl');

const event = (seq: number): TelemetryEvent => aTelemetryEvent('error', { seq });

/** The numbers of the events of a file, as a reader that skips broken lines sees them. */
function seqsIn(path: string): readonly number[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [TelemetryEvent.parse(JSON.parse(line)).seq];
      } catch {
        return [];
      }
    });
}

test('the JSONL sink appends each event as a line that its schema reads', async () => {
  const path = aPath();
  const sink = jsonlSink(path);
  await sink.write(
    TELEMETRY_TYPES.map((type) => aTelemetryEvent(type)),
    signal,
  );
  await sink.close?.();
  const again = jsonlSink(path);
  await again.write([event(2)], signal);
  await again.close?.();
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  assert.equal(lines.length, TELEMETRY_TYPES.length + 1);
  assert.deepEqual(
    lines.map((line) => TelemetryEvent.parse(JSON.parse(line)).type),
    [...TELEMETRY_TYPES, 'error'],
  );
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('a line that a crash has cut costs only itself', async () => {
  const path = aPath();
  const sink = jsonlSink(path);
  await sink.write([event(1), event(2)], signal);
  await sink.close?.();
  appendFileSync(path, JSON.stringify(event(3)).slice(0, 40));
  const next = jsonlSink(path);
  await next.write([event(4)], signal);
  await next.write([event(5)], signal);
  await next.close?.();
  assert.deepEqual(seqsIn(path), [1, 2, 4, 5]);
  assert.equal(readFileSync(path, 'utf8').split('\n').length, 6);
});

test('the JSONL sink begins a new file at its size, keeps the newest files and loses no event between them', async () => {
  const path = aPath();
  const line = JSON.stringify(event(10)).length + 1;
  const sink = jsonlSink(path, { maxBytes: 3 * line, keptFiles: 2 });
  for (let seq = 10; seq < 20; seq += 1) await sink.write([event(seq)], signal);
  await sink.close?.();
  const found = readdirSync(join(path, '..')).toSorted();
  assert.deepEqual(found, ['events.jsonl', 'events.jsonl.1', 'events.jsonl.2']);
  assert.deepEqual(
    ['.2', '.1', ''].flatMap((end) => seqsIn(`${path}${end}`)),
    [13, 14, 15, 16, 17, 18, 19],
  );
  assert.ok(statSync(`${path}.1`).size <= 3 * line);
});

test('a JSONL sink without a place to write fails, and works once there is one', async () => {
  const path = aPath();
  mkdirSync(path, { recursive: true });
  await assert.rejects(async () => jsonlSink(path).write([event(1)], signal), { code: 'EISDIR' });
  const free = join(path, 'events.jsonl');
  const sink = jsonlSink(free);
  await sink.write([event(2)], signal);
  await sink.close?.();
  assert.equal(existsSync(free), true);
});

test('the sink of the standard output writes lines as fast as its reader takes them', async () => {
  const stream = new PassThrough({ highWaterMark: 10 });
  const written = stdoutSink(stream).write([event(1), event(2)], signal);
  const early = await Promise.race([
    written?.then(() => 'written'),
    new Promise((resolve) => setImmediate(resolve, 'waits')),
  ]);
  assert.equal(early, 'waits');
  const read = textOf(stream);
  await written;
  stream.end();
  const lines = (await read).trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => TelemetryEvent.parse(JSON.parse(line)).seq),
    [1, 2],
  );
});

test('a closed standard output is a failure of the sink, not the end of the process', async () => {
  const script = `
    const { stdoutSink } = await import(${JSON.stringify(join(import.meta.dirname, 'stdout-sink.ts'))});
    const { signal } = new AbortController();
    const sink = stdoutSink(process.stdout);
    let failures = 0;
    for (let number = 0; number < 50 && failures < 3; number += 1)
      try {
        await sink.write([{ text: 'x'.repeat(100_000) }], signal);
      } catch {
        failures += 1;
      }
    process.exitCode = failures === 3 ? 7 : 8;
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.destroy();
  const [code] = await once(child, 'exit');
  assert.equal(code, 7);
});

test('a write to a reader that takes nothing ends with the signal', async () => {
  const stream = new PassThrough({ highWaterMark: 1 });
  const stopped = new AbortController();
  const written = stdoutSink(stream).write([event(1)], stopped.signal);
  stopped.abort(new Error('the time is over'));
  await assert.rejects(async () => written, { message: 'the time is over' });
});
