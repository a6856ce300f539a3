import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { NEXT_CURSOR, paging, Time } from '../../values/scalars.ts';

export const AUDIT_PAGE_MAX = 100;
export const AUDIT_TEXT_MAX_CHARS = 200;

export const RecordKind = z.enum(['act', 'ledger']);
export type RecordKind = z.infer<typeof RecordKind>;

/** Kept permanently; each becomes an entry of the sealed log. */
export const AuditRecord = z.strictObject({
  record_id: z.uuid(),
  kind: RecordKind,
  at: Time,
  actor_role: z.string(),
  actor_id: z.string(),
  action: z.string().describe('`area.verb`; for money `ledger.` and the reason of the entry'),
  object: z.string().describe('Object of the act: an agent, a post, an account'),
  detail: z.unknown().describe('Facts that a later reader cannot find elsewhere'),
  request_id: z.string().nullable(),
  traceparent: z.string().nullable(),
});
export type AuditRecord = z.infer<typeof AuditRecord>;

const Words = z.string().trim().min(1).max(AUDIT_TEXT_MAX_CHARS);

export const listAudit = defineRoute('listAudit GET /audit', {
  summary: 'Acts and movements of money, newest first; by actor, action, object, words and time',
  tag: 'log',
  audiences: ['people'],
  permission: 'audit:read',
  query: z.strictObject({
    kind: RecordKind.optional(),
    actor: Words.optional().describe('Id of the actor'),
    action: Words.optional().describe('Action or its area: `board` finds `board.post`'),
    except: Words.optional().describe(
      'Actions or areas to leave out, separated by commas: `turn,models.call` leaves out the frequent acts of agents',
    ),
    object: Words.optional(),
    q: Words.optional().describe('Words that the record contains, all of them, in any order'),
    since: Time.optional().describe('Earliest moment, inclusive'),
    until: Time.optional().describe('Latest moment, exclusive'),
    ...paging(AUDIT_PAGE_MAX, { cursorChars: 512 }),
  }),
  answer: json(z.strictObject({ records: z.array(AuditRecord), ...NEXT_CURSOR })),
  reasons: ['cursor_invalid'],
});
