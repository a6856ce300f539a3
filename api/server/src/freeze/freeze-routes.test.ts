/** The freeze of the village over HTTP on a real Postgres, with two replicas. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VillageFreeze } from '@hamlet/contract';
import { inTransaction, lockInternalEvents, openDatabase } from '@hamlet/store';
import { untilEnd } from '@hamlet/test/env/at-end';
import { codeOf, follow } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { clientOf, eventually, TOKENS, Play, startPlay } from '../testing/test-village.ts';

const { village, play: one } = await startPlay();
const two = new Play((await village.startReplica()).peopleUrl);

const REASON = 'an agent empties the treasury';

const freeze = (): Promise<VillageFreeze> => one.admin.freezeVillage({ reason: REASON });
const lift = (): Promise<VillageFreeze> => two.admin.liftVillageFreeze({ reason: 'found it' });
const reward = (play: Play) => codeOf(play.admin.rewardAgent({ agent_id: 'ada', amount: '1', reason: 'test' }));

test('every actor may read whether the village is frozen, and when money last moved', async () => {
  assert.equal(await reward(one), null);
  const before0 = await clientOf(two.url).getVillageFreeze();
  assert.deepEqual([before0.frozen, before0.reason, before0.by, before0.since], [false, null, null, null]);
  assert.ok(before0.last_transfer_at !== null);
  const frozen = await freeze();
  assert.deepEqual([frozen.frozen, frozen.reason, frozen.by?.role], [true, REASON, 'admin']);
  assert.deepEqual(await clientOf(two.url).getVillageFreeze(), frozen);
  assert.ok((frozen.last_transfer_at ?? '') <= (frozen.since ?? ''));
  assert.equal(await reward(two), 'village_frozen');
  // A second freeze keeps the reason and the time of the first.
  assert.deepEqual(await two.admin.freezeVillage({ reason: 'again' }), frozen);
  const lifted = await lift();
  assert.deepEqual([lifted.frozen, lifted.reason, lifted.since], [false, null, null]);
  assert.deepEqual(await lift(), lifted);
  assert.equal(await reward(two), null);
});

test('the audit lists each freeze, each other reason for it, and each end once, with actor and reason', async () => {
  const { records } = await one.admin.listAudit({ object: 'village', limit: 10 });
  assert.deepEqual(pluck(records, 'action', 'detail'), [
    ['lift.village.freeze', { reason: 'found it' }],
    ['village.freeze', { reason: 'again' }],
    ['village.freeze', { reason: REASON }],
  ]);
});

test("the operator's stream begins with the state of the freeze and reports its changes", async () => {
  const operator = clientOf(two.url, TOKENS.operator);
  const { events, stop } = follow((signal) => operator.openInternalStream({}, { signal }));
  const received = () => events.flatMap((event) => (event.event === 'village' ? [event.data] : []));
  await eventually('the first state', () => received().length === 1);
  await freeze();
  await eventually('the freeze', () => received().length === 2);
  await lift();
  await eventually('the lifting', () => received().length === 3);
  assert.deepEqual(pluck(received(), 'frozen', 'reason'), [
    [false, null],
    [true, REASON],
    [false, null],
  ]);
  stop();
});

test('freezes of many people at once all succeed', async () => {
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? one : two).admin.freezeVillage({ reason: REASON })),
  );
  assert.ok(answers.every(({ frozen }) => frozen));
  assert.equal(new Set(answers.map(({ since }) => since)).size, 1);
  await lift();
});

test('a freeze ends a transaction of the API that holds the lock on the order of events', async () => {
  const db = untilEnd(openDatabase({ url: village.postgres.appUrl, poolSize: 1, onError: () => undefined }));
  const locked = Promise.withResolvers<void>();
  const frozen = Promise.withResolvers<void>();
  const stuck = inTransaction(db, async (tx) => {
    await lockInternalEvents(tx);
    locked.resolve();
    await frozen.promise;
  });
  stuck.catch(() => undefined);
  await locked.promise;
  assert.equal((await freeze()).frozen, true);
  frozen.resolve();
  await assert.rejects(stuck);
  await lift();
});
