import { retry, type RetryPorts } from '../village/retry.ts';
import type { WorkVillage } from '../village/work-village.ts';
import type { RunBook } from './run-book.ts';

export interface MemoryNoting extends RetryPorts {
  readonly work: Pick<WorkVillage, 'noteMemories'>;
  readonly book: Pick<RunBook, 'find'>;
}

interface UsedMemories {
  readonly run: string;
  readonly written?: readonly string[];
  readonly recalled?: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Reports to the API which memories a run writes or recalls, before it does: the API keeps which of them come from tainted runs.
 * Returns the recalled ones that do; null if the API refuses, and the memories may then not be used.
 */
export async function noteMemories(
  ports: MemoryNoting,
  { run, written = [], recalled = [], signal }: UsedMemories,
): Promise<readonly string[] | null> {
  const booked = ports.book.find(run);
  if (booked === undefined) return null;
  const answer = await retry(() => ports.work.noteMemories(run, booked.lease, { written, recalled }), signal, ports);
  return answer.kind === 'ok' ? answer.value : null;
}
