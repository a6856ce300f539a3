import type { ComputeClaim } from '@hamlet/contract';
import type { PricedTier } from '@hamlet/core';
import { readClaimFaults, readClaims } from '@hamlet/store';
import type { ClaimRow } from '@hamlet/store';
import type { Registry } from 'prom-client';
import type { AgentRecord, AgentSource } from '../agents/agent-source.ts';
import type { SnapshotPart } from '../agents/internal-feed.ts';
import type { FreezeCache } from '../freeze/freeze-cache.ts';
import type { Log } from '../service/log.ts';
import { job, sharedJob } from '../service/jobs.ts';
import type { Job } from '../service/jobs.ts';
import { registerGauges } from '../service/metrics.ts';
import { z } from 'zod';
import { claimView } from './claim-view.ts';
import { keepClaim } from './claim-upkeep.ts';
import type { UpkeepPorts } from './claim-upkeep.ts';
import { pricedTiers } from './priced-tiers.ts';

const EVERY_MS = 2_000;
/** Claims that are worked on at one time. */
const AT_ONCE = 4;
/** A pod without a hold is a fault when it is seen at two looks so far apart: events and watches need a moment. */
const PROVEN_EVERY_MS = 15_000;

export interface ClaimKeeperPorts extends UpkeepPorts {
  readonly source: AgentSource;
  readonly freeze: Pick<FreezeCache, 'frozen'>;
  readonly registry: Registry;
  readonly log: Log;
  /** Whether an operator makes pods here; without one nobody runs and nobody pays. */
  readonly operated: boolean;
}

/** What a stream of the operator begins with: every claim. */
export const claimsPart: SnapshotPart = async (tx) =>
  (await readClaims(tx)).map((row) => ({ event: 'claim', data: claimView(row) satisfies ComputeClaim }));

/** Agents whose status tells of a pod of a priced tier that nothing is held for, by `ID UID`. Pure. */
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
  /** Pods without a hold at this proof: those that are so at the next one too are unpaid. */
  suspects: z.array(z.string()),
});
type Proof = z.infer<typeof Proof>;

/** Renews claims, ends what nothing runs by, takes refusals back when there is money, and proves that every priced pod has its hold and every hold its claim. */
export function claimJobs(ports: ClaimKeeperPorts): readonly Job[] {
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
    for (const fault of faults) log('error', 'a hold and its claim do not agree', { ...fault });
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

/** Spares a transaction for what is held, runs, and has time left, by this replica's own clock. */
function mayBeDue({ agentId, uid, hold, refused }: ClaimRow, { source, desk }: UpkeepPorts): boolean {
  if (hold === null || refused !== null || hold.until.getTime() - Date.now() <= desk.terms.renewMs + EVERY_MS)
    return true;
  const record = source.get(agentId);
  return record?.uid !== uid || record.deleting || record.status.power !== 'Awake' || record.status.tier !== hold.tier;
}
