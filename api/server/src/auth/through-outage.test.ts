import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseBusyError } from '@hamlet/store';
import { throughOutage } from './through-outage.ts';

const AWAY = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const TOO_LATE = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });

/** A look-up that has found `ada` once, and then fails in this way. */
async function lookUpThatFails(failure: Error): Promise<(standIn: boolean) => Promise<string>> {
  let fails = false;
  const lookUp = throughOutage(async () => {
    if (fails) throw failure;
    return 'ada';
  }, () => 0);
  assert.equal(await lookUp('secret', false), 'ada');
  fails = true;
  return (standIn) => lookUp('secret', standIn);
}

test('while Postgres is away an earlier answer stands in for a read, and not for a write', async () => {
  const lookUp = await lookUpThatFails(AWAY);
  assert.equal(await lookUp(true), 'ada');
  await assert.rejects(lookUp(false), AWAY);
});

test('a database that is only busy is no outage: nothing stands in', async () => {
  for (const failure of [new DatabaseBusyError('every connection is in use'), TOO_LATE]) {
    const lookUp = await lookUpThatFails(failure);
    await assert.rejects(lookUp(true), failure);
  }
});
