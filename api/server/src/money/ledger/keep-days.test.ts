import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepDays } from './keep-days.ts';

/** Days of a village; the one agent of each read has its number. `spans` is what each read asked for. */
function books() {
  const spans: string[] = [];
  const broken = { since: '' };
  const clock = { at: '' };
  const read = keepDays({
    now: () => Promise.resolve(new Date(clock.at)),
    read: async ({ since, until }) => {
      await Promise.resolve();
      if (since.toISOString() === broken.since) throw new Error('no database');
      spans.push(`${since.toISOString().slice(5, 16)} ${until.toISOString().slice(5, 16)}`);
      const sums = [{ agentId: String(spans.length), received: 1n, spent: 0n, lost: 0n }];
      return { sums, costs: [] };
    },
  });
  /** The days with the number of the read that found them. */
  const ask = async (at: string, count: number, timeZone = 'UTC') => {
    clock.at = at;
    const days = await read({ count, timeZone });
    return days.map(({ day, sums }) => `${day.slice(8)} ${sums[0]?.agentId ?? '-'}`);
  };
  return { ask, spans, broken };
}

test('each day is a read of its own; finished days are read once, today each time', async () => {
  const { ask, spans } = books();
  assert.deepEqual(await ask('2026-11-30T12:00:00Z', 3), ['30 1', '29 2', '28 3']);
  assert.deepEqual(await ask('2026-11-30T12:00:30Z', 3), ['30 4', '29 2', '28 3']);
  assert.deepEqual(await ask('2026-11-30T12:01:00Z', 4), ['30 5', '29 2', '28 3', '27 6']);
  assert.deepEqual(spans.slice(0, 2), ['11-30T00:00 12-01T00:00', '11-29T00:00 11-30T00:00']);
});

test('yesterday is final a quarter of an hour after midnight', async () => {
  const { ask } = books();
  await ask('2026-11-30T23:59:59Z', 2);
  assert.deepEqual(await ask('2026-12-01T00:14:59Z', 3), ['01 3', '30 4', '29 2']);
  assert.deepEqual(await ask('2026-12-01T00:15:00Z', 2), ['01 5', '30 6']);
  assert.deepEqual(await ask('2026-12-01T00:15:30Z', 2), ['01 7', '30 6']);
});

test('24 callers at one time share one read of each day, and each gets as many days as it asked for', async () => {
  const { ask, spans } = books();
  const all = await Promise.all(Array.from({ length: 24 }, (_, at) => ask('2026-11-30T12:00:00Z', 1 + (at % 4))));
  assert.deepEqual(
    all.map((days) => days.length),
    Array.from({ length: 24 }, (_, at) => 1 + (at % 4)),
  );
  assert.equal(spans.length, 4);
});

test('days begin at midnight of the village, also where the clock changes or is far ahead; another zone begins from zero', async () => {
  const { ask, spans } = books();
  await ask('2026-10-26T12:00:00Z', 2, 'Europe/Berlin');
  assert.deepEqual(spans, ['10-25T23:00 10-26T23:00', '10-24T22:00 10-25T23:00']);
  assert.deepEqual(await ask('2026-10-26T12:00:00Z', 2, 'Pacific/Kiritimati'), ['27 3', '26 4']);
  assert.deepEqual(spans.slice(2), ['10-26T10:00 10-27T10:00', '10-25T10:00 10-26T10:00']);
  assert.deepEqual(await ask('2026-10-26T12:00:00Z', 2, 'Europe/Berlin'), ['26 5', '25 6']);
});

test('a read that fails fails its callers; days that were read before it stay', async () => {
  const { ask, spans, broken } = books();
  broken.since = '2026-11-28T00:00:00.000Z';
  await assert.rejects(ask('2026-11-30T12:00:00Z', 3), /no database/);
  broken.since = '';
  assert.deepEqual(await ask('2026-11-30T12:00:00Z', 3), ['30 3', '29 2', '28 4']);
  assert.equal(spans.length, 4);
});
