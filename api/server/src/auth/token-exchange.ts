import { randomUUID } from 'node:crypto';
import type { AgentTokenAnswer } from '@hamlet/contract';
import { insertAgentSession, openLife, raiseCycle, readBars, findApiKeys, type Db } from '@hamlet/store';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import { refusalOfBar } from '../standing/bar-refusal.ts';
import { AGENT_TOKEN_PREFIX } from './authenticate.ts';
import { hashOf, newSecret } from './secrets.ts';
import type { AgentSource } from '../agents/agent-source.ts';

export interface ReviewedAgent {
  readonly agentId: string;
  readonly uid: string;
  readonly podUid: string | null;
  readonly cycle: number;
}

type ServiceRole = 'operator' | 'broker';

/** Finds the owner of a projected token by asking its issuer. It never trusts a name from the caller. */
export interface TokenReviewer {
  reviewAgent(token: string): Promise<Outcome<ReviewedAgent>>;
  reviewService(token: string): Promise<ServiceRole | null>;
}

const TOKEN_LIFE_MS = 300_000;

export async function exchangeToken(
  ports: { readonly db: Db; readonly reviewer: TokenReviewer },
  projected: string,
  now: Date,
): Promise<Outcome<AgentTokenAnswer>> {
  const { db, reviewer } = ports;
  const reviewed = await reviewer.reviewAgent(projected);
  if (!reviewed.ok) return reviewed;
  const { agentId, uid, podUid, cycle } = reviewed.data;
  const bar = (await readBars(db, [agentId])).get(agentId);
  if (bar !== undefined) return refusalOfBar(agentId, bar);
  if ((await openLife(db, uid, agentId)) === null)
    return refused('token_not_from_pod', 'This life of the agent has ended');
  const current = await raiseCycle(db, uid, cycle);
  if (current !== null && current > cycle) return refused('stale_cycle');
  const token = newSecret(AGENT_TOKEN_PREFIX);
  const expiresAt = new Date(now.getTime() + TOKEN_LIFE_MS);
  await insertAgentSession(db, { tokenHash: hashOf(token), jti: randomUUID(), agentId, uid, podUid, cycle, expiresAt });
  return accepted({ access_token: token, expires_at: expiresAt.toISOString(), agent_id: agentId, uid, cycle });
}

export function createDevReviewer(db: Db, source: Pick<AgentSource, 'get'>): TokenReviewer {
  return {
    reviewAgent: async (token) => {
      const [key] = await findApiKeys(db, [hashOf(token)]);
      if (key?.role !== 'agent' || key.agentId === null) return refused('token_review_refused');
      const record = source.get(key.agentId);
      if (record === null)
        return refused(
          'token_not_from_pod',
          `There is no agent ${key.agentId}: create it, or use the key of another agent`,
        );
      return accepted({ agentId: record.agentId, uid: record.uid, podUid: null, cycle: record.status.cycle ?? 0 });
    },
    reviewService: async (token) => {
      const role = (await findApiKeys(db, [hashOf(token)]))[0]?.role;
      return role === 'operator' || role === 'broker' ? role : null;
    },
  };
}
