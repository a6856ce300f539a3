import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireServerVersion } from './server-version.ts';

test('a Postgres before 18 is refused by its major version', () => {
  for (const accepted of [180_000, 180_004, 190_001]) requireServerVersion(accepted);
  assert.throws(() => requireServerVersion(150_014), /is Postgres 15, and a village needs 18 or newer/);
  assert.throws(() => requireServerVersion(170_009), /is Postgres 17/);
});
