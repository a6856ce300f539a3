import { dropRow } from './forget.ts';
import { shouldSleep, standingOf } from './ranking/demotion.ts';
import type { StandingRow } from './store/memory-table.ts';
import { inTransaction } from './store/open-store.ts';
import type { Parts } from './store/parts.ts';

const JUDGED_A_STEP = 1_000;
/** Share of its capacity for which a full store makes room at once: finding the lowest memories reads them all. */
const ROOM_SHARE = 0.01;

/** Moves some vectors of an earlier version of the store. Returns how many. */
export const moveVectors = ({ database, vectors, earlierVectors }: Parts): number =>
  inTransaction(database, () => earlierVectors.moveSome(vectors));

/** Demotes some memories. The next pass begins after `next`, which is null at the end. */
export function demoteSome(
  { database, table }: Parts,
  after: number,
  now: number,
): Readonly<{ demoted: number; next: number | null }> {
  const rows = table.standingsAfter(after, JUDGED_A_STEP);
  const sleepy = rows.filter((row) => !row.isDormant && shouldSleep(row, now)).map(({ seq }) => seq);
  if (sleepy.length > 0) inTransaction(database, () => table.demote(sleepy));
  return { demoted: sleepy.length, next: rows.length < JUDGED_A_STEP ? null : (rows.at(-1)?.seq ?? null) };
}

/** Removes the lowest unpinned evidence, dormant before active, until there is room. Returns how many it removed. */
export function makeRoom(parts: Parts, capacity: number, now: number): number {
  const over = parts.table.size() + 1 - capacity;
  if (over <= 0) return 0;
  const count = over + Math.floor(capacity * ROOM_SHARE);
  const lowest = [...parts.table.unpinnedEvidence()]
    .toSorted((one, other) => byStanding(one, other, now))
    .slice(0, count);
  for (const { seq, memory } of parts.table.rows(lowest.map(({ seq }) => seq))) dropRow(parts, seq, memory);
  return lowest.length;
}

const byStanding = (one: StandingRow, other: StandingRow, now: number): number =>
  Number(other.isDormant) - Number(one.isDormant) ||
  standingOf(one, now) - standingOf(other, now) ||
  one.seq - other.seq;
