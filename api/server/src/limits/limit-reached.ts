import type { ReadLimitReached } from '../agents/agent-handlers.ts';
import type { AgentLimits } from './agent-limits.ts';
import type { SharedWindows } from './shared-windows.ts';

export function readLimitReached(ports: {
  readonly windows: Pick<SharedWindows, 'read'>;
  readonly limits: Pick<AgentLimits, 'of'>;
  readonly now: () => number;
}): ReadLimitReached {
  const { windows, limits, now } = ports;
  return async (agentId) => {
    const [counted, allowance] = await Promise.all([windows.read(`agent ${agentId}`), limits.of(agentId)]);
    const quota = allowance?.limits.requests_per_minute ?? 0;
    if (counted === null || allowance === null || counted.count <= quota) return null;
    return { limit: 'requests_per_minute', quota, until: new Date(now() + counted.endsInMs).toISOString() };
  };
}
