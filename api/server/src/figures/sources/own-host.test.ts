import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { readOwnHost } from './own-host.ts';

const root = await mkdtemp(join(tmpdir(), 'hamlet-test-host-'));
after(() => rm(root, { recursive: true, force: true }));

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

test('reads the files of the kernel that exist', async () => {
  assert.equal(await readOwnHost(root), null, 'no file at all');
  await write('proc/meminfo', 'MemTotal: 4 kB\nMemAvailable: 1 kB\n');
  await write('proc/pressure/memory', 'some avg10=0.00 avg60=7.25 avg300=0.00 total=1\n');
  await write('sys/class/thermal/thermal_zone0/temp', '40000\n');
  await write('sys/class/thermal/thermal_zone1/temp', '52000\n');
  const { at, ...reading } = (await readOwnHost(root)) ?? {};
  assert.ok(Math.abs(Date.now() - Date.parse(at ?? '')) < 60_000, 'the time of the reading');
  assert.deepEqual(reading, {
    totalBytes: 4_096,
    availableBytes: 1_024,
    cpuPressure: null,
    memoryPressure: 7.25,
    memoryStalled: null,
    ioPressure: null,
    temperatureCelsius: 52,
  });
});

test('reads the machine on which this test runs', async () => {
  const reading = await readOwnHost();
  assert.ok(reading !== null && reading.availableBytes > 0 && reading.availableBytes < reading.totalBytes);
});
