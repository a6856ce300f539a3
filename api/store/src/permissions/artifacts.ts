import { ARTIFACT_DAYS, ARTIFACTS_MAX, ARTIFACTS_MAX_BYTES, type TaintMark } from '@hamlet/contract';
import { SUPPLY } from '@hamlet/core';
import { type RawBuilder, sql } from 'kysely';
import { lockName, type Db, type Tx } from '../connection/database.ts';
import { cutPage, firstRow } from '../connection/result-rows.ts';
import type { Row } from '../connection/tables.generated.ts';
import { seesTexts, type TextReader } from '../runs/run-row.ts';

/** `imageType`: detected from the first bytes; null unless a browser may show the file as an image. */
export interface KeptArtifact extends Row<'artifact'> {
  /** The first text from outside that had reached its run; null if none. */
  readonly taint: Pick<TaintMark, 'source' | 'detail'> | null;
  /** Number among the deliverables of its name in its run or session; null if it is not a deliverable. */
  readonly version: number | null;
}

interface NewArtifact extends Omit<
  KeptArtifact,
  'artifactId' | 'bytes' | 'taint' | 'version' | 'keptAt' | 'expiresAt'
> {
  readonly content: Buffer;
}

const COLUMNS = sql`a.artifact_id as "artifactId", a.run_id as "runId", a.call_id as "callId", a.agent_id as "agentId", a.name,
  a.media_type as "mediaType", a.image_type as "imageType", a.bytes, a.sha256, a.deliverable, a.kept_at as "keptAt", a.expires_at as "expiresAt",
  (select jsonb_build_object('source', t.source, 'detail', t.detail) from run_taint t
    where t.run_id = a.run_id and t.at <= a.kept_at order by t.source = ${SUPPLY}, t.at limit 1) as taint,
  case when a.deliverable is null then null else 1 + (select count(*)::integer from artifact e
    join run as earlier on earlier.run_id = e.run_id join run as own on own.run_id = a.run_id
    where e.agent_id = a.agent_id and e.name = a.name and e.deliverable is not null and e.artifact_id < a.artifact_id
      and (e.run_id = a.run_id or earlier.session_id = own.session_id)) end as version`;

/** The stored artifact of a call with these bytes; null if there is none. */
export async function findSameArtifact(
  tx: Tx,
  { runId, callId, sha256 }: Pick<NewArtifact, 'runId' | 'callId' | 'sha256'>,
): Promise<KeptArtifact | null> {
  const { rows } = await sql<KeptArtifact>`
    select ${COLUMNS} from artifact a where run_id = ${runId} and call_id = ${callId} and sha256 = ${sha256}`.execute(
    tx,
  );
  return rows[0] ?? null;
}

/** True if the agent has room for these bytes. Locks the agent's artifacts until the transaction ends. */
export async function hasRoomForArtifact(
  tx: Tx,
  { agentId, bytes }: Pick<KeptArtifact, 'agentId' | 'bytes'>,
): Promise<boolean> {
  await lockName(tx, `artifacts of ${agentId}`);
  const { rows } = await sql<{ readonly count: number; readonly used: number }>`
    select count(*)::integer as count, coalesce(sum(bytes), 0)::integer as used from artifact where agent_id = ${agentId}`.execute(
    tx,
  );
  const { count, used } = firstRow(rows, 'an aggregate has one row');
  return count < ARTIFACTS_MAX && used + bytes <= ARTIFACTS_MAX_BYTES;
}

/** Stores an artifact for `ARTIFACT_DAYS`. */
export async function insertArtifact(tx: Tx, made: NewArtifact): Promise<KeptArtifact> {
  const { runId, callId, agentId, name, mediaType, imageType, sha256, deliverable, content } = made;
  const { rows } = await sql<KeptArtifact>`
    with a as (
      insert into artifact (run_id, call_id, agent_id, name, media_type, image_type, bytes, sha256, deliverable, expires_at)
      values (${runId}, ${callId}, ${agentId}, ${name}, ${mediaType}, ${imageType}, ${content.length}, ${sha256}, ${deliverable},
        clock_timestamp() + ${ARTIFACT_DAYS} * interval '1 day')
      returning *),
    stored as (insert into artifact_content select artifact_id, ${content}::bytea from a)
    select ${COLUMNS} from a`.execute(tx);
  return firstRow(rows, 'the insert of an artifact returns its row');
}

export async function findArtifact(db: Db | Tx, artifactId: string): Promise<KeptArtifact | null> {
  const { rows } = await sql<KeptArtifact>`
    select ${COLUMNS} from artifact a where artifact_id = ${artifactId} and expires_at > now()`.execute(db);
  return rows[0] ?? null;
}

export async function readArtifactContent(db: Db | Tx, artifactId: string): Promise<Buffer | null> {
  const { rows } = await sql<{ readonly content: Buffer }>`
    select content from artifact_content join artifact using (artifact_id)
    where artifact_id = ${artifactId} and expires_at > now()`.execute(db);
  return rows[0]?.content ?? null;
}

interface Paging {
  readonly before: string | null;
  readonly limit: number;
}
interface ArtifactPage {
  readonly artifacts: readonly KeptArtifact[];
  readonly next: string | null;
}

