import { z } from 'zod';
import { pageCursor } from '../routes/page-cursor.ts';

const pages = pageCursor(z.uuid());
const news = pageCursor(z.strictObject({ epoch: z.string(), offset: z.int().min(0) }));

/** Where a page ended, opaque to callers; what was asked for is frozen inside. */
export function boardCursorOf(question: string, id: string): string {
  return pages.write(question, id);
}

/** The last id of the page before, null for the first page; undefined where the cursor was not made for this question. */
export function readBoardCursor(cursor: string | undefined, question: string): string | null | undefined {
  return cursor === undefined ? null : pages.read(cursor, question);
}

/** How far an agent has read its news, in which epoch of the board. */
export function newsCursorOf(agentId: string, epoch: string, offset: number): string {
  return news.write(agentId, { epoch, offset });
}

/** The offset to go on behind: 0 from the beginning and in another epoch; undefined where the cursor is not of this agent. */
export function readNewsCursor(cursor: string | undefined, agentId: string, epoch: string): number | undefined {
  if (cursor === undefined) return 0;
  const read = news.read(cursor, agentId);
  return read === undefined || read.epoch === epoch ? read?.offset : 0;
}
