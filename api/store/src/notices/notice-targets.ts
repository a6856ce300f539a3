import type { AccountRole, NoticeWants, NoticeWay } from '@hamlet/contract';
import { type Selection, sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import type { Tables } from '../connection/tables.generated.ts';
import { BAN_HOLDS } from '../people/account-bans.ts';

const MAIL_COLUMNS = ['address', 'wants', 'sent_at as sentAt', 'failure'] as const;
type MailTargetRow = Readonly<Selection<Tables, 'notice_target', (typeof MAIL_COLUMNS)[number]>>;

/** A target at which a person may be due for a notice, with its person. */
export interface DueTarget {
  readonly targetId: string;
  readonly way: NoticeWay;
  readonly address: string;
  readonly wants: NoticeWants;
  /** Null for a browser. */
  readonly leaveToken: string | null;
  /** The keys of a browser; null for mail. */
  readonly p256dh: string | null;
  readonly auth: string | null;
  readonly sentAt: Date | null;
  readonly noted: readonly string[];
  readonly failures: number;
  readonly accountId: string;
  readonly personName: string;
  readonly role: AccountRole;
}

/** The decision of the last check of a target. */
interface TargetNote {
  readonly noted: readonly string[];
  readonly dueInS: number;
  readonly sent: boolean;
}

/** The confirmed address of a person; null if there is none. */
export async function readMailTarget(db: Db, accountId: string): Promise<MailTargetRow | null> {
  const row = await db
    .selectFrom('notice_target')
    .select(MAIL_COLUMNS)
    .where('account_id', '=', accountId)
    .where('way', '=', 'mail')
    .executeTakeFirst();
  return row ?? null;
}

interface MailTarget {
  readonly accountId: string;
  readonly address: string;
  readonly leaveToken: string;
}

/** The confirmed address of a person replaces their earlier one. */
export async function putMailTarget(tx: Tx, { accountId, address, leaveToken }: MailTarget): Promise<void> {
  await sql`
    insert into notice_target (account_id, way, address, name, wants, leave_token)
    values (${accountId}, 'mail', ${address}, 'mail', 'needs', ${leaveToken})
    on conflict (account_id) where way = 'mail' do update set
      address = excluded.address, leave_token = excluded.leave_token, noted = '{}',
      due_at = case notice_target.wants when 'morning' then notice_target.due_at else now() end,
      failures = 0, failing_since = null, failure = null,
      wants = case notice_target.wants when 'off' then 'needs' else notice_target.wants end`.execute(tx);
}

interface NoticeChoice {
  readonly accountId: string;
  /** Null for mail. */
  readonly browserId: string | null;
  readonly wants: NoticeWants;
  /** Seconds until the first check. */
  readonly dueInS: number;
  /** Seconds after the last notice in which no choice causes another notice. The pause after a failure stays too. */
  readonly restS: number;
}

/** Changes which notices a target gets, and when. False if the person has no confirmed address, or no such browser. */
export async function setNoticeWants(tx: Tx, choice: NoticeChoice): Promise<boolean> {
  const { accountId, browserId, wants, dueInS, restS } = choice;
  const due = sql<Date>`
    greatest(now() + make_interval(secs => ${dueInS}), sent_at + make_interval(secs => ${restS}),
      case when failures > 0 then due_at end)`;
  const { numUpdatedRows } = await tx
    .updateTable('notice_target')
    .set({ wants, due_at: due, noted: [] })
    .where('account_id', '=', accountId)
    .where(browserId === null ? sql<boolean>`way = 'mail'` : sql<boolean>`way = 'push' and target_id = ${browserId}`)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Forgets the address of a person, also one that waits for its code. */
export async function forgetMailTarget(tx: Tx, accountId: string): Promise<void> {
  await tx.updateTable('notice_code').set({ code_hash: null }).where('account_id', '=', accountId).execute();
  await tx.deleteFrom('notice_target').where('account_id', '=', accountId).where('way', '=', 'mail').execute();
}

/** Ends the emails of the person whose emails have this token. Returns the person; null if it is unknown, or if they have ended. */
export async function leaveMail(tx: Tx, leaveToken: string): Promise<string | null> {
  const row = await tx
    .updateTable('notice_target')
    .set({ wants: 'off' })
    .where('leave_token', '=', leaveToken)
    .where('wants', '!=', 'off')
    .returning('account_id as accountId')
    .executeTakeFirst();
  return row?.accountId ?? null;
}

/**
 * Takes targets that are due, oldest first, for `leaseS` seconds. Leaves out people who are disabled or banned, and those of an
 * identity provider without an open session: the provider does not announce that a person has left.
 */
export async function claimDueTargets(
  db: Db,
  { ways, limit, leaseS }: { readonly ways: readonly NoticeWay[]; readonly limit: number; readonly leaseS: number },
): Promise<readonly DueTarget[]> {
  const { rows } = await sql<DueTarget>`
    with due as (
      select target_id from notice_target
      join account using (account_id)
      where wants <> 'off' and due_at <= now() and way = any(${[...ways]}::text[]) and disabled_at is null
        and not exists (select from account_ban where account_ban.account_id = account.account_id and ${BAN_HOLDS})
        and (issuer is null or exists (
          select from account_session s where s.account_id = account.account_id and s.expires_at > now()))
      order by due_at limit ${limit} for update of notice_target skip locked)
    update notice_target target set due_at = now() + make_interval(secs => ${leaseS})
    from due, account
    where target.target_id = due.target_id and account.account_id = target.account_id
    returning target.target_id as "targetId", way, address, wants, leave_token as "leaveToken", p256dh, auth,
      sent_at as "sentAt", noted, failures, account.account_id as "accountId", account.name as "personName", account.role`.execute(
    db,
  );
  return rows;
}

type Claimed = Pick<DueTarget, 'targetId' | 'address' | 'wants'>;

/** The row of a target whose person has changed neither address nor choice since it was taken. */
const unchanged = ({ targetId, address, wants }: Claimed) =>
  sql<boolean>`target_id = ${targetId} and address = ${address} and wants = ${wants}`;

/**
 * Records a check before its notice is sent, so that no restart sends it twice. False if the person has changed or
 * ended their notices since the target was taken: then nothing may be sent.
 */
export async function noteNotice(db: Db, target: Claimed, { noted, dueInS, sent }: TargetNote): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('notice_target')
    .set({
      noted,
      due_at: sql`now() + make_interval(secs => ${dueInS})`,
      ...(sent ? { sent_at: sql`now()` } : {}),
    })
    .where(unchanged(target))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function noteDelivered(db: Db, targetId: string): Promise<void> {
  await db
    .updateTable('notice_target')
    .set({ failures: 0, failing_since: null, failure: null })
    .where('target_id', '=', targetId)
    .where('failures', '>', 0)
    .execute();
}

interface Failure {
  readonly code: string;
  readonly dueInS: number;
}

/** Returns a target to its state before a notice that was not sent, until the next attempt. */
export async function noteFailed(db: Db, target: DueTarget, failure: Failure): Promise<void> {
  const { noted, sentAt } = target;
  await db
    .updateTable('notice_target')
    .set({
      noted,
      sent_at: sentAt,
      due_at: sql`now() + make_interval(secs => ${failure.dueInS})`,
      failures: sql`failures + 1`,
      failing_since: sql`coalesce(failing_since, now())`,
      failure: failure.code,
    })
    .where(unchanged(target))
    .execute();
}

/** The failure of an address that its server refuses permanently. */
export const ADDRESS_REFUSED = 'address_refused';

/** Sends nothing more to an address that its server refuses permanently, until its person confirms one again. */
export async function endMailTarget(db: Db, target: Claimed): Promise<void> {
  await db
    .updateTable('notice_target')
    .set({
      wants: 'off',
      failures: sql`failures + 1`,
      failing_since: sql`coalesce(failing_since, now())`,
      failure: ADDRESS_REFUSED,
    })
    .where(unchanged(target))
    .execute();
}
