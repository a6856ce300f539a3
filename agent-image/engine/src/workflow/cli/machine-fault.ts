import { JournalError } from '../../journal/journal.ts';

/** The message of an error of a file, a folder or the journal, which the person can fix; null for other errors. Pure. */
export function machineFault(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const isMachine = error instanceof JournalError || ('syscall' in error && 'code' in error);
  return isMachine ? error.message : null;
}
