import type { z } from 'zod';

/** Writes and reads where a page of a list ended, as callers carry it: opaque, with the question that it goes on with frozen inside. */
export interface PageCursor<P> {
  write(question: string, place: P): string;
  /** Undefined where the cursor was not made for this question. */
  read(cursor: string, question: string): P | undefined;
}

/** @param Place what says where a page ended */
export function pageCursor<P>(Place: z.ZodType<P>): PageCursor<P> {
  return {
    write: (question, place) => Buffer.from(JSON.stringify([question, place])).toString('base64url'),
    read: (cursor, question) => {
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
