/** The money of one agent as the api keeps it, in memory. It decides by the same rules of @hamlet/core as the api. */
import type { ClaimedAgent, HeldClaim, PricedTier } from '@hamlet/core';
import {
  afterRefusedRenewal,
  CLAIM_TERMS,
  decideAsk,
  dueOf,
  holdAmount,
  isOrphan,
  payableBelow,
  timeCost,
  upkeepOf,
} from '@hamlet/core';
import { parseAiDollars, type ComputeClaim } from '@hamlet/contract';
import type { HoldAction } from '../hold-step.ts';
import type { CachedAgent, TierView } from '../../../objects/cached-objects.ts';

type Ask = Extract<HoldAction, { kind: 'askHold' }>;
type Refused = NonNullable<ComputeClaim['refused']>;

function claimedAgent(agent: CachedAgent | undefined): ClaimedAgent | null {
  if (agent === undefined) return null;
  const {
    metadata: { uid, deletionTimestamp },
    status: { power, tier = null },
  } = agent;
  return { uid, deleting: deletionTimestamp !== undefined, awake: power === 'Awake', tier };
}

export class ModelPurse {
  readonly tiers: readonly PricedTier[];
  /** The agent's balance in micro-aiDollars. Held money is still part of it until it is charged. */
  balance: bigint;
  held: HeldClaim | null = null;
  refused: Refused | null = null;
  renewalRefused = false;
  /** Milliseconds charged so far, and the micro-aiDollars paid for them. */
  chargedMs = 0;
  paid = 0n;
  readonly broken: string[] = [];
  #uid = '';
  #cycle = 0;
  #podUid: string | undefined;
  #askedMs = 0;
  #version = 0;

  readonly #agentId: string;

  constructor(tiers: readonly TierView[], balance: bigint, agentId = 'ada') {
    this.#agentId = agentId;
    this.tiers = tiers.map(({ metadata, spec }) => ({
      name: metadata.name,
      rank: spec.rank,
      perHour: parseAiDollars(spec.price.perHour),
    }));
    this.balance = balance;
  }

