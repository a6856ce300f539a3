import type { RecordKind } from '@hamlet/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { asMoment, type Moment } from '../connection/result-rows.ts';

export interface RecordRow {
  readonly recordId: string;
  readonly kind: RecordKind;
  readonly at: Moment;
  readonly actorRole: string;
  readonly actorId: string;
  readonly action: string;
  readonly object: string;
  readonly detail: unknown;
  readonly requestId: string | null;
  readonly traceparent: string | null;
}

/** A record must match all given fields. */
export interface RecordSearch {
  readonly kind: RecordKind | null;
  readonly actor: string | null;
  /** An action, or its area: the part before its first dot. */
  readonly action: string | null;
  readonly except: readonly string[];
  readonly object: string | null;
  /** Words that the record must contain, all of them. */
  readonly words: string | null;
  readonly since: Moment | null;
  readonly until: Moment | null;
  readonly before: { readonly at: Moment; readonly id: string } | null;
  readonly limit: number;
}

interface Source {
  readonly at: RawBuilder<unknown>;
  readonly id: RawBuilder<unknown>;
  readonly actor: RawBuilder<unknown>;
  readonly action: RawBuilder<unknown>;
  readonly object: RawBuilder<unknown>;
  readonly words: RawBuilder<unknown>;
}

function conditions(source: Source, search: RecordSearch): RawBuilder<unknown> {
  const { actor, action, except, object, words, since, until, before } = search;
  const all: RawBuilder<unknown>[] = [sql`true`];
  if (actor !== null) all.push(sql`${source.actor} = ${actor}`);
  if (action !== null) all.push(sql`(${source.action} = ${action} or starts_with(${source.action}, ${`${action}.`}))`);
  for (const area of except)
    all.push(sql`not (${source.action} = ${area} or starts_with(${source.action}, ${`${area}.`}))`);
  if (object !== null) all.push(sql`${source.object} = ${object}`);
  if (words !== null) all.push(sql`${source.words} @@ plainto_tsquery('simple', translate(${words}, '._/-', '    '))`);
  if (since !== null) all.push(sql`${source.at} >= ${since}::timestamptz`);
  if (until !== null) all.push(sql`${source.at} < ${until}::timestamptz`);
  if (before !== null) all.push(sql`(${source.at}, ${source.id}) < (${before.at}::timestamptz, ${before.id}::uuid)`);
  return sql.join(all, sql` and `);
}

function acts(search: RecordSearch): RawBuilder<unknown> {
  const source: Source = {
    at: sql`a.at`,
    id: sql`a.audit_id`,
    actor: sql`a.actor_id`,
    action: sql`a.action`,
    object: sql`a.object`,
    words: sql`log.words(a.action, a.object, a.actor_id, a.detail)`,
  };
  return sql`
    (select a.at, a.audit_id as id, 'act' as kind, a.actor_role, a.actor_id, a.action, a.object, a.detail, a.request_id, a.traceparent
    from audit a where ${conditions(source, search)} order by a.at desc, a.audit_id desc limit ${search.limit})`;
}

/** The smallest (`0`) or largest (`f`) transfer id of a millisecond: ids are in the order of time (UUIDv7). */
function idOfMoment(moment: Moment, rest: '0' | 'f'): string {
  // No id is older than 1970.
  const hex = Math.max(0, Date.parse(moment)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${rest.repeat(3)}-${rest === '0' ? '8' : 'b'}${rest.repeat(3)}-${rest.repeat(12)}`;
}

/** The time of a transfer is the one in its id: the time of its request, milliseconds before it was written. */
function money(search: RecordSearch): RawBuilder<unknown> {
  const { since, until, before } = search;
  const source: Source = {
    at: sql`uuid_extract_timestamp(t.transfer_id)`,
    id: sql`t.transfer_id`,
    actor: sql`t.actor_id`,
    action: sql`('ledger.' || t.reason::text)`,
    object: sql`o.owner`,
    words: sql`to_tsvector('simple', translate(concat_ws(' ', 'ledger', t.reason::text, o.owner, t.source, t.actor_id, t.note), '._/-', '    '))`,
  };
  const range = [
    since === null ? sql`true` : sql`t.transfer_id >= ${idOfMoment(since, '0')}::uuid`,
    until === null ? sql`true` : sql`t.transfer_id <= ${idOfMoment(until, 'f')}::uuid`,
    before === null ? sql`true` : sql`t.transfer_id <= ${idOfMoment(before.at, 'f')}::uuid`,
  ];
  return sql`
    (select ${source.at} as at, t.transfer_id as id, 'ledger' as kind, t.actor_role, t.actor_id, ${source.action} as action, o.owner as object,
      jsonb_build_object('amount_micro', t.amount::text, 'from', p.book || case p.owner when '' then '' else '/' || p.owner end,
        'to', q.book || case q.owner when '' then '' else '/' || q.owner end, 'source', t.source, 'note', t.note) as detail,
      null as request_id, coalesce(c.traceparent, t.about ->> 'traceparent') as traceparent
    from ledger.transfer t join ledger.account p on p.account_id = t.payer join ledger.account q on q.account_id = t.payee
      join ledger.account o on o.account_id = greatest(t.payer, t.payee) left join ledger.circumstance c on c.id = t.transfer_id
    where ${sql.join(range, sql` and `)} and ${conditions(source, search)} order by t.transfer_id desc limit ${search.limit})`;
}

export async function searchRecords(db: Db, search: RecordSearch): Promise<readonly RecordRow[]> {
  const sources = [
    ...(search.kind === 'ledger' ? [] : [acts(search)]),
    ...(search.kind === 'act' ? [] : [money(search)]),
  ];
  const { rows } = await sql<RecordRow>`
    select id as "recordId", kind, ${asMoment(sql`at`)} as at, actor_role as "actorRole", actor_id as "actorId", action, object, detail, request_id as "requestId", traceparent
    from (${sql.join(sources, sql` union all `)}) found order by found.at desc, found.id desc limit ${search.limit}
  `.execute(db);
  return rows;
}
