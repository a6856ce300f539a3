/** Sums of a day and agent: the grouping alone, and the route on a real Postgres with rewards, penalties and purchases. */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { DaySum } from '@hamlet/store';
import { MONEY_DAY_AGENTS_MAX } from '@hamlet/contract';
import { startPlay } from '../../testing/test-village.ts';
import { moneyDayOf } from './money-days.ts';
import { villageDay } from './village-day.ts';

const { admin, member } = (await startPlay()).play;

const sum = (agentId: string, spent: bigint): DaySum => ({ agentId, received: 5n, spent, lost: 0n });

test('a day has its total and its agents by what they spent, and a quiet day zeros', () => {
  const sums = [sum('bob', 1_000_000n), sum('ada', 2_500_000n)];
  const costs = [
    { agentId: 'ada', currency: 'USD', micros: 12_345n },
    { agentId: 'cleo', currency: 'EUR', micros: 1_000_000n },
  ];
  const today = moneyDayOf('2026-11-30', { sums, costs });
  assert.deepEqual(
    today.agents.map(({ agent_id, spent, costs }) => [agent_id, spent, costs]),
    [
      ['ada', '2.5', [{ currency: 'USD', amount: '0.012345' }]],
      ['bob', '1', []],
      ['cleo', '0', [{ currency: 'EUR', amount: '1' }]],
    ],
  );
  assert.deepEqual([today.total.spent, today.total.received, today.total.costs?.length], ['3.5', '0.00001', 2]);
  assert.deepEqual(moneyDayOf('2026-11-29', { sums: [], costs: [] }), {
    day: '2026-11-29',
    total: { received: '0', spent: '0', lost: '0', costs: [] },
    agents: [],
    left_out: 0,
  });
});

test('a day of many agents names those that spent the most, and counts all of them', () => {
  const many = Array.from({ length: MONEY_DAY_AGENTS_MAX + 3 }, (_, at) => sum(`a${at}`, BigInt(at)));
  const day = moneyDayOf('2026-11-30', { sums: many, costs: null });
  assert.deepEqual([day.agents.length, day.left_out, day.agents[0]?.agent_id], [100, 3, 'a102']);
  assert.deepEqual([day.total.spent, day.total.costs], ['0.005253', null]);
});

test('people read what each agent received, spent and lost today; prices at providers are for admins', async () => {
  await admin.rewardAgent({ agent_id: 'bob', amount: '12.5', reason: 'bread' });
  await admin.rewardAgent({ agent_id: 'dan', amount: '3', reason: 'bread' });
  await admin.penalizeAgent({ agent_id: 'dan', amount: '1.25', reason: 'burnt it' });
  const { days, time_zone: zone } = await admin.listMoneyDays({ days: 2 });
  const [today, yesterday] = days;
  assert.equal(today?.day, villageDay(new Date(), zone));
  assert.deepEqual(
    today?.agents.map(({ agent_id: id, received, spent, lost, costs }) => [id, received, spent, lost, costs]),
    [
      ['bob', '12.5', '0', '0', []],
      ['dan', '3', '0', '1.25', []],
    ],
  );
  assert.deepEqual([today?.total.received, today?.total.lost, yesterday?.agents], ['15.5', '1.25', []]);
  const own = await member.listMoneyDays({ agent_id: 'dan' });
  assert.deepEqual([own.days.length, own.days[0]?.total.received, own.days[0]?.total.costs], [7, '3', null]);
});

test('a replica whose clock is two days ahead stores only days that have ended', async () => {
  const received = async (): Promise<readonly (string | undefined)[]> =>
    (await admin.listMoneyDays({ days: 3 })).days.map(({ total }) => total.received);
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 2 * 86_400_000 });
  assert.deepEqual(await received(), ['15.5', '0', '0']);
  mock.timers.reset();
  await admin.rewardAgent({ agent_id: 'bob', amount: '2', reason: 'bread' });
  assert.deepEqual(await received(), ['17.5', '0', '0']);
});
