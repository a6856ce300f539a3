import type { z } from 'zod';

/**
 * Writes and reads cursors. A cursor is an opaque text with the place at which a page of a list ends. It is valid only
 * for the same list and filter (`question`).
 */
export interface PageCursor<P> {
  write(question: string, place: P): string;
  /**
   * The place after which the next page begins: null without a cursor (the first page), undefined if the cursor is
   * invalid or belongs to another question.
   */
  read(cursor: string | undefined, question: string): P | null | undefined;
}

export function pageCursor<P>(Place: z.ZodType<P>): PageCursor<P> {
  return {
    write: (question, place) => Buffer.from(JSON.stringify([question, place])).toString('base64url'),
    read: (cursor, question) => {
      if (cursor === undefined) return null;
      try {
        const content: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
        return Array.isArray(content) && content.length === 2 && content[0] === question
          ? Place.safeParse(content[1]).data
          : undefined;
      } catch {
        return undefined;
      }
    },
  };
}
