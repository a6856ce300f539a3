import type { Bar, Measure } from '@hamlet/contract';
import type { AgentBar } from '@hamlet/store';
import { refused, type Refused } from '../http/outcome.ts';

export const CODE_OF_MEASURE: Readonly<Record<Measure, Bar>> = {
  kill: 'agent_killed',
  ban: 'agent_banned',
  quarantine: 'agent_quarantined',
  freeze: 'agent_frozen',
  revoke_token: 'token_revoked',
};

export function refusalOfBar(agentId: string, { measure, reason, expiresAt }: AgentBar): Refused {
  const until = expiresAt === null ? 'until it is lifted' : `until ${expiresAt.toISOString()}`;
  return refused(CODE_OF_MEASURE[measure], `${agentId}: ${reason} (${until})`);
}
