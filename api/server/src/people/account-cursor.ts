import { z } from 'zod';

const Cursor = z.tuple([z.literal('accounts'), z.string()]);

/** Where a page of accounts ended, opaque to callers: the name, in lower case. */
export function accountCursorOf(name: string): string {
  return Buffer.from(JSON.stringify(['accounts', name.toLowerCase()])).toString('base64url');
}

/** The last name of the page before; undefined where the cursor was not made here. */
export function readAccountCursor(cursor: string): string | undefined {
  try {
    return Cursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))[1];
  } catch {
    return undefined;
  }
}
