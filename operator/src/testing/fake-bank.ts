/**
 * The api's compute claims as the operator sees them. The test sets the money; the rules are those of the api.
 */
import { claimCompute, releaseCompute, type ComputeClaim } from '@hamlet/contract';
import type { TierView } from '../objects/cached-objects.ts';
import { ModelPurse } from '../kinds/agent/testing/model-purse.ts';

export class FakeBank {
  readonly calls: string[] = [];
  /** Answers wait until this promise resolves. */
  thinks: Promise<void> = Promise.resolve();
  /** Agents for which the operator has asked for money, answered or not. */
  readonly received = new Set<string>();
  readonly #purses = new Map<string, ModelPurse>();
  readonly #say: (claim: ComputeClaim) => void;
  #tiers: readonly TierView[] = [];

  constructor(say: (claim: ComputeClaim) => void) {
    this.#say = say;
  }

  price(tiers: readonly TierView[]): void {
    this.#tiers = tiers;
  }

  /** The money of an agent. The balance is 0 until a test sets it. */
  purse(agentId: string): ModelPurse {
    const purse = this.#purses.get(agentId) ?? new ModelPurse(this.#tiers, 0n, agentId);
    this.#purses.set(agentId, purse);
    return purse;
  }

  /** Reports the agent's claim on the stream, as the api does after a change. */
  announce(agentId: string): void {
    const { claim } = this.purse(agentId);
    if (claim !== undefined) this.#say(claim);
  }

  /** Answers a call about money; returns null for any other path. */
  async answer(path: string, body: string): Promise<object | null> {
    if (path !== claimCompute.path && path !== releaseCompute.path) return null;
    const call: unknown = JSON.parse(body);
    if (path === claimCompute.path) this.received.add(claimCompute.body.parse(call).agent_id);
    await this.thinks;
    return path === claimCompute.path
      ? this.#ask(claimCompute.body.parse(call))
      : this.#release(releaseCompute.body.parse(call));
  }

  #ask({
    agent_id: agentId,
    uid,
    cycle,
    tier,
    pod_uid: podUid,
    image_digest: imageDigest,
  }: ReturnType<typeof claimCompute.body.parse>): object {
    const purse = this.purse(agentId);
    purse.ask({ kind: 'askHold', tier, cycle, podUid, imageDigest }, uid, Date.now());
    const granted = purse.held?.tier === tier;
    this.calls.push(
      `${granted ? 'granted' : 'refused'} ${agentId} ${tier} ${cycle}${podUid === null ? '' : ' running'}`,
    );
    this.announce(agentId);
    const claim = purse.claim ?? null;
    return {
      granted,
      reason: granted ? null : 'NotPaid',
      hold_id: granted ? crypto.randomUUID() : null,
      until: granted ? (claim?.until ?? null) : null,
      claim,
    };
  }

  #release({ agent_id: agentId, version }: ReturnType<typeof releaseCompute.body.parse>): object {
    const purse = this.purse(agentId);
    const released = purse.held !== null;
    purse.release(version, Date.now());
    this.calls.push(`released ${agentId}`);
    this.announce(agentId);
    return { released };
  }
}
