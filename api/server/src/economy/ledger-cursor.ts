import { z } from 'zod';

/** Where a page of the ledger ended, and the moment that it is read at. */
export interface LedgerCursor {
  readonly asOf: string;
  /** The version of the last entry shown; the next page begins below it. */
  readonly before: number;
}

const Cursor = z.tuple([z.string(), z.iso.datetime(), z.int().min(1)]);

/** The cursor as callers carry it, opaque; whose entries they are is frozen inside. */
export function writeLedgerCursor(agentId: string, { asOf, before }: LedgerCursor): string {
  return Buffer.from(JSON.stringify([agentId, asOf, before])).toString('base64url');
}

/** Undefined where the cursor was not made for this agent by this route. */
export function readLedgerCursor(cursor: string, agentId: string): LedgerCursor | undefined {
  try {
    const [ofAgent, asOf, before] = Cursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return ofAgent === agentId ? { asOf, before } : undefined;
  } catch {
    return undefined;
  }
}
