import { dropTurnTexts } from '@hamlet/store';
import type { Db } from '@hamlet/store';
import type { Log } from '../service/log.ts';
import { repeat } from '../service/repeat.ts';

const EVERY_MS = 60_000;
const AT_ONCE = 500;
/** Batches of one round, each a transaction of its own: 20,000 texts a minute at most. */
const BATCHES_MAX = 40;
const DAY_MS = 86_400_000;

/** Drops texts of turns that are older than `days`; one round. Returns how many. */
export async function dropOldTexts(
  db: Db,
  { days, now }: { readonly days: number; readonly now: Date },
): Promise<number> {
  const before = new Date(now.getTime() - days * DAY_MS);
  let dropped = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const count = await dropTurnTexts(db, { before, atMost: AT_ONCE });
    dropped += count;
    if (count < AT_ONCE) break;
  }
  return dropped;
}

/** Keeps texts of turns for so many days, 0 for good. Replicas take turns. Returns what stops it. */
export function startTurnRetention({
  db,
  days,
  log,
}: {
  readonly db: Db;
  readonly days: number;
  readonly log: Log;
}): () => Promise<void> {
  if (days === 0) return async () => undefined;
  return repeat(
    EVERY_MS,
    async () => {
      const turns = await dropOldTexts(db, { days, now: new Date() });
      if (turns > 0) log('info', 'texts of old turns were dropped', { turns, days });
    },
    (error) => log('warn', 'texts of old turns stay until the database answers', { error }),
  );
}
