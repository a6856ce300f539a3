import { decideAsk, payableBelow, usedMs, type AskDecision, type ClaimTerms, type PricedTier } from '@hamlet/core';
import type { ClaimBody, ClaimRefusal, ComputeClaim } from '@hamlet/contract';
import {
  addInternalEvent,
  attempt,
  forgetClaim,
  lockClaim,
  nextClaimVersion,
  databaseNow,
  writeClaim,
} from '@hamlet/store';
import type { ClaimHold, ClaimRow, RefusedTier, Tx } from '@hamlet/store';
import type { AgentSource } from '../../agents/agent-source.ts';
import type { BalanceTiers } from '../../standing/balance-tier-sync.ts';
import { endHold, endHoldUnlessFrozen, spendable, takeHold, type Taken } from './claim-money.ts';
import { claimView } from '../../operator/internal-feed.ts';
import { heldOf, pricedTiers } from './claim-view.ts';

interface ClaimPorts {
  readonly source: Pick<AgentSource, 'entitlements'>;
  readonly tiers: BalanceTiers;
  readonly terms: ClaimTerms;
}

export interface ClaimAnswer {
  readonly granted: boolean;
  readonly reason: ClaimRefusal | null;
  readonly hold: ClaimHold | null;
  readonly claim: ComputeClaim | null;
}

type ClaimRequest = ClaimBody & { readonly traceparent: string };

interface Wish {
  readonly ask: ClaimRequest;
  readonly tier: PricedTier;
}

export interface LockedClaim {
  readonly agentId: string;
  readonly row: ClaimRow | null;
  readonly now: Date;
}

export class ComputeClaims {
  readonly #ports: ClaimPorts;

  constructor(ports: ClaimPorts) {
    this.#ports = ports;
  }

  get terms(): ClaimTerms {
    return this.#ports.terms;
  }

  tiers(): readonly PricedTier[] {
    return pricedTiers(this.#ports.source);
  }

  async lock(tx: Tx, agentId: string): Promise<LockedClaim> {
    const row = await lockClaim(tx, agentId);
    return { agentId, row, now: await databaseNow(tx) };
  }

  /** The operator claims a tier before it creates the pod, and again when the pod runs. */
  async ask(tx: Tx, ask: ClaimRequest): Promise<ClaimAnswer> {
    const held = await this.lock(tx, ask.agent_id);
    const tier = this.tiers().find(({ name }) => name === ask.tier);
    if (tier === undefined) return refusal('HoldPending', held.row);
    const bound = held.row === null || held.row.hold === null ? null : heldOf(held.row, held.row.hold);
    const decision = decideAsk(
      bound,
      { uid: ask.uid, cycle: ask.cycle, tier: ask.tier, runs: ask.pod_uid !== null },
      { perHour: tier.perHour, nowMs: held.now.getTime() },
    );
    return this.#decided(tx, decision, { held, ask, tier });
  }

  async #decided(
    tx: Tx,
    decision: AskDecision,
    { held, ask, tier }: Wish & { readonly held: LockedClaim },
  ): Promise<ClaimAnswer> {
    switch (decision.kind) {
      case 'free':
        await this.end(tx, held, null);
        return { granted: true, reason: null, hold: null, claim: null };
      case 'keep':
        return this.#keep(tx, held, { ask, meter: decision.meter });
      case 'take':
        return this.#take(tx, held, { ask, tier });
      default:
        return decision satisfies never;
    }
  }

