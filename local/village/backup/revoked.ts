/** Sign-ins and rights that ended after the restored moment: a restore keeps those sign-ins ended, and lists those rights. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from '../kubectl.ts';
import { asSuperuser, DATABASE, PLAIN, psql, RESTORED } from './database.ts';
import { transfer } from './stream.ts';

/** Tables whose rows let a caller act as a person, or the village write to one, with the expression that names a row. */
const SIGN_INS: Readonly<Record<string, string>> = {
  account_session: 'id_hash',
  account_key: 'key_hash',
  account_code: 'code_hash',
  channel_identity: 'identity_id',
  channel_code: 'code_hash',
  notice_target: "target_id || case wants when 'off' then ' off' else '' end",
};

/** Acts that take a right away, in the audit. */
const TAKEN = [
  'account.role',
  'account.disable',
  'account.ban',
  'account.reset',
  'account.password',
  'allow_rule.revoke',
  'kill',
  'ban',
  'quarantine',
  'freeze',
  'revoke_token',
  'village.freeze',
];
const LINES_MAX = 50;

const quoted = (texts: readonly string[]): string => texts.map((text) => `'${text.replaceAll("'", "''")}'`).join();

/** The tables of sign-ins that a database has: that of an earlier version has fewer. */
async function tablesOf(place: Place, database: string): Promise<readonly string[]> {
  const names = quoted(Object.keys(SIGN_INS));
  const query = `select relname from pg_class where relnamespace = 'public'::regnamespace and relname in (${names})`;
  return (await psql(place, { database }, query)).split('\n').filter((name) => name !== '');
}

const rowName = (table: string): string => `'${table} ' || (${SIGN_INS[table]})::text`;

/** Runs statements in one session of a database, whose output goes to a file or whose input comes from one. */
function inSession(
  place: Place,
  { database, ...files }: { readonly database: string; readonly to?: string; readonly from?: string },
  ...statements: readonly string[]
): Promise<void> {
  const commands = statements.flatMap((each) => ['--command', each]);
  const program = asSuperuser('village', 'psql', ...PLAIN, '--dbname', database, ...commands);
  return transfer(place, { ...program, ...files, doing: () => undefined });
}

/**
 * Removes from the loaded database the sign-ins that the village does not have any more: sessions, API keys, codes, links
 * of messengers, and addresses of notices. `ofUnknown`: also those of accounts that the village does not know, since it has lost its data.
 */
export async function removeEndedSignIns(
  place: Place,
  folder: string,
  { ofUnknown }: { readonly ofUnknown: boolean },
): Promise<string> {
  const file = join(folder, 'sign-ins');
  const valid = (await tablesOf(place, DATABASE)).map((table) => `select ${rowName(table)} from ${table}`);
  if (valid.length > 0) valid.push("select 'account ' || account_id from account");
  if (valid.length === 0) writeFileSync(file, '');
  else await inSession(place, { database: DATABASE, to: file }, `copy (${valid.join(' union all ')}) to stdout`);
  const tables = await tablesOf(place, RESTORED);
  const isKnown = "'account ' || account_id in (select name from valid)";
  const removals = tables.map(
    (table) =>
      `delete from ${table} where ${rowName(table)} not in (select name from valid) and (${ofUnknown} or ${isKnown})`,
  );
  const unknown = tables.map((table) => `select 1 from ${table} where not ${isKnown}`).join(' union all ');
  const valids = ['create temp table valid (name text primary key)', 'copy valid from stdin'];
  const count = `select count(*) from (${unknown}) of_unknown`;
  const counted = join(folder, 'of-unknown');
  await inSession(place, { database: RESTORED, from: file, to: counted }, ...valids, ...removals, count);
  const kept = readFileSync(counted, 'utf8').trim();
  return kept === '0'
    ? 'those that ended since do not come back'
    : `${kept} of accounts that this village does not know come back, even if they have ended since: end them on the page People`;
}

/**
 * The acts since a moment that took rights away, one a line, newest first: the restore undoes them. An act that was repeated on
 * one object, as drills do, is one line, so that it hides no other.
 */
export async function rightsTakenSince(place: Place, moment: string): Promise<readonly string[]> {
  const query = `select to_char(max(at) at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"') || '  ' || action || '  ' || coalesce(account.name, object)
    from audit left join account on object = 'account ' || account.account_id
    where at > '${moment}' and action in (${quoted(TAKEN)})
    group by action, object, account.name order by max(at) desc limit ${LINES_MAX + 1}`;
  const lines = (await psql(place, {}, query)).split('\n').filter((line) => line !== '');
  if (lines.length <= LINES_MAX) return lines;
  return [...lines.slice(0, LINES_MAX), 'and older ones: read them on the page Audit before you confirm'];
}
