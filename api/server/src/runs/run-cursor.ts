import type { RunFilter } from '@hamlet/store';
import { z } from 'zod';

const Cursor = z.tuple([z.string(), z.uuid()]);

function filterKey({ agentId, schedule, state }: RunFilter): string {
  return [agentId, schedule, state].map((part) => part ?? '').join('/');
}

/** Where a page of runs ended, opaque to callers; what was asked for is frozen inside. */
export function runCursorOf(runId: string, filter: RunFilter): string {
  return Buffer.from(JSON.stringify([filterKey(filter), runId])).toString('base64url');
}

/** The last run of the page before; undefined where the cursor was not made for this question. */
export function readRunCursor(cursor: string, filter: RunFilter): string | undefined {
  try {
    const [ofFilter, runId] = Cursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return ofFilter === filterKey(filter) ? runId : undefined;
  } catch {
    return undefined;
  }
}
