import { decideAsk, payableBelow, usedMs } from '@hamlet/core';
import type { AskDecision, ClaimTerms, PricedTier } from '@hamlet/core';
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
import type { AgentSource } from '../agents/agent-source.ts';
import type { StandingKeeper } from '../standing/standing-keeper.ts';
import { endHold, endHoldUnlessFrozen, spendable, takeHold } from './claim-money.ts';
import type { Taken } from './claim-money.ts';
import { claimView, heldOf } from './claim-view.ts';
import { pricedTiers } from './priced-tiers.ts';

export interface DeskPorts {
  readonly source: Pick<AgentSource, 'entitlements'>;
  readonly standing: Pick<StandingKeeper, 'recompute'>;
  readonly terms: ClaimTerms;
}

/** What came of asking for a tier. */
export interface Asked {
  readonly granted: boolean;
  readonly reason: ClaimRefusal | null;
  readonly hold: ClaimHold | null;
  readonly claim: ComputeClaim | null;
}

type Ask = ClaimBody & { readonly traceparent: string };

interface Wish {
  readonly ask: Ask;
  readonly tier: PricedTier;
}

/** One claim under its lock, and what its transaction has done to it so far. */
export interface Held {
  readonly agentId: string;
  readonly row: ClaimRow | null;
  readonly now: Date;
}

/** The claims of agents: every act is part of a transaction that holds the claim's lock, and tells the operator with its commit. */
export class ClaimDesk {
  readonly #ports: DeskPorts;

  constructor(ports: DeskPorts) {
    this.#ports = ports;
  }

  get terms(): ClaimTerms {
    return this.#ports.terms;
  }

  tiers(): readonly PricedTier[] {
    return pricedTiers(this.#ports.source);
  }

  /** The claim of an agent, locked until the transaction ends. */
  async hold(tx: Tx, agentId: string): Promise<Held> {
    const row = await lockClaim(tx, agentId);
    return { agentId, row, now: await databaseNow(tx) };
  }

  /** An operator asks for a tier before it makes a pod of it, and again when the pod runs. */
  async ask(tx: Tx, ask: Ask): Promise<Asked> {
    const held = await this.hold(tx, ask.agent_id);
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

  async #decided(tx: Tx, decision: AskDecision, { held, ask, tier }: Wish & { readonly held: Held }): Promise<Asked> {
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
    { row, now }: Held,
    { ask, meter }: { readonly ask: Ask; readonly meter: Extract<AskDecision, { kind: 'keep' }>['meter'] },
  ): Promise<Asked> {
    if (row === null || row.hold === null) throw new Error(`nothing is held of ${ask.agent_id}`);
    const pod =
      meter.runningSinceMs === null
        ? null
        : { uid: ask.pod_uid ?? row.hold.pod?.uid ?? '', since: new Date(meter.runningSinceMs) };
    const hold: ClaimHold = {
      ...row.hold,
      told: false,
      usedMs: meter.usedMs,
      pod,
      imageDigest: ask.image_digest ?? row.hold.imageDigest,
    };
    return granted(
      await this.write(tx, { ...row, cycle: meter.cycle, askedAt: now, hold, refused: refusalBut(ask.tier, row) }),
      hold,
    );
  }

  /** What was held ends with the new hold; where that is refused, it stays, unless it is of another life or over. */
  async #take(tx: Tx, { agentId, row, now }: Held, { ask, tier }: Wish): Promise<Asked> {
    const isOver = row !== null && isPast(row, ask.uid, now);
    const charged = isOver && (await endHold(tx, row, now));
    const held = { agentId, now, row: isOver ? { ...row, hold: null } : row };
    const outcome = await attempt(tx, () => this.#exchange(tx, held, { ask, tier }));
    if (charged || (outcome.ok && outcome.charged)) await this.#ports.standing.recompute(tx, [agentId]);
    if (!outcome.ok) return this.#refuse(tx, held, { ask, tier, reason: refusedReason(agentId, outcome.reason) });
    return granted(
      await this.write(tx, { ...claimOf(ask, now), hold: outcome.hold, refused: refusalBut(tier.name, held.row) }),
      outcome.hold,
    );
  }

  async #refuse(tx: Tx, held: Held, { ask, tier, reason }: Wish & Pick<RefusedTier, 'reason'>): Promise<Asked> {
    const { row, now } = held;
    const refused = await this.refusedTier(tx, held, { tier: tier.name, reason });
    const kept = row === null || row.hold === null ? { ...claimOf(ask, now), hold: null } : row;
    return refusal(reason, await this.write(tx, { ...kept, askedAt: now, refused }));
  }

