import { formatAiDollars, parseAiDollars, type EntitlementSpec } from '@hamlet/contract';
import { tierOfBalance, type BalanceTier } from '@hamlet/core';
import {
  announceStandings,
  inTransaction,
  lockTiers,
  readBalances,
  readTiers,
  recordAudits,
  writeTiers,
} from '@hamlet/store';
import type { AuditEntry, TierRow, Tx } from '@hamlet/store';
import { actingAs, lineOf } from '../audit/record-act.ts';
import { repeat } from '../service/single-flight.ts';
import type { Services } from '../service/services.ts';

const AT_ONCE = 200;
const EVERY_MS = 1_000;
const FULL_EVERY_MS = 60_000;

interface TierSource {
  entitlements(): readonly { readonly name: string; readonly spec: Pick<EntitlementSpec, 'rank' | 'minBalance'> }[];
}

export interface BalanceTiers {
  /** Call it last in the transaction: it takes the lock that orders internal events until the commit. */
  recompute(tx: Tx, agentIds: readonly string[]): Promise<void>;
}

export interface BalanceTierSync extends BalanceTiers {
  stop(): Promise<void>;
}

interface TierSyncPorts extends Pick<Services, 'db' | 'log' | 'monotonicMs'> {
  readonly source: TierSource & { readonly ready: boolean; list(): readonly { readonly agentId: string }[] };
}

export function balanceTiers(source: TierSource): readonly BalanceTier[] {
  return source
    .entitlements()
    .map(({ name, spec }) => ({ name, rank: spec.rank, minBalance: parseAiDollars(spec.minBalance) }));
}

function changedTiers(
  rows: readonly TierRow[],
  balances: ReadonlyMap<string, bigint>,
  tiers: readonly BalanceTier[],
): readonly TierRow[] {
  return rows.flatMap((row) => {
    const balanceTier = tierOfBalance(tiers, balances.get(row.agentId) ?? 0n, row.balanceTier);
    return balanceTier === row.balanceTier ? [] : [{ agentId: row.agentId, balanceTier }];
  });
}

function lineOfTier(
  { agentId, balanceTier }: TierRow,
  { from, balance }: { readonly from: string | null; readonly balance: bigint },
): AuditEntry {
  const detail = { agent_id: agentId, from, to: balanceTier, balance: formatAiDollars(balance) };
  return lineOf(actingAs('system', 'system'), { action: 'tier.balance', object: `tier ${agentId}`, detail });
}

/** Also compares all tiers after a change of Entitlements or agents. Several replicas may do so at once. */
export function startBalanceTierSync(ports: TierSyncPorts): BalanceTierSync {
  const { db, source, log, monotonicMs } = ports;

  async function recompute(tx: Tx, agentIds: readonly string[]): Promise<void> {
    // Before the first read of the Entitlements, every agent would lose its tier.
    if (!source.ready) return;
    // Take the lock before reading the balances, so that a later posting waits for it.
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

  let compared = { state: '', ms: -Infinity };

  /** Compares all tiers if the Entitlements or the list of agents have changed, and once a minute. */
  async function compareIfDue(): Promise<void> {
    if (!source.ready) return;
    const thresholds = source.entitlements().map(({ name, spec }) => [name, spec.rank, spec.minBalance]);
    const state = JSON.stringify([thresholds, source.list().map(({ agentId }) => agentId)]);
    const nowMs = monotonicMs();
    if (state === compared.state && nowMs - compared.ms < FULL_EVERY_MS) return;
    await compareAll();
    compared = { state, ms: nowMs };
  }

  const failed = (error: unknown): void =>
    log('warn', 'the tiers were not compared with the balances; the API retries', { error });
  return { recompute, stop: repeat(EVERY_MS, compareIfDue, failed) };
}
