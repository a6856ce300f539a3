import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimLapsed } from './decide-run.ts';

const facts = { leaseUntilMs: 100_000, attentiveSinceMs: 0, leaseMs: 30_000, nowMs: 100_001 };

const TABLE: readonly (readonly [string, Partial<typeof facts> | { leaseUntilMs: null }, boolean])[] = [
  ['past its end it lapses', {}, true],
  ['at its end it holds', { nowMs: 100_000 }, false],
  ['before its end it holds', { nowMs: 70_000 }, false],
  ['a run without a lease never lapses', { leaseUntilMs: null }, false],
  ['it holds if the API has been back for less than a lease', { attentiveSinceMs: 70_002 }, false],
  ['it lapses if the API has been back for a whole lease', { attentiveSinceMs: 70_001 }, true],
];

for (const [name, changes, lapsed] of TABLE)
  test(`claim: ${name}`, () => assert.equal(claimLapsed({ ...facts, ...changes }), lapsed));
