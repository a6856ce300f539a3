import { readArchiveState, type ArchiveState } from '@hamlet/store';
import { z } from 'zod';
import { sharedJob, type Job } from '../service/jobs.ts';
import { registerGauges } from '../service/metrics.ts';
import type { Services } from '../service/services.ts';

const EVERY_MS = 60_000;

const Watched = z.object({ behindS: z.number(), troubled: z.number() });

/** How far the archive is behind, in seconds, and 1 if it has a problem. Pure. */
export function archiveHealth(
  state: Pick<ArchiveState, 'latest' | 'reportedAt' | 'problem'> | null,
  now: Date,
): z.infer<typeof Watched> {
  if (state === null) return { behindS: 0, troubled: 0 };
  // The archive does not report while the first base backup waits for its segment.
  const behindMs = now.getTime() - (state.latest ?? state.reportedAt).getTime();
  return { behindS: Math.max(0, Math.floor(behindMs / 1_000)), troubled: state.problem === null ? 0 : 1 };
}

/** Shows in the metrics whether the archive keeps up. */
export function archiveJobs({ db, registry }: Pick<Services, 'db' | 'registry'>): readonly Job[] {
  let health = archiveHealth(null, new Date(0));
  registerGauges(registry, {
    hamlet_archive_behind_seconds: {
      help: 'Age of the newest second to which the village can be restored; 0 without an archive',
      read: () => health.behindS,
    },
    hamlet_archive_troubled: {
      help: '1 if the archive has no room, lost segments, or lacks a base backup; must stay 0',
      read: () => health.troubled,
    },
  });
  return [
    sharedJob({
      name: 'archive-watch',
      everyMs: EVERY_MS,
      result: Watched,
      run: async () => archiveHealth(await readArchiveState(db), new Date()),
      receive: (result) => {
        health = result;
      },
    }),
  ];
}
