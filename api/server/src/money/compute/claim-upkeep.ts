import type { ComputeClaim } from '@hamlet/contract';
import { afterRefusedRenewal, holdAmount, isOrphan, upkeepOf } from '@hamlet/core';
import type { ClaimedAgent, PricedTier, Upkeep } from '@hamlet/core';
import { attempt, inTransaction, readBars, readClaimFaults, readClaims } from '@hamlet/store';
import type { ClaimHold, ClaimRow, Db, Tx } from '@hamlet/store';
import type { AgentRecord, AgentSource } from '../../agents/agent-source.ts';
import type { FreezeCache } from '../../freeze/freeze-cache.ts';
import { claimView, type SnapshotPart } from '../../operator/internal-feed.ts';
import { registerGauges } from '../../service/metrics.ts';
import { job, sharedJob, type Job } from '../../service/jobs.ts';
import { z } from 'zod';
import type { BalanceTiers } from '../../standing/balance-tier-sync.ts';
import { endHold, spendable, takeHold } from './claim-money.ts';
import { heldOf, pricedTiers } from './claim-view.ts';
import type { ComputeClaims, LockedClaim } from './compute-claims.ts';
import type { Services } from '../../service/services.ts';

export interface UpkeepPorts {
  readonly db: Db;
  readonly source: Pick<AgentSource, 'get'>;
  readonly tiers: BalanceTiers;
  readonly claims: ComputeClaims;
}

export function claimedAgent(record: AgentRecord | null): ClaimedAgent | null {
  if (record === null) return null;
  const { uid, deleting, status } = record;
  return { uid, deleting, awake: status.power === 'Awake', tier: status.tier ?? null };
}

const isWanted = ({ source }: UpkeepPorts, { agentId, uid }: ClaimRow): boolean => {
  const agent = source.get(agentId);
  return agent?.uid === uid && agent.spec.power === 'Awake' && !agent.deleting;
};

function dueWork(ports: UpkeepPorts, row: ClaimRow, now: Date): Upkeep {
  const { source } = ports;
  const { terms } = ports.claims;
  const [nowMs, askedMs] = [now.getTime(), row.askedAt.getTime()];
  if (row.hold === null) return isWanted(ports, row) || nowMs - askedMs <= terms.settleInMs ? 'none' : 'end';
  if (isOrphan(heldOf(row, row.hold), { agent: claimedAgent(source.get(row.agentId)), askedMs, nowMs }, terms))
    return 'end';
  return upkeepOf({ untilMs: row.hold.until.getTime() }, { nowMs, renewalRefused: row.hold.renewalRefused }, terms);
}

/** Ends a hold that runs out and takes the next one: both or neither. */
async function renew(
  tx: Tx,
  { claims, tiers }: UpkeepPorts,
  { held, hold, row }: { readonly held: LockedClaim; readonly hold: ClaimHold; readonly row: ClaimRow },
): Promise<void> {
  const { agentId, now } = held;
  const perHour = claims.tiers().find(({ name }) => name === hold.tier)?.perHour ?? hold.perHour;
  // The tier is free now, so it needs no hold.
  if (perHour === 0n) return void (await claims.end(tx, held, null));
  const outcome = await attempt(tx, async () => {
    const moved = await endHold(tx, row, now);
    const pod = hold.pod === null ? null : { uid: hold.pod.uid, since: now };
    const { tier, imageDigest, traceparent } = hold;
    const wanted = { tier, perHour, pod, imageDigest, traceparent };
    const taken = await takeHold(tx, { ...wanted, agentId, now, terms: claims.terms });
    return taken.ok ? { ...taken, moved } : taken;
  });
  if (outcome.ok) {
    if (outcome.moved) await tiers.recompute(tx, [agentId]);
    return void (await claims.write(tx, { ...row, hold: outcome.hold }));
  }
  if (afterRefusedRenewal({ untilMs: hold.until.getTime() }, now.getTime(), claims.terms) === 'none') return;
  const reason = outcome.reason === 'HoldRefused' ? 'HoldRefused' : 'NotPaid';
  const refused = await claims.refusedTier(tx, held, { tier: hold.tier, reason });
  await claims.write(tx, { ...row, hold: { ...hold, renewalRefused: true }, refused });
}

/** Withdraws a refusal once the agent can pay for the tier, so that the operator claims the tier again. */
async function forgive(
  tx: Tx,
  { claims }: UpkeepPorts,
  { held, row }: { readonly held: LockedClaim; readonly row: ClaimRow },
): Promise<void> {
  const tier = claims.tiers().find(({ name }) => name === row.refused?.tier);
  const isBarred =
    ((await readBars(tx, [held.agentId])).get(held.agentId)?.measure ?? 'revoke_token') !== 'revoke_token';
  if (
    tier !== undefined &&
    (isBarred || (await spendable(tx, held.agentId, held)) < holdAmount(tier.perHour, claims.terms))
  )
    return;
  if (row.hold === null) await claims.end(tx, held, null);
  else await claims.write(tx, { ...row, refused: null });
}

