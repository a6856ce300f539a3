import { type RawBuilder, sql } from 'kysely';
import { asColumns } from '../connection/as-columns.ts';
import type { Db, Tx } from '../connection/database.ts';
import { cutPage, type Page } from '../connection/result-rows.ts';
import { COLUMNS, type Row } from '../connection/tables.generated.ts';
import { BAN_HOLDS } from '../people/account-bans.ts';
import type { RunRow } from '../runs/run-row.ts';

/** A person's rule that allows all later calls of one tool by an agent. */
export type AllowRuleRow = Row<'allow_rule'>;

/**
 * `allowKey`: the shell commands that the rule covers; null for any other tool. `tainted`: it also covers tainted runs; with `supply`,
 * only those that no other source has reached. `sessionId`: null for all runs of the agent.
 */
interface NewAllowRule extends Pick<
  AllowRuleRow,
  'agentId' | 'agentUid' | 'tool' | 'allowKey' | 'tainted' | 'supply' | 'sessionId' | 'permissionId'
> {
  readonly by: { readonly role: 'member' | 'admin'; readonly id: string; readonly name: string };
}

/** Inserts a rule. Null if the same agent, tool, key and conversation already have one in force. */
export async function insertAllowRule(tx: Tx, { by, ...made }: NewAllowRule): Promise<AllowRuleRow | null> {
  const row = await tx
    .insertInto('allow_rule')
    .values({
      ...asColumns(made),
      created_by_role: by.role,
      created_by_id: by.id,
      created_by_name: by.name,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(COLUMNS.allow_rule)
    .executeTakeFirst();
  return row ?? null;
}

export async function findRuleOfPermission(db: Db, permissionId: string): Promise<AllowRuleRow | null> {
  const row = await db
    .selectFrom('allow_rule')
    .select(COLUMNS.allow_rule)
    .where('permission_id', '=', permissionId)
    .executeTakeFirst();
  return row ?? null;
}

/** True if the rule that answered a permission, or that its answer created, is revoked. */
export async function isRuleRevoked(
  tx: Tx,
  { permissionId, ruleId }: { readonly permissionId: string; readonly ruleId: string | null },
): Promise<boolean> {
  const row = await tx
    .selectFrom('allow_rule')
    .select('rule_id')
    .where(({ eb, or }) => or([eb('permission_id', '=', permissionId), eb('rule_id', '=', ruleId)]))
    .where('revoked_at', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}

export async function lockAllowRule(tx: Tx, ruleId: string): Promise<AllowRuleRow | null> {
  const row = await tx
    .selectFrom('allow_rule')
    .select(COLUMNS.allow_rule)
    .where('rule_id', '=', ruleId)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

/** True if the author may still allow: the account is not disabled or banned, and still an admin if the rule covers all runs. */
const AUTHOR_MAY = sql<boolean>`not exists (
  select from account left join account_ban on account_ban.account_id = account.account_id and ${BAN_HOLDS}
  where 'account ' || account.account_id = allow_rule.created_by_id and (account.disabled_at is not null
    or account_ban.ban_id is not null or (allow_rule.session_id is null and account.role <> 'admin')))`;

/** One for each reach (untainted, of supply, tainted), for all runs and for the conversation: the indexes admit no more. */
const RULES_MAX = 6;

/**
 * The rules that cover a request of a run, those for all runs first. A rule of a session covers only messages of its
 * author. A tainted run needs a rule that covers tainted runs; a run that strangers have reached needs one without `supply`.
 */
export function readRulesFor(
  tx: Tx,
  run: RunRow,
  { tool, allowKey, tainted, supply }: Pick<NewAllowRule, 'tool' | 'allowKey' | 'tainted' | 'supply'>,
): Promise<readonly AllowRuleRow[]> {
  return tx
    .selectFrom('allow_rule')
    .select(COLUMNS.allow_rule)
    .where('agent_uid', '=', run.agentUid)
    .where('tool', '=', tool)
    .where('allow_key', 'is not distinct from', allowKey)
    .where('revoked_at', 'is', null)
    .$if(tainted, (query) => query.where('tainted', '=', true))
    .$if(tainted && !supply, (query) => query.where('supply', '=', false))
    .where(isForRun(run))
    .where(AUTHOR_MAY)
    .orderBy(sql`session_id is not null`)
    .limit(RULES_MAX)
    .execute();
}

function isForRun({ sessionId, createdById }: RunRow): RawBuilder<boolean> {
  return sql<boolean>`(session_id is null or (session_id = ${sessionId}::uuid and created_by_id = ${createdById}))`;
}

/** Counts a use. False if the rule was revoked meanwhile. */
export async function countRuleUse(tx: Tx, ruleId: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('allow_rule')
    .set({ used: sql<number>`used + 1`, last_used_at: sql<Date>`clock_timestamp()` })
    .where('rule_id', '=', ruleId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

type Revoker = { readonly role: string; readonly id: string };

/** Revokes a locked rule in force. */
export function revokeAllowRule(tx: Tx, ruleId: string, by: Revoker): Promise<AllowRuleRow> {
  return tx
    .updateTable('allow_rule')
    .set({ revoked_at: sql<Date>`clock_timestamp()`, revoked_by_role: by.role, revoked_by_id: by.id })
    .where('rule_id', '=', ruleId)
    .returning(COLUMNS.allow_rule)
    .executeTakeFirstOrThrow();
}

export async function revokeRulesOfPerson(
  tx: Tx,
  { sessionId, personId }: { readonly sessionId: string; readonly personId: string },
  by: Revoker,
): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('allow_rule')
    .set({ revoked_at: sql<Date>`clock_timestamp()`, revoked_by_role: by.role, revoked_by_id: by.id })
    .where('session_id', '=', sessionId)
    .where('created_by_id', '=', personId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

interface AllowRuleFilter {
  readonly agentId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly revoked: boolean;
  /** Restricts to rules for all runs, of this person, or of their sessions; null for all rules. */
  readonly personId: string | null;
}

/** A page of rules, newest first. `before` is the last id of the previous page. */
export async function readAllowRules(
  db: Db,
  { agentId, sessionId, revoked, personId }: AllowRuleFilter,
  page: { readonly before: string | null; readonly limit: number },
): Promise<Page<AllowRuleRow, string>> {
  const rows = await db
    .selectFrom('allow_rule')
    .select(COLUMNS.allow_rule)
    .$if(agentId !== undefined, (query) => query.where('agent_id', '=', agentId ?? ''))
    .$if(sessionId !== undefined, (query) => query.where('session_id', '=', sessionId ?? ''))
    .$if(!revoked, (query) => query.where('revoked_at', 'is', null))
    .$if(personId !== null, (query) => query.where(isSeenBy(personId ?? '')))
    .$if(page.before !== null, (query) => query.where('rule_id', '<', page.before ?? ''))
    .orderBy('rule_id', 'desc')
    .limit(page.limit + 1)
    .execute();
  return cutPage(rows, page.limit, ({ ruleId }) => ruleId);
}

function isSeenBy(personId: string): RawBuilder<boolean> {
  return sql<boolean>`(allow_rule.session_id is null or allow_rule.created_by_id = ${personId} or exists (
    select from session_person p where p.session_id = allow_rule.session_id and p.person_id = ${personId}))`;
}
