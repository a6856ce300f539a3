/** Calls whose run ends first: each call that happened has an outcome and one line in the audit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTransaction, insertEffect } from '@hamlet/store';
import { testVillage } from '../testing/test-village.ts';
import { lostEffects } from './lost-effects.ts';
import { PermissionPlay, resultOf } from './testing/permission-play.ts';

const village = await testVillage();
const permits = new PermissionPlay((await village.startReplica()).peopleUrl);
await permits.play.everybody();
const db = village.openDb();

async function recordOf(runId: string, callId: string) {
  const effect = await db
    .selectFrom('effect')
    .select(['state', 'outcome'])
    .where('run_id', '=', runId)
    .where('call_id', '=', callId)
    .executeTakeFirst();
  const lines = await db.selectFrom('audit').select('detail').where('action', '=', 'run.call').execute();
  const own = lines.map(({ detail }) => detail as { readonly run_id?: string; readonly call_id?: string });
  return { effect, lines: own.filter((line) => line.run_id === runId && line.call_id === callId).length };
}

test('a call that happened while its run ended has its end and its line in the audit', async () => {
  for (let round = 0; round < 12; round += 1) {
    const working = await permits.startRun('ada');
    const call = { tool: 'say', callId: '1.0', args: { text: `Hello ${round}` } };
    const [answer] = await Promise.all([
      permits.perform(working, call),
      new Promise((resolve) => setTimeout(resolve, 2 + round * 2)).then(() => permits.end(working)),
    ]);
    const { effect, lines } = await recordOf(working.runId, '1.0');
    const result = resultOf(answer);
    assert.ok(result === 'ok' || result === 'run_settled', result);
    assert.deepEqual([effect?.state, lines], result === 'ok' ? ['settled', 1] : [undefined, 0]);
  }
});

test('an effect whose end was lost is settled as unknown once its run has ended, with one line in the audit', async () => {
  const { runId, agentId, cycle, attempt } = await permits.startRun('bob');
  const { uid } = await permits.play.agent(agentId);
  const made = { runId, agentId, agentUid: uid, cycle, attempt, tool: 'say', permissionId: null };
  const hash = Buffer.alloc(32);
  const effect = { ...made, callId: '9.0', argumentsHash: hash, policyVersion: '0'.repeat(64) };
  await inTransaction(db, (tx) => insertEffect(tx, effect, null));
  const settle = lostEffects({ db, log: () => undefined });
  assert.equal(await settle(0), 0, 'its run is under way');
  await permits.end({ runId, agentId, cycle, attempt });
  assert.equal(await settle(300), 0, 'its run has just ended');
  assert.deepEqual([await settle(0), await settle(0)], [1, 0]);
  const { effect: settled, lines } = await recordOf(runId, '9.0');
  assert.equal((settled?.outcome as { readonly code?: string } | null)?.code, 'effect_unknown');
  assert.equal(lines, 1);
});