  get claim(): ComputeClaim | undefined {
    if (this.#version === 0) return undefined;
    const { held, refused } = this;
    return {
      agent_id: this.#agentId,
      uid: this.#uid,
      version: this.#version,
      cycle: this.#cycle,
      held: held !== null && !this.renewalRefused,
      tier: held?.tier ?? null,
      until: held === null ? null : new Date(held.untilMs).toISOString(),
      pod_uid: held === null ? null : (this.#podUid ?? null),
      refused,
    };
  }

  /** Raises the version after a test has changed the claim. */
  touch(): void {
    this.#version += 1;
  }

  pays(nowMs: number): boolean {
    return this.held !== null && this.held.untilMs > nowMs;
  }

  ask({ tier, cycle, podUid }: Ask, uid: string, nowMs: number): void {
    const perHour = this.tiers.find(({ name }) => name === tier)?.perHour ?? 0n;
    const decision = decideAsk(this.held, { uid, cycle, tier, runs: podUid !== null }, { perHour, nowMs });
    this.#version += 1;
    if (decision.kind === 'free') return this.#end(nowMs, null);
    if (decision.kind === 'keep' && this.held !== null)
      this.#granted({ ...this.held, ...decision.meter }, { uid, podUid, nowMs });
    else if (!this.#take({ uid, cycle, tier, perHour, podUid }, nowMs)) this.#refuse(tier, { uid, nowMs });
  }

  release(version: number, nowMs: number): void {
    if (this.#version > version) return;
    this.#version += 1;
    this.#end(nowMs, this.refused);
  }

  /** Renews or ends the claim based on the state of the Agent, as the api does on its own. */
  keep(agent: CachedAgent | undefined, nowMs: number): void {
    const { held } = this;
    if (held === null) return this.#forgive(nowMs);
    const isOver = isOrphan(held, { agent: claimedAgent(agent), askedMs: this.#askedMs, nowMs }, CLAIM_TERMS);
    const due = isOver ? 'end' : upkeepOf(held, { nowMs, renewalRefused: this.renewalRefused }, CLAIM_TERMS);
    if (due === 'end') this.#ended(nowMs, this.renewalRefused ? this.refused : null);
    else if (due === 'renew') this.#renew(held, nowMs);
    else if (this.refused !== null) this.#forgive(nowMs);
  }

  #renew(held: HeldClaim, nowMs: number): void {
    const perHour = this.tiers.find(({ name }) => name === held.tier)?.perHour ?? held.perHour;
    const podUid = held.runningSinceMs === null ? null : (this.#podUid ?? null);
    const asked = this.#askedMs;
    if (this.#take({ ...held, perHour, podUid }, nowMs)) {
      this.#version += 1;
      this.#askedMs = asked;
    } else if (afterRefusedRenewal(held, nowMs, CLAIM_TERMS) === 'notify') {
      this.#version += 1;
      this.renewalRefused = true;
      this.refused = { tier: held.tier, reason: 'NotPaid', payable: this.#payable(held.tier, nowMs) ?? null };
    }
  }

  #forgive(nowMs: number): void {
    const tier = this.tiers.find(({ name }) => name === this.refused?.tier);
    if (tier === undefined || this.#spendable(nowMs) < holdAmount(tier.perHour, CLAIM_TERMS)) return;
    this.#version += 1;
    this.refused = null;
  }

  #spendable(nowMs: number): bigint {
    return this.balance - (this.held === null ? 0n : dueOf(this.held, nowMs));
  }

  #payable(tier: string, nowMs: number): string | undefined {
    return payableBelow(this.tiers, tier, { available: this.#spendable(nowMs), terms: CLAIM_TERMS }) ?? undefined;
  }

  /** Replaces the hold with a new one. If the balance does not cover it, returns false and keeps the hold. */
  #take(
    {
      uid,
      cycle,
      tier,
      perHour,
      podUid,
    }: Pick<HeldClaim, 'uid' | 'cycle' | 'tier' | 'perHour'> & { readonly podUid: string | null },
    nowMs: number,
  ): boolean {
    const amount = holdAmount(perHour, CLAIM_TERMS);
    if (this.#spendable(nowMs) < amount) return false;
    this.#charge(nowMs);
    const held = {
      uid,
      cycle,
      tier,
      perHour,
      amount,
      untilMs: nowMs + CLAIM_TERMS.periodMs,
      usedMs: 0,
      runningSinceMs: podUid === null ? null : nowMs,
    };
    this.#granted(held, { uid, podUid, nowMs });
    return true;
  }

  #granted(
    held: HeldClaim,
    { uid, podUid, nowMs }: { readonly uid: string; readonly podUid: string | null; readonly nowMs: number },
  ): void {
    this.held = held;
    this.renewalRefused = false;
    if (this.refused?.tier === held.tier) this.refused = null;
    if (held.runningSinceMs === null) this.#podUid = undefined;
    else this.#podUid = podUid ?? this.#podUid;
    this.#noteAsked(uid, held.cycle, nowMs);
  }

  #refuse(tier: string, { uid, nowMs }: { readonly uid: string; readonly nowMs: number }): void {
    if (this.held !== null && (this.held.uid !== uid || this.held.untilMs <= nowMs)) this.#charge(nowMs);
    this.refused = { tier, reason: 'NotPaid', payable: this.#payable(tier, nowMs) ?? null };
    this.#noteAsked(uid, this.#cycle, nowMs);
  }

  #noteAsked(uid: string, cycle: number, nowMs: number): void {
    this.#uid = uid;
    this.#cycle = cycle;
    this.#askedMs = nowMs;
  }

  #ended(nowMs: number, refused: Refused | null): void {
    this.#version += 1;
    this.#end(nowMs, refused);
  }

  #end(nowMs: number, refused: Refused | null): void {
    this.#charge(nowMs);
    this.refused = refused;
  }

  #charge(nowMs: number): void {
    const { held } = this;
    if (held === null) return;
    const due = dueOf(held, nowMs);
    const usedMs =
      held.usedMs +
      (held.runningSinceMs === null ? 0 : Math.max(0, Math.min(nowMs, held.untilMs) - held.runningSinceMs));
    if (due > held.amount || due > timeCost(usedMs, held.perHour))
      this.broken.push(`${due} was charged for ${usedMs} ms`);
    this.balance -= due;
    this.paid += due;
    this.chargedMs += usedMs;
    if (this.balance < 0n) this.broken.push(`the balance is ${this.balance}`);
    this.held = null;
    this.renewalRefused = false;
    this.#podUid = undefined;
  }
}
