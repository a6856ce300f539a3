import { z } from 'zod';
import { pageCursor } from '../routes/page-cursor.ts';

const cursor = pageCursor(z.uuid());

/** Where a page ended, opaque to callers; the question that it answers is frozen inside. */
export function tradeCursorOf(question: string, lastId: string): string {
  return cursor.write(question, lastId);
}

/** The last row of the page before; undefined where the cursor was not made for this question. */
export function readTradeCursor(text: string, question: string): string | undefined {
  return cursor.read(text, question);
}
