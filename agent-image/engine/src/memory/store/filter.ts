import type { ListOptions } from '../memory.ts';
import { membersText } from './audiences.ts';

/** Which memories a search or a list may find. Null and an absent property stand for all. */
export type Filter = Readonly<{
  audiences: ReadonlySet<number> | null;
  repository?: string | null;
  /** A repository, or an empty text for none: memories of no repository pass too. */
  place?: string | null;
  /** A session whose memories do not pass. */
  besides?: string | null;
  kind?: string | null;
  layers?: readonly string[] | null;
}> &
  Pick<ListOptions, 'state' | 'session' | 'subject' | 'pinned' | 'isPrivate'>;

type Value = string | number;
type Conditions = Readonly<{ sql: string; values: readonly Value[] }>;

/** The filter without the audiences as conditions on the table `memory`, each with an `and` before it. */
export function conditionsOf(filter: Omit<Filter, 'audiences'>): Conditions {
  const { repository, place, besides, kind, layers, state, session, subject, pinned, isPrivate } = filter;
  const parts: (readonly [sql: string, value: Value | null | undefined])[] = [
    ['memory.repository = ?', repository],
    ['(memory.repository is null or memory.repository = ?)', place],
    ['memory.session is not ?', besides],
    ['memory.kind = ?', kind],
    ['memory.layer in (select value from json_each(?))', layers && JSON.stringify(layers)],
    ['memory.dormant = ?', state && Number(state === 'dormant')],
    ['memory.session = ?', session],
    ['memory.subject = ?', subject],
    ['memory.pinned = ?', pinned === undefined ? null : Number(pinned)],
    ['memory.members <> ?', isPrivate === true ? membersText('public') : null],
  ];
  const given = parts.flatMap(([sql, value]) => (value === null || value === undefined ? [] : [{ sql, value }]));
  return { sql: given.map(({ sql }) => `and ${sql}`).join(' '), values: given.map(({ value }) => value) };
}
