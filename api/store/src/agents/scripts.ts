import { SCRIPT_VERSIONS_MAX, type ScriptParameters } from '@hamlet/contract';
import { type RawBuilder, sql } from 'kysely';
import { lockName, type Db, type Tx } from '../connection/database.ts';
import type { Row } from '../connection/tables.generated.ts';
import { seesTexts, type TextReader } from '../runs/run-row.ts';

/** A version of a script, without its source. */
export interface ScriptRow
  extends
    Pick<Row<'script'>, 'name' | 'agentId' | 'runs' | 'lastRunId' | 'lastCallId' | 'lastRunAt'>,
    Pick<Row<'script_version'>, 'language' | 'version' | 'description' | 'tainted' | 'adoptedFrom' | 'savedAt'> {
  readonly bytes: number;
  readonly savedIn: string | null;
  readonly versions: number;
  readonly lastOutcome: unknown;
  /** True if the reader may see its source. */
  readonly shown: boolean;
}
export type ScriptText = Pick<ScriptRow, 'name' | 'version' | 'language' | 'tainted'> & {
  readonly source: string;
  readonly parameters: ScriptParameters;
};

/** Admins and agents may read all sources. Members may read the sources of runs whose texts they may read. */
const shownTo = (reader: TextReader): RawBuilder<boolean> => sql<boolean>`(${reader.role}::text in ('admin', 'agent')
  or coalesce((select ${seesTexts(reader)} from run where run.run_id = v.run_id), false))`;

const facts = (reader: TextReader): RawBuilder<unknown> => sql`
  v.name, s.agent_id as "agentId", v.language, v.version, v.description, octet_length(v.source) as bytes, v.tainted,
  v.adopted_from as "adoptedFrom", v.saved_at as "savedAt", v.run_id as "savedIn", s.runs::float8 as runs, s.last_run_id as "lastRunId",
  s.last_call_id as "lastCallId", s.last_run_at as "lastRunAt", ${shownTo(reader)} as shown,
  (select count(*)::integer from script_version o where o.agent_uid = v.agent_uid and o.name = v.name) as versions,
  (select outcome from effect where effect.run_id = s.last_run_id and effect.call_id = s.last_call_id) as "lastOutcome"`;

export async function readScripts(db: Db | Tx, agentUid: string, reader: TextReader): Promise<readonly ScriptRow[]> {
  const { rows } = await sql<ScriptRow>`
    select distinct on (v.name) ${facts(reader)}
    from script_version v join script s using (agent_uid, name)
    where v.agent_uid = ${agentUid} order by v.name, v.saved_at desc, v.version`.execute(db);
  return rows;
}

export async function findScriptRow(
  db: Db | Tx,
  { agentUid, name, version }: { readonly agentUid: string; readonly name: string; readonly version: string | null },
  reader: TextReader,
): Promise<ScriptRow | null> {
  const { rows } = await sql<ScriptRow>`
    select ${facts(reader)} from script_version v join script s using (agent_uid, name)
    where v.agent_uid = ${agentUid} and v.name = ${name} and (${version}::text is null or v.version = ${version})
    order by v.saved_at desc, v.version limit 1`.execute(db);
  return rows[0] ?? null;
}

export async function findScriptText(
  db: Db | Tx,
  { agentUid, name, version }: { readonly agentUid: string; readonly name: string; readonly version: string },
): Promise<ScriptText | null> {
  const { rows } = await sql<ScriptText>`
    select name, version, language, tainted, source, parameters from script_version
    where agent_uid = ${agentUid} and name = ${name} and version = ${version}`.execute(db);
  return rows[0] ?? null;
}

/** The stored versions of a script, newest first. */
export async function readScriptVersions(
  db: Db,
  agentUid: string,
  name: string,
): Promise<readonly Pick<ScriptRow, 'version' | 'savedAt' | 'tainted'>[]> {
  return db
    .selectFrom('script_version')
    .select(['version', 'saved_at as savedAt', 'tainted'])
    .where('agent_uid', '=', agentUid)
    .where('name', '=', name)
    .orderBy('saved_at', 'desc')
    .limit(SCRIPT_VERSIONS_MAX)
    .execute();
}

/** Names of the scripts of a life. Locks them: no other is saved until the transaction ends. */
export async function lockScripts(tx: Tx, agentUid: string): Promise<ReadonlySet<string>> {
  await lockName(tx, `scripts ${agentUid}`);
  const rows = await tx.selectFrom('script').select('name').where('agent_uid', '=', agentUid).execute();
  return new Set(rows.map(({ name }) => name));
}

interface NewScript extends Omit<ScriptText, 'tainted'> {
  readonly agentUid: string;
  readonly agentId: string;
  readonly description: string;
  readonly tainted: boolean;
  readonly adopted: { readonly from: string; readonly artifactId: string } | null;
  readonly call: { readonly runId: string; readonly callId: string } | null;
}

/**
 * Saves a version and deletes the oldest beyond the limit. Saving an existing version again makes it the newest; its
 * taint stays. The caller has locked the scripts.
 */
export async function insertScript(tx: Tx, made: NewScript): Promise<void> {
  const { agentUid, agentId, name, version, language, description, source, tainted, adopted, call } = made;
  await tx
    .insertInto('script')
    .values({ agent_uid: agentUid, name, agent_id: agentId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await sql`
    insert into script_version as v (agent_uid, name, version, language, description, source, parameters, tainted, adopted_from, artifact_id, run_id, call_id)
    values (${agentUid}, ${name}, ${version}, ${language}, ${description}, ${source}, ${JSON.stringify(made.parameters)}::jsonb, ${tainted},
      ${adopted?.from ?? null}, ${adopted?.artifactId ?? null}::uuid, ${call?.runId ?? null}::uuid, ${call?.callId ?? null})
    on conflict (agent_uid, name, version) do update
      set saved_at = clock_timestamp(), tainted = v.tainted or excluded.tainted, run_id = excluded.run_id, call_id = excluded.call_id`.execute(
    tx,
  );
  await sql`
    delete from script_version where agent_uid = ${agentUid} and name = ${name} and version in (
      select version from script_version where agent_uid = ${agentUid} and name = ${name}
      order by saved_at desc, version offset ${SCRIPT_VERSIONS_MAX})`.execute(tx);
}

export async function deleteScriptRow(tx: Tx, agentUid: string, name: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('script')
    .where('agent_uid', '=', agentUid)
    .where('name', '=', name)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Records that a call starts a script. */
export async function noteScriptRun(
  tx: Tx,
  { agentUid, name }: { readonly agentUid: string; readonly name: string },
  call: { readonly runId: string; readonly callId: string },
): Promise<void> {
  await sql`
    update script set runs = runs + 1, last_run_id = ${call.runId}, last_call_id = ${call.callId}, last_run_at = clock_timestamp()
    where agent_uid = ${agentUid} and name = ${name}`.execute(tx);
}
