import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepDays } from './keep-days.ts';

/** Days of a village whose agent ada receives 1 in each of them; `since` is what each read asked for. */
function books() {
  const since: string[] = [];
  const read = keepDays(async ({ since: from, timeZone }) => {
    since.push(from.toISOString());
    const days = ['2026-11-27', '2026-11-28', '2026-11-29', '2026-11-30', '2026-12-01'];
    const sums = days.map((day) => ({
      day,
      agentId: `ada of read ${since.length}`,
      received: 1n,
      spent: 0n,
      lost: 0n,
    }));
    const costs = [{ day: '2026-11-29', agentId: 'ada', currency: timeZone, micros: 1n }];
    return await Promise.resolve({ sums, costs });
  });
  /** The days with the number of the read that found them. */
  const ask = async (at: string, count: number, timeZone = 'UTC') => {
    const days = await read({ now: new Date(at), count, timeZone });
    return days.map(({ day, sums }) => `${day.slice(8)} ${sums[0]?.agentId.slice(-1) ?? '-'}`);
  };
  return { ask, read, since };
}

test('finished days are read once, today each time', async () => {
  const { ask, since } = books();
  assert.deepEqual(await ask('2026-11-30T12:00:00Z', 3), ['30 1', '29 1', '28 1']);
  assert.deepEqual(await ask('2026-11-30T12:00:30Z', 3), ['30 2', '29 1', '28 1']);
  assert.deepEqual(await ask('2026-11-30T12:01:00Z', 4), ['30 3', '29 1', '28 1', '27 3']);
  assert.deepEqual(since, ['2026-11-26T12:00:00.000Z', '2026-11-30T00:00:00.000Z', '2026-11-25T12:01:00.000Z']);
});

test('yesterday is final a quarter of an hour after midnight, and a quiet day has no rows', async () => {
  const { ask, since } = books();
  await ask('2026-11-30T23:59:59Z', 2);
  assert.deepEqual(await ask('2026-12-01T00:14:59Z', 3), ['01 2', '30 2', '29 1']);
  assert.deepEqual(await ask('2026-12-01T00:15:00Z', 2), ['01 3', '30 3']);
  assert.deepEqual(await ask('2026-12-01T00:15:30Z', 2), ['01 4', '30 3']);
  assert.equal(since[3], '2026-12-01T00:00:00.000Z');
  assert.deepEqual(await ask('2026-12-02T01:00:00Z', 2), ['02 -', '01 5']);
});

test('24 callers at one time share one read, each with as many days as it asked for', async () => {
  const { ask, since } = books();
  const all = await Promise.all(Array.from({ length: 24 }, (_, at) => ask('2026-11-30T12:00:00Z', 1 + (at % 4))));
  assert.deepEqual(
    all.map((days) => days.length),
    Array.from({ length: 24 }, (_, at) => 1 + (at % 4)),
  );
  assert.deepEqual(since, ['2026-11-25T12:00:00.000Z']);
});

test('another zone of the village begins afresh, because its days differ', async () => {
  const { ask, read } = books();
  await ask('2026-11-30T12:00:00Z', 3);
  assert.deepEqual(await ask('2026-11-30T12:00:00Z', 3, 'Asia/Kolkata'), ['30 2', '29 2', '28 2']);
  const days = await read({ now: new Date('2026-11-30T12:00:00Z'), count: 2, timeZone: 'UTC' });
  assert.equal(days[1]?.costs[0]?.currency, 'UTC');
});
