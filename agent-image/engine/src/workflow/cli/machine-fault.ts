import { JournalError } from '../../journal/journal.ts';

/** The words of an error of files, folders or the journal, which the person at the command line can mend; null for other errors. Pure. */
export function machineFault(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const isMachine = error instanceof JournalError || ('syscall' in error && 'code' in error);
  return isMachine ? error.message : null;
}
