import { MONEY_DAYS_MAX } from '@hamlet/contract';
import type { DayCost, DaySum } from '@hamlet/store';
import { shareRuns } from '../../service/single-flight.ts';
import { dayStart, villageDay } from './village-day.ts';

const DAY_MS = 86_400_000;
/** A day is final this long after its end, in ms: every transaction that began in it has ended (`readDaySums`). */
const FINAL_AFTER_MS = 15 * 60_000;

interface Rows {
  readonly sums: readonly DaySum[];
  readonly costs: readonly DayCost[];
}

interface Asked {
  /** Number of days, with today: 1 to `MONEY_DAYS_MAX`. */
  readonly count: number;
  readonly now: Date;
  readonly timeZone: string;
}

type Read = (asked: { readonly since: Date; readonly timeZone: string }) => Promise<Rows>;

/** The last days of the village, newest first, such as `2026-11-30`. Pure. */
function lastDays({ now, timeZone, count }: Asked): readonly string[] {
  const today = Date.parse(villageDay(now, timeZone));
  return Array.from({ length: count }, (_, back) => new Date(today - back * DAY_MS).toISOString().slice(0, 10));
}

/** The instant from which a read covers the newest `back` + 1 days: today exactly, earlier days with a margin for changes of the clock. Pure. */
function since({ now, timeZone }: Asked, back: number): Date {
  return back === 0 ? dayStart(now, timeZone) : new Date(now.getTime() - (back + 2) * DAY_MS);
}

/** True if no more rows can come for the day `back` days before today. Pure. */
const isFinal = ({ now, timeZone }: Asked, back: number): boolean =>
  back > 1 || (back === 1 && now.getTime() - dayStart(now, timeZone).getTime() >= FINAL_AFTER_MS);

/**
 * Reads the rows of the last days, newest first. Final days are read once and kept, at most `MONEY_DAYS_MAX`; callers at
 * one time share one read of the others. A caller sees everything that was committed before its call.
 */
export function keepDays(read: Read): (asked: Asked) => Promise<readonly (Rows & { readonly day: string })[]> {
  let kept: ReadonlyMap<string, Rows> = new Map();
  let keptZone = '';
  let waiting: Asked | null = null;

  async function readWaiting(asked: Asked) {
    const { timeZone } = asked;
    const known = timeZone === keptZone ? kept : new Map<string, Rows>();
    const days = lastDays(asked);
    const back = days.findLastIndex((day) => !known.has(day));
    const { sums, costs } = await read({ since: since(asked, back), timeZone });
    const [sumsOf, costsOf] = [Map.groupBy(sums, ({ day }) => day), Map.groupBy(costs, ({ day }) => day)];
    const rowsOf = (day: string): Rows =>
      known.get(day) ?? { sums: sumsOf.get(day) ?? [], costs: costsOf.get(day) ?? [] };
    const final = lastDays({ ...asked, count: MONEY_DAYS_MAX }).filter((_, at) => isFinal(asked, at));
    kept = new Map(final.filter((day) => known.has(day) || days.includes(day)).map((day) => [day, rowsOf(day)]));
    keptZone = timeZone;
    return days.map((day) => ({ day, ...rowsOf(day) }));
  }

  const next = shareRuns(() => {
    const asked = waiting;
    waiting = null;
    return asked === null ? Promise.resolve([]) : readWaiting(asked);
  });
  return async (asked) => {
    waiting = { ...asked, count: Math.max(asked.count, waiting?.count ?? 0) };
    return (await next()).slice(0, asked.count);
  };
}
