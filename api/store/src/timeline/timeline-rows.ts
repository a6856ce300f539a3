import type { Measure } from '@hamlet/contract';
import { sql } from 'kysely';
import { readContent, type Content } from '../board/post-row.ts';
import type { Db, Tx } from '../connection/database.ts';
import { type EntryRow, readEntriesOf } from '../ledger/entries.ts';
import { readRunsById } from '../runs/read-runs.ts';
import type { RunRow } from '../runs/run-row.ts';
import { selectSessions, type ChatSessionRow } from '../sessions/session-row.ts';
import { type PurchaseRow, readPurchasesById } from '../trade/purchases.ts';
import type { TimelinePlace } from './timeline-places.ts';

interface FiringOfAgent {
  readonly firingId: string;
  readonly scheduleUid: string;
  readonly slot: Date;
  readonly firedAt: Date;
  readonly runId: string | null;
  readonly outcome: string;
}

/** A measure against an agent, lifted or not. */
interface MeasureOfAgent {
  readonly measureId: string;
  readonly measure: Measure;
  readonly reason: string;
  readonly byRole: string;
  readonly byId: string;
  readonly since: Date;
  readonly expiresAt: Date | null;
  readonly liftedAt: Date | null;
}

/** A time in which an agent had no pod, because its node was short of memory. */
interface PauseOfAgent {
  readonly pauseId: string;
  readonly node: string;
  readonly since: Date;
  readonly endedAt: Date | null;
}

/** An act that changed the power or the tier of an agent. */
interface ActOnAgent {
  readonly auditId: string;
  readonly action: 'awaken' | 'suspend' | 'reboot' | 'sleep_idle' | 'wake_idle' | 'tier.balance';
  readonly at: Date;
  readonly actorRole: string;
  readonly actorId: string;
  /** The new tier of a change by balance. */
  readonly tier: string | null;
}

export interface TimelineRows {
  readonly sessions: ReadonlyMap<string, ChatSessionRow>;
  readonly runs: ReadonlyMap<string, RunRow>;
  readonly firings: ReadonlyMap<string, FiringOfAgent>;
  readonly content: Content;
  readonly purchases: ReadonlyMap<string, PurchaseRow>;
  readonly judgements: ReadonlyMap<string, EntryRow>;
  readonly measures: ReadonlyMap<string, MeasureOfAgent>;
  readonly pauses: ReadonlyMap<string, PauseOfAgent>;
  readonly acts: ReadonlyMap<string, ActOnAgent>;
}

function byId<Row>(rows: readonly Row[], idOf: (row: Row) => string): ReadonlyMap<string, Row> {
  return new Map(rows.map((row) => [idOf(row), row]));
}

/** Reads one list by ids, and asks nothing if there are none. */
async function readFound<Row>(
  ids: readonly string[],
  read: (ids: string[]) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  return ids.length === 0 ? [] : read([...ids]);
}

async function readFirings(db: Db, agentId: string, ids: string[]): Promise<readonly FiringOfAgent[]> {
  const { rows } = await sql<FiringOfAgent>`
    select firing_id as "firingId", schedule_uid as "scheduleUid", slot, fired_at as "firedAt",
      fired ->> 'run_id' as "runId", fired ->> 'outcome' as outcome
    from firing cross join lateral jsonb_array_elements(runs) fired
    where firing_id = any(${ids}::uuid[]) and fired ->> 'agent_id' = ${agentId}`.execute(db);
  return rows;
}

async function readMeasuresById(db: Db, ids: string[]): Promise<readonly MeasureOfAgent[]> {
  const { rows } = await sql<MeasureOfAgent>`
    select measure_id as "measureId", measure, reason, by_role as "byRole", by_id as "byId", since,
      expires_at as "expiresAt", lifted_at as "liftedAt"
    from standing_measure where measure_id = any(${ids}::uuid[])`.execute(db);
  return rows;
}

async function readPauses(db: Db, ids: string[]): Promise<readonly PauseOfAgent[]> {
  const { rows } = await sql<PauseOfAgent>`
    select pause_id as "pauseId", node, since, ended_at as "endedAt"
    from agent_pause where pause_id = any(${ids}::uuid[])`.execute(db);
  return rows;
}

async function readActs(db: Db, ids: string[]): Promise<readonly ActOnAgent[]> {
  const { rows } = await sql<ActOnAgent>`
    select audit_id as "auditId", action, at, actor_role as "actorRole", actor_id as "actorId",
      case when action = 'tier.balance' then detail ->> 'to' end as tier
    from audit where audit_id = any(${ids}::uuid[])`.execute(db);
  return rows;
}

/** Reads the rows of places. The transaction needs a viewer of the board (setViewer). */
export async function readTimelineRows(
  tx: Tx,
  agentId: string,
  places: readonly TimelinePlace[],
): Promise<TimelineRows> {
  const idsOf = (...sources: TimelinePlace['source'][]): string[] =>
    places.flatMap(({ source, id }) => (sources.includes(source) ? [id] : []));
  const sessions = await readFound(idsOf('session'), (ids) =>
    selectSessions(tx)
      .where(sql<boolean>`session.session_id = any(${ids}::uuid[])`)
      .execute(),
  );
  const firings = await readFound(idsOf('firing'), (ids) => readFirings(tx, agentId, ids));
  const purchases = await readFound(idsOf('purchase'), (ids) => readPurchasesById(tx, ids));
  const judgements = await readFound(idsOf('judgement'), (ids) => readEntriesOf(tx, agentId, ids));
  const measures = await readFound(idsOf('measure'), (ids) => readMeasuresById(tx, ids));
  const pauses = await readFound(idsOf('pause'), (ids) => readPauses(tx, ids));
  const acts = await readFound(idsOf('audit'), (ids) => readActs(tx, ids));
  return {
    sessions: byId(sessions, ({ sessionId }) => sessionId),
    runs: await readRunsById(tx, idsOf('run')),
    firings: byId(firings, ({ firingId }) => firingId),
    content: await readContentOf(tx, idsOf('post'), idsOf('reply')),
    purchases: byId(purchases, ({ purchaseId }) => purchaseId),
    judgements: byId(judgements, ({ transferId }) => transferId),
    measures: byId(measures, ({ measureId }) => measureId),
    pauses: byId(pauses, ({ pauseId }) => pauseId),
    acts: byId(acts, ({ auditId }) => auditId),
  };
}

async function readContentOf(tx: Tx, postIds: readonly string[], replyIds: readonly string[]): Promise<Content> {
  if (postIds.length === 0 && replyIds.length === 0) return { posts: [], replies: [] };
  const { rows } = await sql<{ postId: string; replyId: string }>`
    select post_id as "postId", reply_id as "replyId" from board.reply where reply_id = any(${[...replyIds]}::uuid[])`.execute(
    tx,
  );
  return readContent(tx, [...postIds.map((postId) => ({ postId, replyId: null })), ...rows]);
}