/** A run with all its workers, recursively: `workingFor` is the top run. */
const runTree = (roots: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  with recursive tree as (
    select run_id, run_id as working_for from run where ${roots}
    union all select run.run_id, tree.working_for from run join tree on run.parent_run_id = tree.run_id)`;

export async function readRunArtifacts(db: Db, runId: string, { before, limit }: Paging): Promise<ArtifactPage> {
  const { rows } = await sql<KeptArtifact>`
    ${runTree(sql`run_id = ${runId}`)}
    select ${COLUMNS} from artifact a join tree using (run_id)
    where expires_at > now() and (${before}::uuid is null or artifact_id < ${before})
    order by artifact_id desc limit ${limit + 1}`.execute(db);
  return pageOf(rows, limit);
}

/** The newest artifacts of runs and their workers, by the top run, at most `limit` of each. */
export async function readArtifactsOfRuns(
  db: Db,
  runIds: readonly string[],
  limit: number,
): Promise<ReadonlyMap<string, readonly KeptArtifact[]>> {
  if (runIds.length === 0) return new Map();
  const { rows } = await sql<KeptArtifact & { readonly workingFor: string }>`
    select newest.* from unnest(${[...runIds]}::uuid[]) wanted cross join lateral (
      ${runTree(sql`run_id = wanted`)}
      select ${COLUMNS}, tree.working_for as "workingFor" from artifact a join tree using (run_id)
      where expires_at > now() order by artifact_id desc limit ${limit}) newest`.execute(db);
  return Map.groupBy(rows, ({ workingFor }) => workingFor);
}

/** `agentId` null is every agent. */
interface ArtifactFilter {
  readonly agentId: string | null;
  readonly deliverables: boolean;
  readonly reader: TextReader;
}

/** A page of the artifacts of runs whose texts the reader may see, newest first. */
export async function readShownArtifacts(
  db: Db,
  { agentId, deliverables, reader }: ArtifactFilter,
  { before, limit }: Paging,
): Promise<ArtifactPage> {
  const ofAgent = agentId === null ? sql`true` : sql`a.agent_id = ${agentId}`;
  const ofKind = deliverables ? sql`a.deliverable is not null` : sql`true`;
  const { rows } = await sql<KeptArtifact>`
    select ${COLUMNS} from artifact a join run on run.run_id = a.run_id
    where ${ofAgent} and a.expires_at > now() and ${ofKind}
      and ${seesTexts(reader)} and (${before}::uuid is null or a.artifact_id < ${before})
    order by a.artifact_id desc limit ${limit + 1}`.execute(db);
  return pageOf(rows, limit);
}

function pageOf(read: readonly KeptArtifact[], limit: number): ArtifactPage {
  const { rows: artifacts, next } = cutPage(read, limit, ({ artifactId }) => artifactId);
  return { artifacts, next };
}

/** The deliverables among these ids that the run, its workers or another run of its session made. */
export async function readOwnDeliverables(
  tx: Tx,
  runId: string,
  artifactIds: readonly string[],
): Promise<readonly KeptArtifact[]> {
  const { rows } = await sql<KeptArtifact>`
    ${runTree(sql`run_id = ${runId}`)}
    select ${COLUMNS} from artifact a join run on run.run_id = a.run_id join run own on own.run_id = ${runId}
    where a.artifact_id = any(${artifactIds}::uuid[]) and a.deliverable is not null and a.expires_at > now()
      and run.agent_uid = own.agent_uid and (a.run_id in (select run_id from tree) or run.session_id = own.session_id)`.execute(
    tx,
  );
  return rows;
}

/** The newest deliverables of a session, each with its top run: a worker's belong to the run that it works for. */
export async function readSessionDeliverables(
  db: Db,
  sessionId: string,
  limit: number,
): Promise<readonly KeptArtifact[]> {
  const { rows } = await sql<KeptArtifact & { readonly workingFor: string }>`
    ${runTree(sql`session_id = ${sessionId} and parent_run_id is null`)}
    select ${COLUMNS}, tree.working_for as "workingFor" from artifact a join tree using (run_id)
    where a.deliverable is not null and a.expires_at > now()
    order by a.artifact_id desc limit ${limit}`.execute(db);
  return rows.map(({ workingFor, ...row }) => ({ ...row, runId: workingFor }));
}

export async function deleteArtifact(tx: Tx, artifactId: string): Promise<boolean> {
  const { rows } = await sql`delete from artifact where artifact_id = ${artifactId} returning 1`.execute(tx);
  return rows.length > 0;
}

export async function deleteExpiredArtifacts(db: Db, atMost: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from artifact where artifact_id in (
      select artifact_id from artifact where expires_at <= now() order by expires_at limit ${atMost})`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** A page that a call opened, as the agent claims it. `witnessed`: the broker let the call reach its host. */
export interface OpenedPageRow {
  /** The run that the page belongs to; for a worker's page, its top run. */
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  readonly url: string;
  readonly title: string;
  readonly at: string;
  readonly witnessed: boolean;
}

export function readRunPages(db: Db | Tx, runId: string, limit: number): Promise<readonly OpenedPageRow[]> {
  return readPages(db, sql`run_id = ${runId}`, limit);
}

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
