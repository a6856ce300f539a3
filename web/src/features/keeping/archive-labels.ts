import type { Archive } from '@hamlet/contract';

export function archiveSentence(archive: Archive | null): string {
  if (archive === null)
    return 'This village keeps no archive of its database, so it can be restored only to the moments of its backups. The value postgres.archive.enabled of the chart keeps one.';
  const days = archive.days === 1 ? 'day' : `${archive.days} days`;
  return archive.latest === null
    ? 'The archive has no complete base backup yet.'
    : `The database can be restored to every second between these, at most the last ${days}: make restore UNTIL=2026-11-30T03:12:07Z, in UTC.`;
}

const PROBLEMS: Readonly<Record<NonNullable<Archive['problem']>, string>> = {
  backup: 'The last base backup failed. The next attempt follows within 15 minutes.',
  gap: 'The archive lost a part of the log. A new base backup is due; moments before the gap stay restorable.',
  full: 'The archive is full and takes nothing more: give it more room with postgres.archive.gibibytes.',
};

/** The problem of the archive and the next step, for admins; null without a problem. */
export function problemSentence({ problem }: Pick<Archive, 'problem'>): string | null {
  return problem === null ? null : PROBLEMS[problem];
}
