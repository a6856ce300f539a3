import { z } from 'zod';
import { defineRoute } from '../../route.ts';
import { Time } from '../scalars.ts';

export const AUDIT_PAGE_MAX = 100;
export const AUDIT_TEXT_MAX_CHARS = 200;

/** What a record is of: something that somebody did (`act`), or money that moved (`ledger`). */
export const RecordKind = z.enum(['act', 'ledger']);
export type RecordKind = z.infer<typeof RecordKind>;

/** One record of what was done in the village, for ever. Each becomes an entry of the sealed log. */
export const AuditRecord = z.strictObject({
  record_id: z.uuid(),
  kind: RecordKind,
  at: Time,
  actor_role: z.string(),
  actor_id: z.string(),
  action: z.string().meta({ description: '`area.verb`; of money `ledger.` and the reason of the entry' }),
  object: z.string().meta({ description: 'What it was done to: an agent, a post, an account' }),
  detail: z.unknown().meta({ description: 'What a later reader cannot find elsewhere' }),
  request_id: z.string().nullable(),
  traceparent: z.string().nullable(),
});
export type AuditRecord = z.infer<typeof AuditRecord>;

const Words = z.string().trim().min(1).max(AUDIT_TEXT_MAX_CHARS);

export const listAudit = defineRoute({
  name: 'listAudit',
  summary:
    'Who did what to whom, newest first: every act and every movement of money; by actor, action, object, words and time',
  tag: 'log',
  method: 'GET',
  path: '/audit',
  placement: 'versioned_and_bare',
  audiences: ['people'],
  permission: 'audit:read',
  idempotency: 'read',
  query: z.strictObject({
    kind: RecordKind.optional(),
    actor: Words.optional().meta({ description: 'Id of who did it' }),
    action: Words.optional().meta({ description: 'The action, or its area: `board` finds `board.post`' }),
    except: Words.optional().meta({
      description: 'An action, or its area, to leave out: `turn` leaves out what agents do every few seconds',
    }),
    object: Words.optional(),
    q: Words.optional().meta({ description: 'Words that are all in the record, in any order' }),
    since: Time.optional().meta({ description: 'From this moment on' }),
    until: Time.optional().meta({ description: 'Before this moment' }),
    cursor: z.string().max(512).optional(),
    limit: z.coerce.number().int().min(1).max(AUDIT_PAGE_MAX).default(20),
  }),
  answer: {
    kind: 'json',
    schema: z.strictObject({ records: z.array(AuditRecord), next_cursor: z.string().nullable() }),
  },
  reasons: ['cursor_invalid'],
});
