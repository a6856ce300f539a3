import type { Db } from '@hamlet/store';
import type { Registry } from 'prom-client';
import type { AgentSource } from '../agents/agent-source.ts';
import type { Config } from '../config.ts';
import type { RateLimiter } from '../http/admission/rate-limit.ts';
import type { Log } from '../service/log.ts';
import { registerGauges } from '../service/metrics.ts';
import { boughtLimits } from '../trade/bought-limits.ts';
import { createActorLimiter } from './actor-limiter.ts';
import type { ActorLimiter } from './actor-limiter.ts';
import { createAgentLimits } from './agent-limits.ts';
import type { AgentLimits } from './agent-limits.ts';
import { openSharedWindows } from './shared-windows.ts';

export interface LimitsStart {
  readonly db: Db;
  readonly config: Pick<Config, 'redisUrl' | 'requestsPerMinute'>;
  readonly source: AgentSource;
  /** What this replica counts by itself. */
  readonly local: RateLimiter;
  readonly registry: Registry;
  readonly log: Log;
  readonly monotonicMs: () => number;
}

/** What agents may use, and the count of what they and people ask. */
export interface RunningLimits {
  readonly limits: AgentLimits;
  readonly limitActor: ActorLimiter;
  stop(): void;
}

export function startLimits({ config, db, source, local, registry, log, monotonicMs }: LimitsStart): RunningLimits {
  const windows = openSharedWindows(config.redisUrl, { log, monotonicMs });
  const limits = createAgentLimits({
    source,
    bought: async (agentId) => (await boughtLimits(db, [agentId], monotonicMs))(agentId),
    monotonicMs,
  });
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
    stop: () => windows.close(),
  };
}
