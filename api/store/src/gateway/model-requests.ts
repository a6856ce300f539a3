import type { ModelOutcome } from '@hamlet/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { prepared } from '../connection/guarded-pool.ts';
import { COLUMNS, type Row } from '../connection/tables.generated.ts';
import type { AuditEntry } from '../writes/audit.ts';

/** Length of the window in which the tokens of an agent are counted. */
export const MODEL_HOUR_S = 3_600;
const KEPT_DAYS = 90;

/** Tokens that an agent has used in its hour, and its requests in flight. `resetsInS` is 0 if no hour has begun. */
export interface ModelHour {
  readonly used: number;
  readonly resetsInS: number;
  readonly inFlight: number;
}

export type ModelRequestRow = Row<'model_request'>;

/** Age in seconds after which a request counts as lost, because its replica must be gone. */
export interface RequestLife {
  readonly limitS: number;
}

/** The model use of an agent in its current hour, read without a lock. */
export async function readModelHour(db: Db, agentId: string, { limitS }: RequestLife): Promise<ModelHour> {
  const { rows } = await sql<ModelHour>`
    select coalesce(hour.used, 0)::int8 as used,
      coalesce(ceil(extract(epoch from hour.began_at + ${MODEL_HOUR_S} * interval '1 second' - now())), 0)::int4 as "resetsInS",
      (select count(*) from model_request where agent_id = ${agentId} and outcome = 'under_way' and started_at > now() - ${limitS} * interval '1 second')::int4 as "inFlight"
    from (select 1) as one
    left join model_hour as hour on hour.agent_id = ${agentId} and hour.began_at > now() - ${MODEL_HOUR_S} * interval '1 second'
  `.execute(db);
  return rows[0] ?? { used: 0, resetsInS: 0, inFlight: 0 };
}

export interface ModelRequestEnd {
  readonly outcome: Exclude<ModelOutcome, 'under_way' | 'lost'>;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

interface EndingRequest {
  readonly requestId: string;
  /** The audit row of the request; null if no provider was asked. */
  readonly line: AuditEntry | null;
  /** The run that the request served, and what it used there. */
  readonly charge?: RunCharge | undefined;
  /** Null if the provider's price is unknown. */
  readonly providerCost?: ProviderCost | null;
}

/** An estimate in millionths of a real currency. */
export interface ProviderCost {
  readonly currency: string;
  readonly micros: bigint;
}

interface RunCharge {
  readonly runId: string;
  readonly tokens: number;
  readonly costMicros: number;
}

/** The same text with and without a cost, because the statements around it are prepared. */
function costColumns(cost: ProviderCost | null | undefined): RawBuilder<unknown> {
  return sql`${cost?.currency ?? null}::text, ${cost?.micros.toString() ?? null}::bigint`;
}

/** Ends a request, frees its unused tokens, charges its run and writes its audit row, in one statement. False if it had already ended and so has its row. */
export async function endModelRequest(
  db: Db,
  { requestId, line, charge, providerCost }: EndingRequest,
  { outcome, promptTokens, completionTokens }: ModelRequestEnd,
): Promise<boolean> {
  const end = sql`end_priced_request(${requestId}, ${outcome}, ${promptTokens}, ${completionTokens}, ${costColumns(providerCost)})`;
  const { rows } =
    line === null
      ? await sql<{ ended: boolean }>`${prepared('end_model_request')} select ${end} as ended`.execute(db)
      : await sql<{ ended: boolean }>`${prepared('end_model_call')}
    with over as materialized (select ${end} as ended),
      charged as (
        update run set tokens = run.tokens + ${charge?.tokens ?? 0}::bigint, cost_micros = run.cost_micros + ${charge?.costMicros ?? 0}::bigint
        from over where over.ended and run.run_id = ${charge?.runId ?? null}::uuid),
      noted as (
        insert into audit (audit_id, actor_role, actor_id, action, object, detail, request_id, traceparent)
        select ${line.auditId}::uuid, ${line.actorRole}, ${line.actorId}, ${line.action}, ${line.object},
          ${JSON.stringify(line.detail)}::jsonb, ${line.requestId}, ${line.traceparent}
        from over where ended)
    select ended from over`.execute(db);
  return rows[0]?.ended === true;
}

export async function readModelRequests(db: Db, agentId: string, limit: number): Promise<readonly ModelRequestRow[]> {
  return db
    .selectFrom('model_request')
    .select(COLUMNS.model_request)
    .where('agent_id', '=', agentId)
    .orderBy('request_id', 'desc')
    .limit(limit)
    .execute();
}

/** An agent with requests under way at a provider. */
export interface AskingAgentRow {
  readonly provider: string;
  readonly agentId: string;
  readonly requests: number;
}

/** The agents with requests under way, by provider, those with the most requests first. */
export async function readAskingAgents(
  db: Db,
  { limitS }: RequestLife,
  atMost: number,
): Promise<readonly AskingAgentRow[]> {
  const { rows } = await sql<AskingAgentRow>`
    select provider, agent_id as "agentId", count(*)::int4 as requests
    from model_request
    where outcome = 'under_way' and started_at > now() - ${limitS} * interval '1 second'
    group by provider, agent_id
    order by provider, requests desc, agent_id
    limit ${atMost}`.execute(db);
  return rows;
}

/** A request whose replica has vanished, so its answer is unknown. */
export type LostRequest = Pick<
  ModelRequestRow,
  'requestId' | 'agentId' | 'runId' | 'model' | 'provider' | 'reservedTokens'
>;

/** Marks requests of vanished replicas as lost; their reserved tokens count as used. */
export async function markLostModelRequests(tx: Tx, { limitS }: RequestLife): Promise<readonly LostRequest[]> {
  return tx
    .updateTable('model_request')
    .set({ outcome: 'lost', ended_at: sql<Date>`clock_timestamp()` })
    .where('outcome', '=', 'under_way')
    .where('started_at', '<', sql<Date>`now() - ${limitS} * interval '1 second'`)
    .returning([
      'request_id as requestId',
      'agent_id as agentId',
      'run_id as runId',
      'model',
      'provider',
      'reserved_tokens as reservedTokens',
    ])
    .execute();
}

export async function forgetOldModelRequests(db: Db): Promise<void> {
  await db
    .deleteFrom('model_request')
    .where('ended_at', '<', sql<Date>`now() - ${KEPT_DAYS} * interval '1 day'`)
    .execute();
}
