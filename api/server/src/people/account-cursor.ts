import { z } from 'zod';
import { pageCursor } from '../routes/page-cursor.ts';

const cursor = pageCursor(z.string());
const QUESTION = 'accounts';

/** Where a page of accounts ended, opaque to callers: the name, in lower case. */
export function accountCursorOf(name: string): string {
  return cursor.write(QUESTION, name.toLowerCase());
}

/** The last name of the page before; undefined where the cursor was not made here. */
export function readAccountCursor(text: string): string | undefined {
  return cursor.read(text, QUESTION);
}
