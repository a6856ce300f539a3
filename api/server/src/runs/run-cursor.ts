import type { RunFilter } from '@hamlet/store';
import { z } from 'zod';
import { pageCursor } from '../routes/page-cursor.ts';

const cursor = pageCursor(z.uuid());

function filterKey({ agentId, schedule, state }: RunFilter): string {
  return [agentId, schedule, state].map((part) => part ?? '').join('/');
}

/** Where a page of runs ended, opaque to callers; what was asked for is frozen inside. */
export function runCursorOf(runId: string, filter: RunFilter): string {
  return cursor.write(filterKey(filter), runId);
}

/** The last run of the page before; undefined where the cursor was not made for this question. */
export function readRunCursor(text: string, filter: RunFilter): string | undefined {
  return cursor.read(text, filterKey(filter));
}