  async #keep(
    tx: Tx,
    { row, now }: LockedClaim,
    { ask, meter }: { readonly ask: ClaimRequest; readonly meter: Extract<AskDecision, { kind: 'keep' }>['meter'] },
  ): Promise<ClaimAnswer> {
    if (row === null || row.hold === null) throw new Error(`${ask.agent_id} has no hold to keep: claim without keep`);
    const pod =
      meter.runningSinceMs === null
        ? null
        : { uid: ask.pod_uid ?? row.hold.pod?.uid ?? '', since: new Date(meter.runningSinceMs) };
    const hold: ClaimHold = {
      ...row.hold,
      renewalRefused: false,
      usedMs: meter.usedMs,
      pod,
      imageDigest: ask.image_digest ?? row.hold.imageDigest,
    };
    return granted(
      await this.write(tx, { ...row, cycle: meter.cycle, askedAt: now, hold, refused: refusalBut(ask.tier, row) }),
      hold,
    );
  }

  /** If the ledger refuses the new hold, the old one stays, unless it has ended or belongs to another life. */
  async #take(tx: Tx, { agentId, row, now }: LockedClaim, { ask, tier }: Wish): Promise<ClaimAnswer> {
    const isOver = row !== null && isPast(row, ask.uid, now);
    const charged = isOver && (await endHold(tx, row, now));
    const held = { agentId, now, row: isOver ? { ...row, hold: null } : row };
    const outcome = await attempt(tx, () => this.#exchange(tx, held, { ask, tier }));
    if (charged || (outcome.ok && outcome.charged)) await this.#ports.tiers.recompute(tx, [agentId]);
    if (!outcome.ok) return this.#refuse(tx, held, { ask, tier, reason: refusedReason(agentId, outcome.reason) });
    return granted(
      await this.write(tx, { ...claimOf(ask, now), hold: outcome.hold, refused: refusalBut(tier.name, held.row) }),
      outcome.hold,
    );
  }

  async #refuse(
    tx: Tx,
    held: LockedClaim,
    { ask, tier, reason }: Wish & Pick<RefusedTier, 'reason'>,
  ): Promise<ClaimAnswer> {
    const { row, now } = held;
    const refused = await this.refusedTier(tx, held, { tier: tier.name, reason });
    const kept = row === null || row.hold === null ? { ...claimOf(ask, now), hold: null } : row;
    return refusal(reason, await this.write(tx, { ...kept, askedAt: now, refused }));
  }

  async #exchange(
    tx: Tx,
    { agentId, row, now }: LockedClaim,
    { ask, tier }: Wish,
  ): Promise<Taken & { readonly charged: boolean }> {
    const charged = row !== null && (await endHold(tx, row, now));
    const pod = ask.pod_uid === null ? null : { uid: ask.pod_uid, since: now };
    const { image_digest: imageDigest, traceparent } = ask;
    const wanted = { tier: tier.name, perHour: tier.perHour, pod, imageDigest, traceparent };
    return { ...(await takeHold(tx, { ...wanted, agentId, now, terms: this.terms })), charged };
  }

  async refusedTier(
    tx: Tx,
    held: LockedClaim,
    { tier, reason }: Pick<RefusedTier, 'tier' | 'reason'>,
  ): Promise<RefusedTier> {
    // A barred agent, or one without an account, gets only free tiers.
    const available = reason === 'HoldRefused' ? 0n : await spendable(tx, held.agentId, held);
    return { tier, reason, payable: payableBelow(this.tiers(), tier, { available, terms: this.terms }) };
  }

  /**
   * Ends the hold of a claim, charges the used time and stores `refused` in the claim. While the village is frozen,
   * this function only stops the meter; the upkeep ends the hold after the freeze.
   * @returns whether there was a hold
   */
  async end(tx: Tx, { agentId, row, now }: LockedClaim, refused: RefusedTier | null): Promise<boolean> {
    if (row === null) return false;
    const over = await endHoldUnlessFrozen(tx, row, now);
    if (!over.ok) {
      await this.write(tx, { ...row, hold: stoppedMeter(row, now) });
      return true;
    }
    if (over.moved) await this.#ports.tiers.recompute(tx, [agentId]);
    const ended = { ...row, hold: null, refused };
    if (refused === null) {
      await forgetClaim(tx, agentId);
      await this.#announce(tx, { ...ended, version: await nextClaimVersion(tx) });
    } else await this.write(tx, ended);
    return row.hold !== null;
  }

  async endLife(tx: Tx, agentId: string, uid: string): Promise<void> {
    const held = await this.lock(tx, agentId);
    if (held.row?.uid === uid) await this.end(tx, held, null);
  }

  async write(tx: Tx, row: ClaimRow): Promise<ClaimRow> {
    const written = { ...row, version: await nextClaimVersion(tx) };
    await writeClaim(tx, written);
    await this.#announce(tx, written);
    return written;
  }

  async #announce(tx: Tx, row: ClaimRow): Promise<void> {
    await addInternalEvent(tx, 'claim', claimView(row));
  }
}

function stoppedMeter(row: ClaimRow, now: Date): ClaimHold | null {
  const { hold } = row;
  return hold === null ? null : { ...hold, usedMs: usedMs(heldOf(row, hold), now.getTime()), pod: null };
}

function isPast({ uid, hold }: ClaimRow, lives: string, now: Date): boolean {
  return hold !== null && (uid !== lives || hold.until <= now);
}

/** The claim's earlier refusal, unless it was for the tier that is granted now. */
function refusalBut(tier: string, row: ClaimRow | null): RefusedTier | null {
  return row?.refused?.tier === tier ? null : (row?.refused ?? null);
}

function claimOf({ agent_id: agentId, uid, cycle }: ClaimRequest, now: Date): Omit<ClaimRow, 'hold' | 'refused'> {
  return { agentId, uid, cycle, version: 0, askedAt: now };
}

function granted(row: ClaimRow, hold: ClaimHold): ClaimAnswer {
  return { granted: true, reason: null, hold, claim: claimView(row) };
}

function refusal(reason: ClaimRefusal, row: ClaimRow | null): ClaimAnswer {
  return { granted: false, reason, hold: null, claim: row === null ? null : claimView(row) };
}

function refusedReason(agentId: string, reason: string): RefusedTier['reason'] {
  if (reason !== 'NotPaid' && reason !== 'HoldRefused')
    throw new Error(`the ledger refused the hold of ${agentId}: ${reason}`);
  return reason;
}
