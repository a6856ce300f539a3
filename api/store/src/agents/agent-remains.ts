import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { firstRow } from '../connection/result-rows.ts';

/** Numbers of the things that belong to an agent. */
export interface AgentRemains {
  /** Conversations with it that have not ended; they go by its name, so a new agent of the name continues them. */
  readonly conversations: number;
  /** Tasks of this life that have not ended. */
  readonly tasks: number;
  /** Memories that the village knows of this life; the agent has them in its volume. */
  readonly memories: number;
}

export async function readAgentRemains(
  db: Db,
  { agentId, uid }: { readonly agentId: string; readonly uid: string },
): Promise<AgentRemains> {
  const { rows } = await sql<AgentRemains>`
    select
      (select count(*)::int from session where agent_id = ${agentId} and terminated_at is null) as conversations,
      (select count(*)::int from run where agent_id = ${agentId} and agent_uid = ${uid}
        and state in ('queued', 'running', 'waiting_permission')) as tasks,
      (select count(*)::int from agent_memory where agent_uid = ${uid}) as memories
  `.execute(db);
  return firstRow(rows, 'an aggregate has one row');
}
