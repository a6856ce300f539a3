import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectLimitMs } from './database.ts';

for (const [query, limitMs] of [
  ['', 5_000],
  ['?connect_timeout=60', 60_000],
  ['?sslmode=disable&connect_timeout=2', 2_000],
  ['?connect_timeout=0', 5_000],
  ['?connect_timeout=soon', 5_000],
] as const) {
  test(`a url with ${query === '' ? 'no query' : query} has a connect timeout of ${limitMs} ms`, () =>
    assert.equal(connectLimitMs(`postgres://app:app@127.0.0.1:5432/postgres${query}`), limitMs));
}
