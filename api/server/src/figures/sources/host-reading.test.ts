import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostReadingOf } from './host-reading.ts';

const MEMINFO = 'MemTotal:       127600000 kB\nMemFree:         1000000 kB\nMemAvailable:   54525952 kB\n';
const PRESSURE = (avg60: string): string =>
  `some avg10=0.00 avg60=${avg60} avg300=0.20 total=123\nfull avg10=3.50 avg60=99.00 avg300=0.00 total=1\n`;
const AT = new Date('2026-11-30T01:00:00Z');
const files = { at: AT, meminfo: MEMINFO, pressure: { cpu: '', memory: '', io: '' }, sensors: [] };

test('reads memory, pressure and the warmest sensor', () => {
  const reading = hostReadingOf({
    at: AT,
    meminfo: MEMINFO,
    pressure: { cpu: PRESSURE('12.50'), memory: PRESSURE('0.00'), io: PRESSURE('100.00') },
    sensors: ['41000\n', '67500\n', '-273200\n', '', 'no number', '999000000\n'],
  });
  assert.deepEqual(reading, {
    at: AT.toISOString(),
    totalBytes: 127_600_000 * 1_024,
    availableBytes: 54_525_952 * 1_024,
    cpuPressure: 12.5,
    memoryPressure: 0,
    memoryStalled: 3.5,
    ioPressure: 100,
    temperatureCelsius: 67.5,
  });
});

test('a machine without pressure and sensors has neither', () => {
  const { cpuPressure, memoryPressure, memoryStalled, ioPressure, temperatureCelsius } = hostReadingOf(files) ?? {};
  assert.deepEqual([cpuPressure, memoryPressure, memoryStalled, ioPressure], [null, null, null, null]);
  assert.equal(temperatureCelsius, null);
});

test('a text that lacks MemTotal or MemAvailable gives no reading', () => {
  for (const meminfo of ['', 'MemTotal: 1 kB\n', 'MemAvailable: 1 kB\n', 'MemTotal: x kB\nMemAvailable: 1 kB\n'])
    assert.equal(hostReadingOf({ ...files, meminfo }), null, meminfo);
});
