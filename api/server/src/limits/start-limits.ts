import type { AgentSource } from '../agents/agent-source.ts';
import type { RateLimiter } from '../http/rate-limit.ts';
import { registerGauges } from '../service/metrics.ts';
import { repeat } from '../service/single-flight.ts';
import { boughtLimits } from '../agents/bought-limits.ts';
import { createActorLimiter } from './actor-limiter.ts';
import { createAgentLimits, type AgentLimits } from './agent-limits.ts';
import { openSharedWindows, type SharedWindows } from './shared-windows.ts';
import type { Services } from '../service/services.ts';
import type { ReadLimitReached } from '../agents/agent-handlers.ts';

function readLimitReached(ports: {
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

const READ_AHEAD_MS = 500;

interface LimitsStart extends Pick<Services, 'db' | 'registry' | 'log' | 'monotonicMs'> {
  readonly config: { readonly redisUrl: string; readonly requestsPerMinute: number };
  readonly source: AgentSource;
  readonly local: RateLimiter;
}

export function startLimits({ config, db, source, local, registry, log, monotonicMs }: LimitsStart) {
  const windows = openSharedWindows(config.redisUrl, { log, monotonicMs });
  const limits = createAgentLimits({
    source,
    bought: (agentIds, tx) => boughtLimits(tx ?? db, agentIds, monotonicMs),
    monotonicMs,
  });
  // The next call reads the purchases itself, and reports the error.
  const stopReading = repeat(READ_AHEAD_MS, limits.readAhead, (error) =>
    log('debug', 'purchases of agents could not be refreshed; the next call reads them', { error }),
  );
  registerGauges(registry, {
    hamlet_limits_shared: {
      help: '1 while requests are counted by all replicas together',
      read: () => (windows.reachable ? 1 : 0),
    },
  });
  return {
    limits,
    limitActor: createActorLimiter({
      windows,
      local,
      limits,
      requestsPerMinute: config.requestsPerMinute,
      monotonicMs,
    }),
    limitReached: readLimitReached({ windows, limits, now: Date.now }),
    stop: async () => {
      windows.close();
      await stopReading();
    },
  };
}
