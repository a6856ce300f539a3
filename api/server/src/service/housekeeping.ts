import {
  forgetEndedAgentSessions,
  forgetEndedSessions,
  forgetOldAnswers,
  forgetOldInternalEvents,
  forgetOneTimeSecrets,
} from '@hamlet/store';
import type { Db } from '@hamlet/store';
import { startTurnRetention } from '../agents/turn-retention.ts';
import { SESSION_IDLE_MS } from '../auth/session-cookie.ts';
import type { Log } from './log.ts';

const EVERY_MS = 60_000;

/** Forgets what has outlived its use, once a minute. Replicas that do it at the same time do no harm. Returns what stops it. */
export function startHousekeeping({
  db,
  turnDays,
  log,
}: {
  readonly db: Db;
  readonly turnDays: number;
  readonly log: Log;
}): () => Promise<void> {
  const stopTurnRetention = startTurnRetention({ db, days: turnDays, log });
  const timer = setInterval(() => {
    const work = [
      forgetOldAnswers(db),
      forgetEndedSessions(db, SESSION_IDLE_MS),
      forgetOneTimeSecrets(db),
      forgetEndedAgentSessions(db),
      forgetOldInternalEvents(db),
    ];
    for (const each of work)
      each.catch((error: unknown) => log('warn', 'housekeeping waits for the database', { error }));
  }, EVERY_MS);
  return async () => {
    clearInterval(timer);
    await stopTurnRetention();
  };
}
