import { z } from 'zod';

const Cursor = z.tuple([z.string(), z.uuid()]);
const NewsCursor = z.tuple([z.string(), z.string(), z.int().min(0)]);

function pack(content: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

function unpack<T>(cursor: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.safeParse(JSON.parse(Buffer.from(cursor, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}

/** Where a page ended, opaque to callers; what was asked for is frozen inside. */
export function boardCursorOf(question: string, id: string): string {
  return pack([question, id]);
}

/** The last id of the page before, null for the first page; undefined where the cursor was not made for this question. */
export function readBoardCursor(cursor: string | undefined, question: string): string | null | undefined {
  if (cursor === undefined) return null;
  const [ofQuestion, id] = unpack(cursor, Cursor) ?? [];
  return ofQuestion === question ? id : undefined;
}

/** How far an agent has read its news, in which epoch of the board. */
export function newsCursorOf(agentId: string, epoch: string, offset: number): string {
  return pack([agentId, epoch, offset]);
}

/** The offset to go on behind: 0 from the beginning and in another epoch; undefined where the cursor is not of this agent. */
export function readNewsCursor(cursor: string | undefined, agentId: string, epoch: string): number | undefined {
  if (cursor === undefined) return 0;
  const [ofAgent, ofEpoch, offset] = unpack(cursor, NewsCursor) ?? [];
  if (ofAgent !== agentId) return undefined;
  return ofEpoch === epoch ? offset : 0;
}
