import { formatAiDollars, MONEY_DAY_AGENTS_MAX, type DaySums, type MoneyDay } from '@hamlet/contract';
import { databaseNow, readDayCosts, readDaySums, type DayCost, type DaySum } from '@hamlet/store';
import type { Actor } from '../../http/actor.ts';
import { refuseUnpermitted } from '../../http/pipeline/authorize.ts';
import type { Village } from '../../village.ts';
import { keepDays } from './keep-days.ts';

interface Shown {
  readonly sums: readonly DaySum[];
  readonly costs: readonly DayCost[] | null;
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

const byAgent = <T extends { readonly agentId: string }>(rows: readonly T[]) =>
  Map.groupBy(rows, ({ agentId }) => agentId);

/** The view of a day: its total, and its agents by what they spent. `costs` is null if the caller may not read them. Pure. */
export function moneyDayOf(day: string, { sums, costs }: Shown): MoneyDay {
  const [sumsBy, costsBy] = [byAgent(sums), byAgent(costs ?? [])];
  const spentBy = new Map([...sumsBy].map(([id, rows]) => [id, rows.reduce((all, { spent }) => all + spent, 0n)]));
  const ids = [...new Set([...sumsBy.keys(), ...costsBy.keys()])].toSorted(
    (a, b) => Number((spentBy.get(b) ?? 0n) - (spentBy.get(a) ?? 0n)) || a.localeCompare(b),
  );
  const agents = ids.slice(0, MONEY_DAY_AGENTS_MAX).map((id) => ({
    agent_id: id,
    ...sumsOf(sumsBy.get(id) ?? [], costs === null ? null : (costsBy.get(id) ?? [])),
  }));
  return { day, total: sumsOf(sums, costs), agents, left_out: ids.length - agents.length };
}

interface Asked {
  readonly days: number;
  readonly agent_id?: string | undefined;
  readonly actor: Actor;
}

/** The handler's reader of sums: it keeps the finished days of this replica. */
export function readMoneyDays({ db, economy }: Village) {
  const read = keepDays({
    now: () => databaseNow(db),
    read: async (span) => {
      const [sums, costs] = await Promise.all([readDaySums(db, span), readDayCosts(db, span)]);
      return { sums, costs };
    },
  });
  return async ({ days: count, agent_id: agentId, actor }: Asked) => {
    const { timeZone } = economy;
    const mayReadCosts = refuseUnpermitted(actor, 'models:manage', 'read costs at providers') === null;
    const wanted = (row: { readonly agentId: string }): boolean => agentId === undefined || row.agentId === agentId;
    const days = await read({ count, timeZone });
    const views = days.map(({ day, sums, costs }) =>
      moneyDayOf(day, { sums: sums.filter(wanted), costs: mayReadCosts ? costs.filter(wanted) : null }),
    );
    return { time_zone: timeZone, days: views };
  };
}