/** Does the due upkeep of one claim by the clock of the database. Idempotent: any replica may call it at any time. */
export async function keepClaim(ports: UpkeepPorts, agentId: string): Promise<void> {
  await inTransaction(ports.db, async (tx) => {
    const held = await ports.claims.lock(tx, agentId);
    const { row, now } = held;
    if (row === null) return;
    const due = dueWork(ports, row, now);
    // If the renewal was refused, the claim keeps the refusal while the agent is awake.
    if (due === 'end')
      await ports.claims.end(tx, held, row.hold?.renewalRefused === true && isWanted(ports, row) ? row.refused : null);
    else if (due === 'renew' && row.hold !== null) await renew(tx, ports, { held, hold: row.hold, row });
    else if (row.refused !== null) await forgive(tx, ports, { held, row });
  });
}

const EVERY_MS = 2_000;
const AT_ONCE = 4;
/** A pod without a hold is a fault only after two checks in a row, because events and watches need a moment. */
const PROVEN_EVERY_MS = 15_000;

interface ClaimUpkeepPorts extends UpkeepPorts, Pick<Services, 'registry' | 'log'> {
  readonly source: AgentSource;
  readonly freeze: Pick<FreezeCache, 'frozen'>;
  /** True if an operator creates pods for this village; without one no agent runs or pays. */
  readonly operated: boolean;
}

export const claimsPart: SnapshotPart = async (tx) =>
  (await readClaims(tx)).map((row) => ({ event: 'claim', data: claimView(row) satisfies ComputeClaim }));

export function unpaidPods(
  agents: readonly AgentRecord[],
  claims: readonly ClaimRow[],
  { tiers, nowMs }: { readonly tiers: readonly PricedTier[]; readonly nowMs: number },
): readonly string[] {
  const priced = new Set(tiers.filter(({ perHour }) => perHour > 0n).map(({ name }) => name));
  const paid = new Set(
    claims.flatMap(({ agentId, uid, hold }) =>
      hold !== null && hold.until.getTime() > nowMs ? [`${agentId} ${uid}`] : [],
    ),
  );
  return agents.flatMap(({ agentId, uid, status, deleting }) => {
    const runs = status.power === 'Awake' && status.podName !== undefined && status.nodeName !== undefined && !deleting;
    return runs && priced.has(status.tier ?? '') && !paid.has(`${agentId} ${uid}`) ? [`${agentId} ${uid}`] : [];
  });
}

const Proof = z.object({
  faults: z.int(),
  unpaid: z.int(),
  held: z.int(),
  suspects: z.array(z.string()),
});
type Proof = z.infer<typeof Proof>;

export function claimJobs(ports: ClaimUpkeepPorts): readonly Job[] {
  const { db, source, freeze, log, operated } = ports;
  let proof: Proof = { faults: 0, unpaid: 0, held: 0, suspects: [] };

  async function keep(): Promise<void> {
    if (!operated || !source.ready) return;
    const rows = await readClaims(db);
    for (let start = 0; start < rows.length && !freeze.frozen; start += AT_ONCE) {
      const chunk = rows.slice(start, start + AT_ONCE).filter((row) => mayBeDue(row, ports));
      await Promise.all(chunk.map(({ agentId }) => keepClaim(ports, agentId)));
    }
  }

  async function prove(): Promise<Proof> {
    if (!operated || !source.ready) return proof;
    const [faults, rows] = [await readClaimFaults(db), await readClaims(db)];
    const suspects = [...unpaidPods(source.list(), rows, { tiers: pricedTiers(source), nowMs: Date.now() })];
    const unpaid = suspects.filter((key) => proof.suspects.includes(key));
    for (const fault of faults) log('error', 'a hold and its compute claim differ', { ...fault });
    for (const key of unpaid) log('error', 'a pod of a priced tier runs without a hold', { agent: key });
    const held = rows.filter(({ hold }) => hold !== null).length;
    return { faults: faults.length, unpaid: unpaid.length, held, suspects };
  }

  registerGauges(ports.registry, {
    hamlet_claims_held: { help: 'Agents that hold money for a pod of a priced tier', read: () => proof.held },
    hamlet_claims_unpaid_pods: {
      help: 'Pods of a priced tier that run without a hold; must stay 0',
      read: () => proof.unpaid,
    },
    hamlet_claims_broken_holds: {
      help: 'Holds for running without a claim, and claims without their hold; must stay 0',
      read: () => proof.faults,
    },
  });
  return [
    job({ name: 'claims', everyMs: EVERY_MS, run: keep }),
    sharedJob({
      name: 'claims-proof',
      everyMs: PROVEN_EVERY_MS,
      result: Proof,
      run: prove,
      receive: (result) => {
        proof = result;
      },
    }),
  ];
}

/** False if the pod runs and its hold has time left: the claim then needs no transaction. */
function mayBeDue({ agentId, uid, hold, refused }: ClaimRow, { source, claims }: UpkeepPorts): boolean {
  if (hold === null || refused !== null || hold.until.getTime() - Date.now() <= claims.terms.renewMs + EVERY_MS)
    return true;
  const record = source.get(agentId);
  return record?.uid !== uid || record.deleting || record.status.power !== 'Awake' || record.status.tier !== hold.tier;
}
