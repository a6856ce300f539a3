import { randomUUID } from 'node:crypto';
import { formatAiDollars, parseAiDollars } from '@hamlet/contract';
import { tierOfBalance } from '@hamlet/core';
import type { BalanceTier } from '@hamlet/core';
import { announceStandings, inTransaction, lockTiers, readTiers, recordAudits, writeTiers } from '@hamlet/store';
import type { AuditEntry, Db, TierRow, Tx } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import type { Log } from '../service/log.ts';

/** Agents whose tiers are written in one transaction. */
const AT_ONCE = 200;
const EVERY_MS = 1_000;
/** Everything is compared again this often, whatever was heard. */
const FULL_EVERY_MS = 60_000;

/** What accounts hold in micro-aiDollars; an agent without an account is left out and counts as nothing. */
export type ReadBalances = (db: Db, agentIds: readonly string[]) => Promise<ReadonlyMap<string, bigint>>;

/** Keeps the tier that each balance opens. */
export interface StandingKeeper {
  /**
   * Computes the tiers of agents from their balances, in the transaction that moved them, and tells the operator with it. Call it last: from
   * here on the transaction holds the lock that orders internal events.
   */
  recompute(tx: Tx, agentIds: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

export interface KeeperPorts {
  readonly db: Db;
  readonly source: AgentSource;
  readonly readBalances: ReadBalances;
  readonly log: Log;
  readonly monotonicMs: () => number;
}

/** The Entitlements as a balance sees them. */
export function balanceTiers(source: AgentSource): readonly BalanceTier[] {
  return source
    .entitlements()
    .map(({ name, spec }) => ({ name, rank: spec.rank, minBalance: parseAiDollars(spec.minBalance) }));
}

/** The rows that ought to be another tier. Pure. */
export function changedTiers(
  rows: readonly TierRow[],
  balances: ReadonlyMap<string, bigint>,
  tiers: readonly BalanceTier[],
): readonly TierRow[] {
  return rows.flatMap((row) => {
    const balanceTier = tierOfBalance(tiers, balances.get(row.agentId) ?? 0n, row.balanceTier);
    return balanceTier === row.balanceTier ? [] : [{ agentId: row.agentId, balanceTier }];
  });
}

/** The line of a tier that a balance, or a moved threshold, has changed: the village does it, and nobody asked for it. */
function lineOfTier(
  { agentId, balanceTier }: TierRow,
  { from, balance }: { readonly from: string | null; readonly balance: bigint },
): AuditEntry {
  const auditId = randomUUID();
  const detail = { agent_id: agentId, from, to: balanceTier, balance: formatAiDollars(balance) };
  return {
    auditId,
    actorRole: 'system',
    actorId: 'system',
    action: 'tier.balance',
    object: `tier ${agentId}`,
    detail,
    requestId: auditId,
    traceparent: null,
  };
}

/** Follows postings (by being called), Entitlements and new agents (by looking). Several replicas may do so at once: each only writes what differs. */
export function createStandingKeeper(ports: KeeperPorts): StandingKeeper {
  const { db, source, readBalances, log, monotonicMs } = ports;

  async function recompute(tx: Tx, agentIds: readonly string[]): Promise<void> {
    // Entitlements that were not read yet would open nothing to anybody; once they are, everything is compared.
    if (!source.ready) return;
    // Locked before the balances are read: a posting that is seen has computed its own tier, one that is not will wait for this.
    const rows = await lockTiers(tx, agentIds);
    const balances = new Map(rows.map(({ agentId, balance }) => [agentId, balance]));
    const changed = changedTiers(rows, balances, balanceTiers(source));
    if (changed.length === 0) return;
    await writeTiers(tx, changed);
    await recordAudits(
      tx,
      changed.map((row) =>
        lineOfTier(row, {
          from: rows.find(({ agentId }) => agentId === row.agentId)?.balanceTier ?? null,
          balance: balances.get(row.agentId) ?? 0n,
        }),
      ),
    );
    await announceStandings(
      tx,
      changed.map(({ agentId }) => agentId),
    );
  }

  /** Recomputes the agents that stand otherwise than their balances and the Entitlements say. */
  async function compareAll(): Promise<void> {
    const agentIds = source.list().map(({ agentId }) => agentId);
    const kept = new Map((await readTiers(db)).map((row) => [row.agentId, row]));
    const rows = agentIds.map((agentId): TierRow => kept.get(agentId) ?? { agentId, balanceTier: null });
    const behind = changedTiers(rows, await readBalances(db, agentIds), balanceTiers(source)).map(
      ({ agentId }) => agentId,
    );
    for (let start = 0; start < behind.length; start += AT_ONCE) {
      await inTransaction(db, (tx) => recompute(tx, behind.slice(start, start + AT_ONCE)));
    }
  }

  return { recompute, stop: follow({ source, monotonicMs, compareAll, log }) };
}

/** Compares everything whenever an Entitlement's threshold or the list of agents has changed, and once a minute. Returns what ends it. */
function follow(
  ports: Pick<KeeperPorts, 'source' | 'monotonicMs' | 'log'> & { readonly compareAll: () => Promise<void> },
): () => Promise<void> {
  const { source, monotonicMs, compareAll, log } = ports;
  let compared = { what: '', ms: -Infinity };
  let running: Promise<void> | null = null;

  async function look(): Promise<void> {
    if (!source.ready) return;
    const thresholds = source.entitlements().map(({ name, spec }) => [name, spec.rank, spec.minBalance]);
    const what = JSON.stringify([thresholds, source.list().map(({ agentId }) => agentId)]);
    const nowMs = monotonicMs();
    if (what === compared.what && nowMs - compared.ms < FULL_EVERY_MS) return;
    await compareAll();
    compared = { what, ms: nowMs };
  }
  const nudge = (): void => {
    running ??= look()
      .catch((error: unknown) => log('warn', 'the tiers of balances were not compared', { error }))
      .finally(() => {
        running = null;
      });
  };

  const timer = setInterval(nudge, EVERY_MS);
  nudge();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
