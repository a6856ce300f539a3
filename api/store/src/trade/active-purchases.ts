import type { ActivePurchase } from '@hamlet/core';
import type { Quota } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { prepared } from '../connection/guarded-pool.ts';
import { firstRow } from '../connection/result-rows.ts';

/** Seconds ahead whose purchases are also read, for callers that cache the answer for some seconds. */
const AHEAD = sql`interval '5 seconds'`;

interface ActivePurchases {
  /** The database's clock in ms since 1970 at the read; add the time since then to find the active purchases. */
  readonly readAtMs: number;
  of(agentId: string): readonly ActivePurchase[];
}

interface Raw {
  readonly agentId: string;
  readonly kind: ActivePurchase['kind'];
  readonly limit: Quota | null;
  readonly amount: number | null;
  readonly model: string | null;
  readonly fromMs: number;
  readonly untilMs: number;
}

function activeOf({ kind, limit, amount, model, fromMs, untilMs }: Raw): ActivePurchase {
  const lasts = { fromMs, untilMs };
  if (kind === 'quota' && limit !== null && amount !== null) return { ...lasts, kind, limit, amount };
  if (kind === 'model' && model !== null) return { ...lasts, kind, model };
  if (kind === 'priority' || kind === 'gpu') return { ...lasts, kind };
  throw new Error(`a purchase of the kind ${kind} has no limit, amount or model`);
}

/** Purchases of agents that are active now or begin within seconds, in one query. */
export async function activePurchases(db: Db, agentIds: readonly string[]): Promise<ActivePurchases> {
  const ms = (at: ReturnType<typeof sql>): ReturnType<typeof sql<number>> =>
    sql<number>`(extract(epoch from ${at}) * 1000)::float8`;
  const { rows } = await sql<{ readAtMs: number; all: readonly Raw[] | null }>`${prepared('active_purchase')}
    select ${ms(sql`t.now`)} as "readAtMs", (
      select jsonb_agg(jsonb_build_object('agentId', agent_id, 'kind', kind, 'limit', quota, 'amount', amount, 'model', model,
        'fromMs', ${ms(sql`lower(during)`)}, 'untilMs', ${ms(sql`upper(during)`)}) order by purchase_id)
      from purchase where agent_id = any (${agentIds as string[]}) and during && tstzrange(t.now, t.now + ${AHEAD}, '[]')
    ) as all
    from (select clock_timestamp() as now) t`.execute(db);
  const row = firstRow(rows, 'the database returned no row for its clock');
  const byAgent = Map.groupBy(row.all ?? [], ({ agentId }) => agentId);
  return { readAtMs: row.readAtMs, of: (agentId) => (byAgent.get(agentId) ?? []).map(activeOf) };
}
