import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { runTree } from './artifacts.ts';

/** A page that a call opened, as the agent claims it. `witnessed`: the broker let the call reach its host. */
export interface OpenedPageRow {
  /** The run that the page belongs to: for a worker's page, the run at the top. */
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  readonly url: string;
  readonly title: string;
  readonly at: string;
  readonly witnessed: boolean;
}

/** Pages of a run and its workers, newest first. */
export function readRunPages(db: Db | Tx, runId: string, limit: number): Promise<readonly OpenedPageRow[]> {
  return readPages(db, sql`run_id = ${runId}`, limit);
}

/** Pages of the runs of a session and of their workers, newest first. */
export function readSessionPages(db: Db, sessionId: string, limit: number): Promise<readonly OpenedPageRow[]> {
  return readPages(db, sql`session_id = ${sessionId} and parent_run_id is null`, limit);
}

async function readPages(db: Db | Tx, roots: RawBuilder<unknown>, limit: number): Promise<readonly OpenedPageRow[]> {
  const { rows } = await sql<OpenedPageRow>`
    ${runTree(roots)}, opened as (
      select tree.working_for, h.run_id, h.call_id, h.tool, h.ended_at, page ->> 'url' as url, page ->> 'title' as title, page ->> 'at' as at, place,
        lower(substring(page ->> 'url' from '^https?://(?:[^/?#@]*@)?([^/?#:]+)')) as host
      from tree join hands_call h using (run_id), jsonb_array_elements(h.report -> 'opened') with ordinality as pages (page, place)
      order by h.ended_at desc, place desc limit ${limit})
    select working_for as "runId", call_id as "callId", tool, url, title, at, exists (
      select from egress_attempt e where e.run_id = opened.run_id and e.call_id = opened.call_id and e.call_witnessed and e.refused is null
        and e.host = opened.host) as witnessed
    from opened order by ended_at desc, place desc`.execute(db);
  return rows;
}
