import type { TurnCursor } from '@hamlet/store';
import { z } from 'zod';

const Cursor = z.tuple([z.string(), z.string().max(40), z.uuid()]);

/** Where a page ended, opaque to callers; whose turns they are is frozen inside. */
export function cursorOf(next: TurnCursor, agentId: string): string {
  return Buffer.from(JSON.stringify([agentId, next.recordedAt, next.turnId])).toString('base64url');
}

/** Undefined where the cursor was not made for this agent by this route. */
export function readCursor(cursor: string, agentId: string): TurnCursor | undefined {
  try {
    const [ofAgent, recordedAt, turnId] = Cursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return ofAgent === agentId && !Number.isNaN(Date.parse(recordedAt)) ? { recordedAt, turnId } : undefined;
  } catch {
    return undefined;
  }
}
