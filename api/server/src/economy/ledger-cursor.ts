import { z } from 'zod';
import { pageCursor } from '../routes/page-cursor.ts';

/** Where a page of the ledger ended, and the moment that it is read at. */
export interface LedgerCursor {
  readonly asOf: string;
  /** The version of the last entry shown; the next page begins below it. */
  readonly before: number;
}

const cursor = pageCursor<LedgerCursor>(z.strictObject({ asOf: z.iso.datetime(), before: z.int().min(1) }));

/** The cursor as callers carry it, opaque; whose entries they are is frozen inside. */
export function writeLedgerCursor(agentId: string, place: LedgerCursor): string {
  return cursor.write(agentId, place);
}

/** Undefined where the cursor was not made for this agent by this route. */
export function readLedgerCursor(text: string, agentId: string): LedgerCursor | undefined {
  return cursor.read(text, agentId);
}
