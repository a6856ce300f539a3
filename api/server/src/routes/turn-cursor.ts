import type { TurnCursor } from '@hamlet/store';
import { z } from 'zod';
import { pageCursor } from './page-cursor.ts';

/** Postgres writes six places of a second, which no schema of dates takes. */
const Moment = z
  .string()
  .max(40)
  .refine((text) => !Number.isNaN(Date.parse(text)));
const cursor = pageCursor<TurnCursor>(z.strictObject({ recordedAt: Moment, turnId: z.uuid() }));

/** Where a page ended, opaque to callers; whose turns they are is frozen inside. */
export function cursorOf({ recordedAt, turnId }: TurnCursor, agentId: string): string {
  return cursor.write(agentId, { recordedAt, turnId });
}

/** Undefined where the cursor was not made for this agent by this route. */
export function readCursor(text: string, agentId: string): TurnCursor | undefined {
  return cursor.read(text, agentId);
}
