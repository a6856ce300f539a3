import { BROWSERS_OF_PERSON_MAX } from '@hamlet/contract';
import { type Selection, sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import type { Tables } from '../connection/tables.generated.ts';

const BROWSER_COLUMNS = [
  'target_id as browserId',
  'name',
  'address as endpoint',
  'wants',
  'failure',
  'added_at as addedAt',
  'sent_at as sentAt',
] as const;
type BrowserRow = Readonly<Selection<Tables, 'notice_target', (typeof BROWSER_COLUMNS)[number]>>;

/** The browsers of a person that get notices, oldest first. */
export function readBrowsers(db: Db, accountId: string): Promise<readonly BrowserRow[]> {
  return db
    .selectFrom('notice_target')
    .select(BROWSER_COLUMNS)
    .where('account_id', '=', accountId)
    .where('way', '=', 'push')
    .orderBy('target_id')
    .limit(BROWSERS_OF_PERSON_MAX)
    .execute();
}

interface NewBrowser {
  readonly accountId: string;
  readonly name: string;
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

/**
 * Adds a browser of a person, whose account the caller has locked. One that is added again keeps its row, so it gets no notice
 * sooner; one of another person becomes this person's. Returns its id; null if the person has as many as they may.
 */
export async function putBrowser(tx: Tx, browser: NewBrowser): Promise<string | null> {
  const { accountId, name, endpoint, p256dh, auth } = browser;
  const others = await tx
    .selectFrom('notice_target')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('account_id', '=', accountId)
    .where('way', '=', 'push')
    .where('address', '!=', endpoint)
    .executeTakeFirstOrThrow();
  if (Number(others.count) >= BROWSERS_OF_PERSON_MAX) return null;
  await tx
    .deleteFrom('notice_target')
    .where('way', '=', 'push')
    .where('address', '=', endpoint)
    .where('account_id', '!=', accountId)
    .execute();
  const { rows } = await sql<{ readonly browserId: string }>`
    insert into notice_target (account_id, way, address, p256dh, auth, name, wants)
    values (${accountId}, 'push', ${endpoint}, ${p256dh}, ${auth}, ${name}, 'needs')
    on conflict (address) where way = 'push' do update set
      -- Another person may have added it since the deletion.
      account_id = excluded.account_id, p256dh = excluded.p256dh, auth = excluded.auth, name = excluded.name,
      failures = 0, failing_since = null, failure = null,
      wants = case notice_target.wants when 'off' then 'needs' else notice_target.wants end
    returning target_id as "browserId"`.execute(tx);
  return rows[0]?.browserId ?? null;
}

/** Forgets a browser of a person. Returns its name; null if the person has no such browser. */
export async function forgetBrowser(tx: Tx, accountId: string, browserId: string): Promise<string | null> {
  const row = await tx
    .deleteFrom('notice_target')
    .where('target_id', '=', browserId)
    .where('account_id', '=', accountId)
    .where('way', '=', 'push')
    .returning('name')
    .executeTakeFirst();
  return row?.name ?? null;
}

/** Forgets a browser whose push service no longer knows it. */
export async function endBrowser(db: Db, targetId: string): Promise<void> {
  await db.deleteFrom('notice_target').where('target_id', '=', targetId).where('way', '=', 'push').execute();
}
