import { randomUUID } from 'node:crypto';
import type { AgentTokenAnswer } from '@hamlet/contract';
import { insertAgentSession, openLife, raiseCycle, readBars } from '@hamlet/store';
import type { Db } from '@hamlet/store';
import { accepted, refused } from '../http/outcome.ts';
import type { Outcome } from '../http/outcome.ts';
import { refusalOfBar } from '../standing/bar-refusal.ts';
import { AGENT_TOKEN_PREFIX } from './authenticate.ts';
import { hashOf, newSecret } from './secrets.ts';
import type { TokenReviewer } from './token-reviewer.ts';

const TOKEN_LIFE_MS = 300_000;

/** Trades a pod's projected token for a five-minute token of the life and cycle that the pod lives. */
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
