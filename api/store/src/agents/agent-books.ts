import type { Boost, Presence, Standing } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Tx } from '../connection/database.ts';
import { readClaims, type ClaimRow } from '../trade/compute-claims.ts';
import { readStandings } from '../standing/measures.ts';
import { readBoosts } from '../trade/boosts.ts';
import { readPresence, wireOf } from './presence.ts';

interface AgentBooksRow {
  readonly agentId: string;
  /** Uid of the agent's open life; null if none is open. */
  readonly lifeUid: string | null;
  readonly standing: Standing | null;
  readonly presence: Presence | null;
  readonly boost: Boost | null;
  readonly claim: ClaimRow | null;
}

interface Named {
  readonly agentId: string;
  readonly lifeUid: string | null;
}

/** Reads the facts of at most `limit` agents, by name; skips agents without facts. */
export async function readAgentBooks(
  tx: Tx,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly AgentBooksRow[]> {
  // Each branch reads at most one page, so the cost does not grow with the number of agents.
  const { rows } = await sql<Named>`
    with named as (
      (select distinct agent_id from agent_life where closed_at is null and agent_id > ${after} order by agent_id limit ${limit})
      union (select agent_id from agent_tier where agent_id > ${after} order by agent_id limit ${limit})
      union (select distinct agent_id from standing_measure where lifted_at is null and agent_id > ${after} order by agent_id limit ${limit})
      union (select agent_id from agent_presence where agent_id > ${after} order by agent_id limit ${limit})
      union (select agent_id from compute_claim where agent_id > ${after} order by agent_id limit ${limit})
    )
    select agent_id as "agentId", (select l.uid from agent_life l where l.agent_id = named.agent_id and l.closed_at is null limit 1) as "lifeUid"
    from named order by agent_id limit ${limit}`.execute(tx);
  const names = rows.map(({ agentId }) => agentId);
  const standings = byName(await readStandings(tx, names), ({ agent_id: agentId }) => agentId);
  const presences = byName(await readPresence(tx, names), ({ agentId }) => agentId);
  const boosts = byName(await readBoosts(tx, names), ({ agent_id: agentId }) => agentId);
  const claims = byName(await readClaims(tx, names), ({ agentId }) => agentId);
  return rows.map(({ agentId, lifeUid }) => {
    const presence = presences.get(agentId);
    return {
      agentId,
      lifeUid,
      standing: standings.get(agentId) ?? null,
      presence: presence === undefined ? null : wireOf(presence),
      boost: boosts.get(agentId) ?? null,
      claim: claims.get(agentId) ?? null,
    };
  });
}

function byName<T>(rows: readonly T[], name: (row: T) => string): ReadonlyMap<string, T> {
  return new Map(rows.map((row) => [name(row), row]));
}
