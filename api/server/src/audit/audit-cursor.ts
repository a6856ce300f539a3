import type { RecordSearch } from '@hamlet/store';
import { z } from 'zod';

/** What is looked for, on whichever page. */
export type AuditQuestion = Omit<RecordSearch, 'before' | 'limit'>;
type Before = NonNullable<RecordSearch['before']>;

const Cursor = z.tuple([z.string(), z.iso.datetime(), z.uuid()]);

function questionKey({ kind, actor, action, object, words, since, until }: AuditQuestion): string {
  return JSON.stringify([kind, actor, action, object, words, since, until]);
}

/** Where a page of the audit ended, opaque to callers; the question is frozen inside. */
export function writeAuditCursor(question: AuditQuestion, { at, id }: Before): string {
  return Buffer.from(JSON.stringify([questionKey(question), at, id])).toString('base64url');
}

/** Undefined where the cursor was not made for this question. */
export function readAuditCursor(cursor: string, question: AuditQuestion): Before | undefined {
  try {
    const [ofQuestion, at, id] = Cursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return ofQuestion === questionKey(question) ? { at, id } : undefined;
  } catch {
    return undefined;
  }
}
