/** Two operators that both believe they lead, with clocks 30 s apart: every slot fires, and none twice. */
import assert from 'node:assert/strict';
import { after, before, test } from '../env/cluster-test.ts';
import { drawBelow } from '@hamlet/core';
import { SimulatedVillage } from './simulated-village.ts';
import { cases } from '../env/seeded.ts';

const SLOTS = cases(300, 10_000);
const SLOT_MS = 5_000;
const SEED = 4;
/** Every third time the test deletes and recreates the Lease instead: the api first refuses the leader of the new Lease. */
const REMADE_EVERY = 3;
/** The lease is stolen after at most this many slots. */
const REIGN_SLOTS = 40;
/** Clock errors of the two processes: 30 s apart, one behind the database and one ahead of it. */
const SKEWS_MS = [-12_000, 18_000] as const;

let village: SimulatedVillage;
before(async () => {
  village = await SimulatedVillage.start();
});
// Undefined if the start has failed.
after(() => (village as SimulatedVillage | undefined)?.remove());

test(`${SLOTS} slots, with a lease that is stolen or deleted repeatedly: ${SLOTS} firings, none twice, none missed`, async () => {
  const key = await village.schedule('tick', { every: '5s' });
  const createdMs = Date.parse((await village.stored(key)).metadata.creationTimestamp ?? '');
  const firstMs = Math.floor(createdMs / SLOT_MS) * SLOT_MS + SLOT_MS;
  await village.setTime(createdMs);
  for (const _ of SKEWS_MS) await village.process();

  const leaders = [await village.lead(0, SKEWS_MS[0])];
  let stolenAtMs = village.nowMs;
  // Half a slot before the next: the api accepts a firing shortly before its slot, so the next slot is still far
  // away.
  await village.run(firstMs + SLOTS * SLOT_MS - SLOT_MS / 2, async () => {
    const reignMs = drawBelow(REIGN_SLOTS * SLOT_MS, SEED, leaders.length) + 1;
    if (village.nowMs - stolenAtMs < reignMs) return;
    const process = leaders.length % 2;
    stolenAtMs = village.nowMs;
    // The previous leader continues until its elector notices that the lease has changed hands.
    leaders.push(
      await village.lead(process, SKEWS_MS[process] ?? 0, leaders.length % REMADE_EVERY === 0 ? 'remade' : 'stolen'),
    );
  });

  const firings = await village.firings(key);
  assert.deepEqual(
    firings.map(({ slotMs }) => (slotMs - firstMs) / SLOT_MS),
    Array.from({ length: SLOTS }, (_, index) => index),
    'each slot once',
  );
  const results = leaders.flatMap((leader) => leader.results);
  const count = (kind: string): number => results.filter((result) => result.kind === kind).length;
  const claimed = results.filter((result) => result.kind === 'fired' && result.claimed).length;
  const repeated = results.filter((result) => result.kind === 'fired' && !result.claimed).length;
  assert.equal(claimed, SLOTS);
  assert.ok(count('too early') > 0, 'the clock that was ahead is corrected');
  assert.ok(count('stale') > 0, 'a leader without its lease was refused');
  const trustedLate = leaders.filter((leader) =>
    leader.results.some(
      (result, index) => result.kind === 'stale' && leader.results.slice(index).some(({ kind }) => kind === 'fired'),
    ),
  );
  assert.ok(trustedLate.length > 0, 'the leader of a recreated Lease was refused at first, and fired later');
  assert.ok(repeated > 0, 'leaders met at a slot');
  assert.ok(leaders.length > SLOTS / REIGN_SLOTS, `${leaders.length} leaders`);
  assert.deepEqual(
    results.flatMap((result) => (result.kind === 'failed' ? [result.error] : [])),
    [],
  );
  assert.equal((await village.stored(key)).status.missed, 0);
});
