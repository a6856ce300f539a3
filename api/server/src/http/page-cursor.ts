import type { z } from 'zod';

/** Writes and reads the opaque text that says where a page of a list ended. It is bound to the question that the list answers. */
export interface PageCursor<P> {
  write(question: string, place: P): string;
  /** The place to continue from: null for the first page (no cursor), undefined if the cursor was not made for this question. */
  read(cursor: string | undefined, question: string): P | null | undefined;
}

/** @param Place schema of the place where a page ended */
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
