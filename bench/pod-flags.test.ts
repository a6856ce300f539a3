import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { API_FLAGS } from './pod-flags.ts';

const MIB = 2 ** 20;

test('the API keeps all of its room for young objects from the start', async () => {
  const print =
    "const { space_used_size, space_available_size } = v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space'); space_used_size + space_available_size";
  const { stdout } = await promisify(execFile)(process.execPath, [...API_FLAGS, '--print', print]);
  assert.ok(Number(stdout) >= 15 * MIB, `${Number(stdout) / MIB} MiB`);
});