  /** The hold of a tier in place of what is held: both or neither. */
  async #exchange(
    tx: Tx,
    { agentId, row, now }: Held,
    { ask, tier }: Wish,
  ): Promise<Taken & { readonly charged: boolean }> {
    const charged = row !== null && (await endHold(tx, row, now));
    const pod = ask.pod_uid === null ? null : { uid: ask.pod_uid, since: now };
    const { image_digest: imageDigest, traceparent } = ask;
    return {
      ...(await takeHold(tx, {
        agentId,
        tier: tier.name,
        perHour: tier.perHour,
        pod,
        imageDigest,
        traceparent,
        now,
        terms: this.terms,
      })),
      charged,
    };
  }

  /** A tier that could not be paid, with the highest one below it that could. */
  async refusedTier(tx: Tx, held: Held, { tier, reason }: Pick<RefusedTier, 'tier' | 'reason'>): Promise<RefusedTier> {
    // Whoever is barred, or has no account, can have no more than what is free.
    const available = reason === 'HoldRefused' ? 0n : await spendable(tx, held.agentId, held);
    return { tier, reason, payable: payableBelow(this.tiers(), tier, { available, terms: this.terms }) };
  }

  /**
   * Ends what is held, and charges what was used of it. A refusal that is to be remembered stays. While the village is frozen the meter stops, and
   * the upkeep of claims ends the hold after the freeze.
   * @returns whether anything was held
   */
  async end(tx: Tx, { agentId, row, now }: Held, refused: RefusedTier | null): Promise<boolean> {
    if (row === null) return false;
    const over = await endHoldUnlessFrozen(tx, row, now);
    if (!over.ok) {
      await this.write(tx, { ...row, hold: stoppedMeter(row, now) });
      return true;
    }
    if (over.moved) await this.#ports.standing.recompute(tx, [agentId]);
    const ended = { ...row, hold: null, refused };
    if (refused === null) {
      await forgetClaim(tx, agentId);
      await this.#announce(tx, { ...ended, version: await nextClaimVersion(tx) });
    } else await this.write(tx, ended);
    return row.hold !== null;
  }

  /** A life is over: what it held ends. A later life of the name keeps its own. */
  async endLife(tx: Tx, agentId: string, uid: string): Promise<void> {
    const held = await this.hold(tx, agentId);
    if (held.row?.uid === uid) await this.end(tx, held, null);
  }

  /** Writes a claim under its next version, and tells the operator. */
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

/** A hold whose time is counted no further. */
function stoppedMeter(row: ClaimRow, now: Date): ClaimHold | null {
  const { hold } = row;
  return hold === null ? null : { ...hold, usedMs: usedMs(heldOf(row, hold), now.getTime()), pod: null };
}

/** What is held is of another life, or its time is over. */
function isPast({ uid, hold }: ClaimRow, lives: string, now: Date): boolean {
  return hold !== null && (uid !== lives || hold.until <= now);
}

/** What was refused, unless it is of the tier that is granted now. */
function refusalBut(tier: string, row: ClaimRow | null): RefusedTier | null {
  return row?.refused?.tier === tier ? null : (row?.refused ?? null);
}

function claimOf({ agent_id: agentId, uid, cycle }: Ask, now: Date): Omit<ClaimRow, 'hold' | 'refused'> {
  return { agentId, uid, cycle, version: 0, askedAt: now };
}

function granted(row: ClaimRow, hold: ClaimHold): Asked {
  return { granted: true, reason: null, hold, claim: claimView(row) };
}

function refusal(reason: ClaimRefusal, row: ClaimRow | null): Asked {
  return { granted: false, reason, hold: null, claim: row === null ? null : claimView(row) };
}

/** Of a claim, the ledger refuses only for what `takeHold` knows. */
function refusedReason(agentId: string, reason: string): RefusedTier['reason'] {
  if (reason !== 'NotPaid' && reason !== 'HoldRefused')
    throw new Error(`the ledger refused a claim of ${agentId}: ${reason}`);
  return reason;
}
