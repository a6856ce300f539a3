import type { Boost } from '@hamlet/contract';
import { sql } from 'kysely';
import { addInternalEvents, lockInternalEvents } from '../writes/internal-events.ts';
import type { Db, Tx } from '../connection/database.ts';

interface Raw {
  readonly agentId: string;
  readonly priority: boolean;
  readonly gpu: { readonly resource_name: string; readonly count: number } | null;
  readonly until: Date;
}

/** Active purchases that affect pods and seats, without agents that have none. */
export async function readBoosts(db: Db, agentIds?: readonly string[]): Promise<readonly Boost[]> {
  const { rows } = await sql<Raw>`
    with lasting as (
      select p.agent_id, p.kind, p.during, w.resource_name, w.count, p.purchase_id from purchase p left join gpu_window w using (window_id)
      where p.kind in ('priority', 'gpu') and p.during @> clock_timestamp() and (${agentIds === undefined} or p.agent_id = any (${(agentIds ?? []) as string[]}))
    ),
    -- Concurrent windows of one resource add up. If there are two resources, the first purchase counts, because a pod requests only one.
    gpu as (
      select distinct on (agent_id) agent_id, jsonb_build_object('resource_name', resource_name, 'count', least(sum(count), 16)) as gpu
      from lasting where kind = 'gpu' group by agent_id, resource_name order by agent_id, min(purchase_id::text)
    )
    select l.agent_id as "agentId", bool_or(l.kind = 'priority') as priority, (select g.gpu from gpu g where g.agent_id = l.agent_id) as gpu, min(upper(l.during)) as until
    from lasting l group by l.agent_id order by l.agent_id`.execute(db);
  return rows.map(({ agentId, priority, gpu, until }) => ({
    agent_id: agentId,
    priority,
    gpu,
    until: until.toISOString(),
  }));
}

/** Notifies the operator of these agents' boosts. Call it last: it takes the lock that orders internal events. */
export async function announceBoosts(tx: Tx, agentIds: readonly string[]): Promise<void> {
  if (agentIds.length === 0) return;
  await lockInternalEvents(tx);
  const boosts = new Map((await readBoosts(tx, agentIds)).map((boost) => [boost.agent_id, boost]));
  const all = [...new Set(agentIds)]
    .toSorted()
    .map((agentId): Boost => boosts.get(agentId) ?? { agent_id: agentId, priority: false, gpu: null, until: null });
  await addInternalEvents(tx, 'boost', all);
}

interface PurchaseNews {
  readonly purchaseId: string;
  readonly agentId: string;
  readonly kind: string;
  readonly told: 'begun' | 'ended';
}

/** Marks due starts and ends of purchases as announced. The caller announces the returned purchases. */
export async function takePurchaseNews(tx: Tx, atMost: number): Promise<readonly PurchaseNews[]> {
  const { rows } = await sql<PurchaseNews>`
    update purchase p set told = case when upper(p.during) <= clock_timestamp() then 'ended' else 'begun' end
    where p.purchase_id in (
      select purchase_id from purchase where told <> 'ended' and (case told when 'nothing' then lower(during) else upper(during) end) <= clock_timestamp()
      order by (case told when 'nothing' then lower(during) else upper(during) end) limit ${atMost} for update skip locked)
    returning p.purchase_id as "purchaseId", p.agent_id as "agentId", p.kind, p.told`.execute(tx);
  return rows;
}
