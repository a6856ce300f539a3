import { MONEY_DAYS_MAX } from '@hamlet/contract';
import type { DayCost, DaySum } from '@hamlet/store';
import { shareRuns } from '../../service/single-flight.ts';
import { dayStart, nextDayAt, villageDay } from './village-day.ts';

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
  readonly timeZone: string;
}

interface AskedAt extends Asked {
  readonly now: Date;
}

/** Reads what was committed in a span of time, from `since` until before `until`. */
type Read = (span: { readonly since: Date; readonly until: Date }) => Promise<Rows>;

interface Books {
  /**
   * The clock that gives rows their times. This replica's clock may be ahead, and would end a day before its last rows.
   */
  readonly now: () => Promise<Date>;
  readonly read: Read;
}

interface Day extends Rows {
  /** Such as `2026-11-30`. */
  readonly day: string;
}

/** `isFinal`: no more rows can come for it. */
interface Span {
  readonly since: Date;
  readonly until: Date;
  readonly isFinal: boolean;
}

/** The span of a day of the village, which has its own midnights. Pure. */
function spanOf(day: string, { now, timeZone }: AskedAt): Span {
  // Noon in UTC is within the day, except in zones more than 12 hours ahead.
  const noon = new Date(Date.parse(day) + DAY_MS / 2);
  const within = villageDay(noon, timeZone) === day ? noon : new Date(noon.getTime() - DAY_MS / 4);
  const until = nextDayAt(within, timeZone);
  return { since: dayStart(within, timeZone), until, isFinal: now.getTime() - until.getTime() >= FINAL_AFTER_MS };
}

/** The names of the last days of the village, newest first. Pure. */
function lastDays({ now, timeZone }: AskedAt, count: number): readonly string[] {
  const today = Date.parse(villageDay(now, timeZone));
  return Array.from({ length: count }, (_, back) => new Date(today - back * DAY_MS).toISOString().slice(0, 10));
}

/**
 * Reads the rows of the last days, newest first, one day at a time, so that a read takes as long as a day and not as all
 * of them. Final days are read once and kept, at most `MONEY_DAYS_MAX`; callers at one time share one read of the
 * others. A caller sees everything that was committed before its call.
 */
export function keepDays({ now, read }: Books): (asked: Asked) => Promise<readonly Day[]> {
  const kept = new Map<string, Day>();
  let keptZone = '';
  let waiting: Asked | null = null;

  function forget(asked: AskedAt): void {
    const newest = new Set(asked.timeZone === keptZone ? lastDays(asked, MONEY_DAYS_MAX) : []);
    keptZone = asked.timeZone;
    for (const day of kept.keys()) if (!newest.has(day)) kept.delete(day);
  }

  async function readDay(day: string, asked: AskedAt): Promise<Day> {
    const { since, until, isFinal } = spanOf(day, asked);
    const rows = { day, ...(await read({ since, until })) };
    if (isFinal) kept.set(day, rows);
    return rows;
  }

  async function readWaiting(wanted: Asked): Promise<readonly Day[]> {
    const asked = { ...wanted, now: await now() };
    forget(asked);
    const days: Day[] = [];
    for (const day of lastDays(asked, asked.count)) {
      const known = kept.get(day);
      days.push(known ?? (await readDay(day, asked)));
    }
    return days;
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
