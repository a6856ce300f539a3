import { findApiKeys } from '@hamlet/store';
import type { Db } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import { accepted, refused } from '../http/outcome.ts';
import { hashOf } from './secrets.ts';
import type { TokenReviewer } from './token-reviewer.ts';

/** Takes API keys of the role agent for projected tokens: where there is no cluster to ask (make dev, tests). */
export function createDevReviewer(db: Db, source: Pick<AgentSource, 'get'>): TokenReviewer {
  return {
    reviewAgent: async (token) => {
      const [key] = await findApiKeys(db, [hashOf(token)]);
      if (key?.role !== 'agent' || key.agentId === null) return refused('token_review_refused');
      const record = source.get(key.agentId);
      if (record === null) return refused('token_not_from_pod', `There is no agent ${key.agentId}`);
      return accepted({ agentId: record.agentId, uid: record.uid, podUid: null, cycle: record.status.cycle ?? 0 });
    },
    reviewOperator: async (token) => (await findApiKeys(db, [hashOf(token)]))[0]?.role === 'operator',
  };
}
