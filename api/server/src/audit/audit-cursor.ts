import type { RecordSearch } from '@hamlet/store';
import { z } from 'zod';
import { pageCursor } from '../routes/page-cursor.ts';

/** What is looked for, on whichever page. */
export type AuditQuestion = Omit<RecordSearch, 'before' | 'limit'>;
type Before = NonNullable<RecordSearch['before']>;

const cursor = pageCursor<Before>(z.strictObject({ at: z.iso.datetime(), id: z.uuid() }));

function questionKey({ kind, actor, action, except, object, words, since, until }: AuditQuestion): string {
  return JSON.stringify([kind, actor, action, except, object, words, since, until]);
}

/** Where a page of the audit ended, opaque to callers; the question is frozen inside. */
export function writeAuditCursor(question: AuditQuestion, { at, id }: Before): string {
  return cursor.write(questionKey(question), { at, id });
}

/** Undefined where the cursor was not made for this question. */
export function readAuditCursor(text: string, question: AuditQuestion): Before | undefined {
  return cursor.read(text, questionKey(question));
}
