import type { AuditRecord, RecordKind } from '@hamlet/contract';
import { cutPage, searchRecords, type RecordRow, type RecordSearch } from '@hamlet/store';
import { z } from 'zod';
import { plain, type Handlers } from '../http/handler.ts';
import { pageCursor, paged } from '../http/page-cursor.ts';
import type { Village } from '../village.ts';

type AuditQuestion = Omit<RecordSearch, 'before' | 'limit'>;
type Before = NonNullable<RecordSearch['before']>;

const pages = pageCursor<Before>(z.strictObject({ at: z.iso.datetime(), id: z.uuid() }));

function recordView(row: RecordRow): AuditRecord {
  return {
    record_id: row.recordId,
    kind: row.kind,
    at: row.at,
    actor_role: row.actorRole,
    actor_id: row.actorId,
    action: row.action,
    object: row.object,
    detail: row.detail,
    request_id: row.requestId,
    traceparent: row.traceparent,
  };
}

type Asked = {
  readonly [K in 'kind' | 'actor' | 'action' | 'except' | 'object' | 'q' | 'since' | 'until']?: string | undefined;
} & { readonly kind?: RecordKind | undefined };

function questionOf(asked: Asked): AuditQuestion {
  const or = (text: string | undefined): string | null => text ?? null;
  return {
    kind: asked.kind ?? null,
    actor: or(asked.actor),
    action: or(asked.action),
    except: (asked.except ?? '').split(',').flatMap((area) => (area.trim() === '' ? [] : [area.trim()])),
    object: or(asked.object),
    words: or(asked.q),
    since: or(asked.since),
    until: or(asked.until),
  };
}

export function auditHandlers({ db }: Village): Pick<Handlers, 'listAudit'> {
  return {
    listAudit: plain(({ query }) =>
      paged(pages, { ...query, list: 'audit' }, async ({ before, limit }) => {
        const found = await searchRecords(db, { ...questionOf(query), before, limit: limit + 1 });
        const { rows, next } = cutPage(found, limit, ({ at, recordId }) => ({ at, id: recordId }));
        return { records: rows.map(recordView), next };
      }),
    ),
  };
}
