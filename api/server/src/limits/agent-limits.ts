import type { Limits, TierPrice } from '@hamlet/contract';
import { isConnectionError, type Tx } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import type { RaiseLimits } from '../agents/bought-limits.ts';
import { limitsOf } from '../agents/describe-agent.ts';

export interface Allowance {
  readonly tier: string;
  /** Rank of the tier: a higher one goes first where requests wait. */
  readonly rank: number;
  readonly limits: Limits;
  readonly price: TierPrice;
}

/** The limits of agents. A purchase counts within a second, and at once on the replica that sold it. */
export interface AgentLimits {
  /**
   * Null for an unknown agent, and for an agent without a tier. A transaction passes itself: transactions that
   * wait for second connections would block one another once they hold all of the pool.
   */
  of(agentId: string, tx?: Tx): Promise<Allowance | null>;
  forget(agentId: string): void;
}

export type ReadBought = (agentIds: readonly string[], tx?: Tx) => Promise<(agentId: string) => RaiseLimits>;

interface Remembered {
  readonly raise: Promise<RaiseLimits>;
  /** Undefined while `raise` is pending. */
  known?: RaiseLimits;
  readonly atMs: number;
  usedMs: number;
}

interface AgentLimitsPorts {
  readonly source: Pick<AgentSource, 'get' | 'entitlement'>;
  readonly bought: ReadBought;
  readonly monotonicMs: () => number;
}

const FRESH_MS = 1_000;
const REMEMBERED_MAX = 10_000;
/** Agents that asked within this time are refreshed, up to this number. */
const ACTIVE_MS = 10_000;
const ACTIVE_MAX = 1_000;

/** `readAhead` refreshes the purchases of active agents, so that their calls need not wait. Call it more than once a second. */
interface CachedLimits extends AgentLimits {
  readAhead(): Promise<void>;
}

const NOTHING_BOUGHT: RaiseLimits = (limits) => limits;

/** Caches purchases for a second. The tier itself comes from memory each time. */
export function createAgentLimits({ source, bought, monotonicMs }: AgentLimitsPorts): CachedLimits {
  const remembered = new Map<string, Remembered>();

  function freshOf(agentId: string, nowMs: number): Remembered | null {
    const before = remembered.get(agentId);
    if (before === undefined) return null;
    before.usedMs = nowMs;
    return nowMs - before.atMs < FRESH_MS ? before : null;
  }

  async function boughtWithin(tx: Tx, agentId: string): Promise<RaiseLimits> {
    return freshOf(agentId, monotonicMs())?.known ?? (await bought([agentId], tx))(agentId);
  }

  function boughtBy(agentId: string): Promise<RaiseLimits> {
    const nowMs = monotonicMs();
    const before = freshOf(agentId, nowMs);
    if (before !== null) return before.raise;
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    const raise = bought([agentId]).then(
      (of) => (entry.known = of(agentId)),
      (error: unknown) => {
        // Without Postgres only the tier applies, which never allows more. After a second the next call reads again.
        if (isConnectionError(error)) return NOTHING_BOUGHT;
        remembered.delete(agentId);
        throw error;
      },
    );
    const entry: Remembered = { raise, atMs: nowMs, usedMs: nowMs };
    remembered.set(agentId, entry);
    return raise;
  }

  async function readAhead(): Promise<void> {
    const atMs = monotonicMs();
    const active = [...remembered].filter(([, { usedMs }]) => atMs - usedMs < ACTIVE_MS).slice(0, ACTIVE_MAX);
    if (active.length === 0) return;
    const of = await bought(active.map(([agentId]) => agentId));
    for (const [agentId, before] of active) {
      // If the entry was dropped meanwhile, the agent has just bought something that this read may lack.
      if (remembered.get(agentId) !== before) continue;
      const known = of(agentId);
      remembered.set(agentId, { raise: Promise.resolve(known), known, atMs, usedMs: before.usedMs });
    }
  }

  return {
    of: async (agentId, tx) => {
      const tier = source.get(agentId)?.status.tier;
      const spec = tier === undefined ? null : source.entitlement(tier);
      const limits = limitsOf(spec);
      if (tier === undefined || spec === null || limits === null) return null;
      return {
        tier,
        rank: spec.rank,
        limits: (await (tx === undefined ? boughtBy(agentId) : boughtWithin(tx, agentId)))(limits),
        price: { per_hour: spec.price.perHour, per_thousand_tokens: spec.price.perThousandTokens },
      };
    },
    forget: (agentId) => void remembered.delete(agentId),
    readAhead,
  };
}
