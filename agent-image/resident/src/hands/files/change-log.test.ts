/** The log of changes in a real database stays bounded by number and by bytes, even after a restart. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { openChangeLog, type ChangeLog } from './change-log.ts';

const noted = (log: ChangeLog, call: number, bytes: number | null) =>
  log.note({
    run: 'r',
    call: String(call),
    conversation: 'c',
    path: 'file',
    before: bytes === null ? null : Buffer.alloc(bytes, call),
    beforeSha256: bytes === null ? null : 'before',
    afterSha256: 'after',
  });
const callsIn = (log: ChangeLog): readonly number[] => log.list('c', 1_000).map(({ call }) => Number(call));

test('a recorded change is found again unchanged', () => {
  const log = openChangeLog(':memory:');
  const first = noted(log, 1, null);
  const second = noted(log, 2, 3);
  assert.ok(first.number < second.number && /^\d{4}-\d\d-\d\dT/.test(second.at));
  assert.deepEqual(log.ofCall('r', '1'), first);
  assert.deepEqual(log.find('c', second.number), second);
  assert.throws(() => noted(log, 2, 3), /UNIQUE/);
  log.drop(second.number);
  assert.equal(log.find('c', second.number), null);
});

test('the newest 500 changes are kept', () => {
  const log = openChangeLog(':memory:');
  for (let call = 0; call < 510; call += 1) noted(log, call, 10);
  assert.deepEqual(
    callsIn(log),
    [...Array(500).keys()].map((at) => 509 - at),
  );
});

test('64 MiB of former contents are kept, and always the newest', () => {
  const folder = testFolder('change-log');
  const mib = 1 << 20;
  const log = openChangeLog(join(folder, 'changes'));
  for (let call = 0; call < 70; call += 1) noted(log, call, mib);
  assert.deepEqual(
    callsIn(log),
    [...Array(64).keys()].map((at) => 69 - at),
  );
  const again = openChangeLog(join(folder, 'changes'));
  noted(again, 70, mib);
  assert.deepEqual(
    callsIn(again),
    [...Array(64).keys()].map((at) => 70 - at),
  );
  noted(again, 71, 65 * mib);
  assert.deepEqual(callsIn(again), [71]);
  noted(again, 72, mib);
  assert.deepEqual(callsIn(again), [72]);
});
