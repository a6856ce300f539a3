import { z } from 'zod';

const Cursor = z.tuple([z.string(), z.uuid()]);

/** Where a page ended, opaque to callers; the question that it answers is frozen inside. */
export function tradeCursorOf(question: string, lastId: string): string {
  return Buffer.from(JSON.stringify([question, lastId])).toString('base64url');
}

/** The last row of the page before; undefined where the cursor was not made for this question. */
export function readTradeCursor(cursor: string, question: string): string | undefined {
  try {
    const [of, lastId] = Cursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return of === question ? lastId : undefined;
  } catch {
    return undefined;
  }
}
