import { hash } from 'node:crypto';
import type { z } from 'zod';
import { accepted, refused, type Outcome } from './outcome.ts';

/** A cursor is an opaque text with the end of a page. It is valid only for the same list and filter (`question`). */
interface PageCursor<P> {
  write(question: string, place: P): string;
  /** Null without a cursor (the first page); undefined if it is invalid or belongs to another question. */
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

/** Answers with one page of the list that its name and filter identify. `read` returns the place of the next page. */
export async function paged<P, Page extends { readonly next: P | null }>(
  pages: PageCursor<P>,
  {
    cursor,
    limit,
    ...filter
  }: Readonly<Record<string, unknown>> & {
    readonly list: string;
    readonly cursor?: string | undefined;
    readonly limit: number;
  },
  read: (page: { readonly before: P | null; readonly limit: number }) => Promise<Page>,
): Promise<Outcome<Omit<Page, 'next'> & { readonly next_cursor: string | null }>> {
  // A hash, because the length of a cursor is limited.
  const question = hash('sha256', JSON.stringify(filter), 'base64url').slice(0, 16);
  const before = pages.read(cursor, question);
  if (before === undefined) return refused('cursor_invalid');
  const { next, ...answer } = await read({ before, limit });
  return accepted({ ...answer, next_cursor: next === null ? null : pages.write(question, next) });
}
