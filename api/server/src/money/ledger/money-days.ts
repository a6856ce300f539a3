import { formatAiDollars, MONEY_DAY_AGENTS_MAX, roleMay, type DaySums, type MoneyDay } from '@hamlet/contract';
import { readDayCosts, readDaySums, type DayCost, type DaySum } from '@hamlet/store';
import type { Actor } from '../../http/actor.ts';
import type { Village } from '../../village.ts';
import { villageDay } from './village-day.ts';

const DAY_MS = 86_400_000;

/** The last days of the village, newest first, such as `2026-11-30`. Pure. */
function lastDays(now: Date, timeZone: string, count: number): readonly string[] {
  const today = Date.parse(villageDay(now, timeZone));
  return Array.from({ length: count }, (_, back) => new Date(today - back * DAY_MS).toISOString().slice(0, 10));
}

function sumsOf(sums: readonly DaySum[], costs: readonly DayCost[] | null): DaySums {
  const of = (key: 'received' | 'spent' | 'lost'): string =>
    formatAiDollars(sums.reduce((total, sum) => total + sum[key], 0n));
  const currencies = new Map<string, bigint>();
  for (const { currency, micros } of costs ?? []) currencies.set(currency, (currencies.get(currency) ?? 0n) + micros);
  // Six places in both: an amount of a currency is written as aiDollars are.
  const inCurrencies = [...currencies].map(([currency, micros]) => ({ currency, amount: formatAiDollars(micros) }));
  return {
    received: of('received'),
    spent: of('spent'),
    lost: of('lost'),
    costs: costs === null ? null : inCurrencies.toSorted((a, b) => a.currency.localeCompare(b.currency)),
  };
}

interface Read {
  readonly days: readonly string[];
  readonly sums: readonly DaySum[];
  /** Null if the caller may not read them. */
  readonly costs: readonly DayCost[] | null;
}

const byAgent = <T extends { readonly agentId: string }>(rows: readonly T[]) =>
  Map.groupBy(rows, ({ agentId }) => agentId);

function dayOf(day: string, { sums: allSums, costs: allCosts }: Read): MoneyDay {
  const sums = allSums.filter((sum) => sum.day === day);
  const costs = allCosts?.filter((cost) => cost.day === day) ?? null;
  const [sumsBy, costsBy] = [byAgent(sums), byAgent(costs ?? [])];
  const spentBy = (agentId: string): bigint => (sumsBy.get(agentId) ?? []).reduce((all, { spent }) => all + spent, 0n);
  const ids = [...new Set([...sumsBy.keys(), ...costsBy.keys()])].toSorted(
    (a, b) => Number(spentBy(b) - spentBy(a)) || a.localeCompare(b),
  );
  const agents = ids.slice(0, MONEY_DAY_AGENTS_MAX).map((id) => ({
    agent_id: id,
    ...sumsOf(sumsBy.get(id) ?? [], costs === null ? null : (costsBy.get(id) ?? [])),
  }));
  return { day, total: sumsOf(sums, costs), agents, left_out: ids.length - agents.length };
}

/** One day for each of `days`, with zeros if nothing moved. Pure. */
export function moneyDaysOf(read: Read): readonly MoneyDay[] {
  return read.days.map((day) => dayOf(day, read));
}

interface Asked {
  readonly days: number;
  readonly agent_id?: string | undefined;
  readonly actor: Actor;
  readonly now: Date;
}

export async function moneyDays({ db, economy }: Village, { days: count, agent_id: agentId, actor, now }: Asked) {
  const { timeZone } = economy;
  const days = lastDays(now, timeZone, count);
  // A day longer than needed: a day of the village may have 26 hours.
  const asked = { since: new Date(now.getTime() - (count + 1) * DAY_MS), timeZone, agentId: agentId ?? null };
  const [sums, costs] = await Promise.all([
    readDaySums(db, asked),
    roleMay(actor.role, 'models:manage') ? readDayCosts(db, asked) : null,
  ]);
  return { time_zone: timeZone, days: [...moneyDaysOf({ days, sums, costs })] };
}
