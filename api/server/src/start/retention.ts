import {
  deleteExpiredArtifacts,
  dropTurnTexts,
  forgetEndedAgentSessions,
  forgetEndedSessions,
  forgetExpiredAccountKeys,
  forgetJudgedCalls,
  FORGOTTEN_JUDGED_CALLS,
  forgetClusterWrites,
  forgetOldAnswers,
  forgetMarks,
  forgetOldInternalEvents,
  forgetOneTimeSecrets,
} from '@hamlet/store';
import type { Db } from '@hamlet/store';
import { SESSION_IDLE_MS } from '../http/session-cookie.ts';
import { job, type Job } from '../service/jobs.ts';
import type { Log } from '../service/log.ts';

const EVERY_MS = 60_000;
const AT_ONCE = 500;
/** Each artifact has up to 5 MiB. */
const ARTIFACTS_AT_ONCE = 100;
/** Maximum number of batches each time the job runs, each in its own transaction: at most 20,000 texts a minute. */
const BATCHES_MAX = 40;
const DAY_MS = 86_400_000;
/** Days for which lists show an expired key. */
const EXPIRED_KEYS_DAYS = 30;

/** Deletes batch after batch, until one is not full. Returns the number of deleted items. */
async function inBatches(atOnce: number, drop: () => Promise<number>): Promise<number> {
  let dropped = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const count = await drop();
    dropped += count;
    if (count < atOnce) break;
  }
  return dropped;
}

/** Deletes texts of turns that are older than `days`, at most 20,000. Returns their number. */
export function dropOldTexts(db: Db, { days, now }: { readonly days: number; readonly now: Date }): Promise<number> {
  const before = new Date(now.getTime() - days * DAY_MS);
  return inBatches(AT_ONCE, () => dropTurnTexts(db, { before, atMost: AT_ONCE }));
}

/** Deletes artifacts that have expired, at most 4,000. Returns their number. */
const deleteArtifacts = (db: Db): Promise<number> =>
  inBatches(ARTIFACTS_AT_ONCE, () => deleteExpiredArtifacts(db, ARTIFACTS_AT_ONCE));

/** Deletes expired rows, and the texts of turns that are older than `turnDays` at that time; 0 keeps the texts permanently. */
export function retentionJobs({
  db,
  turnDays,
  log,
}: {
  readonly db: Db;
  readonly turnDays: () => number;
  readonly log: Log;
}): readonly Job[] {
  async function dropTexts(): Promise<void> {
    const days = turnDays();
    if (days === 0) return;
    const turns = await dropOldTexts(db, { days, now: new Date() });
    if (turns > 0) log('info', 'texts of old turns were deleted', { turns, days });
  }
  async function forget(): Promise<void> {
    await Promise.all([
      forgetOldAnswers(db),
      forgetClusterWrites(db),
      forgetEndedSessions(db, SESSION_IDLE_MS),
      forgetExpiredAccountKeys(db, EXPIRED_KEYS_DAYS),
      forgetOneTimeSecrets(db),
      forgetEndedAgentSessions(db),
      forgetOldInternalEvents(db),
      forgetMarks(db),
      deleteArtifacts(db),
      inBatches(FORGOTTEN_JUDGED_CALLS, () => forgetJudgedCalls(db)),
    ]);
  }
  const retention = job({ name: 'retention', everyMs: EVERY_MS, run: forget });
  return [retention, job({ name: 'turn-retention', everyMs: EVERY_MS, run: dropTexts })];
}
