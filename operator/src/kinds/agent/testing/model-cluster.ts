/**
 * A cluster in memory that performs actions as an API server, a scheduler and two kubelets would, for tests that try
 * all orders of events.
 */
import type { Facts, NodeState } from '../facts.ts';
import { type Observed, observedFrom, statusFromPods } from '../observe.ts';
import { type ApiState, holdAt, type KnownClaim } from '../../../village/api-state.ts';
import type { SeatDecision } from '@hamlet/core/seats';
import type { OwnerReference } from '@hamlet/kube';
import { fixedOf, type Size, sizeOf } from '../../../objects/tier-compute.ts';
import { cycleInName, FIXED_ANNOTATION } from '../../../objects/names.ts';
import { entitledTier } from '../condition/admission.ts';
import type { CachedAgent, TierView, VolumeClaimView } from '../../../objects/cached-objects.ts';
import type { PodView } from '../../../objects/pod-view.ts';
import type { Presence, Standing } from '@hamlet/contract';
import type { Action } from '../plan.ts';
import { ResizeWatch } from '../reconcile.ts';
import { statusOf } from '../status.ts';
import { hasEnded, lives, type ResizeMood, type SchedulerMood } from './model-kubelet.ts';
import type { ModelPurse } from './model-purse.ts';
import { agentOf, claimOf, podOf, SETTINGS, specOf, standingOf, TIER_0, TIER_1, TIER_2 } from './sample-state.ts';

export type Random = () => number;

const TIERS: readonly TierView[] = [TIER_0, TIER_1, TIER_2];
const UNBOUND = { nodeName: undefined, phase: 'Pending', container: undefined, given: undefined, scheduled: undefined };
const iso = (nowMs: number): string => new Date(nowMs).toISOString();

/** Adds the seat and the turn. An agent that is barred or cannot pay gets no seat. The model's only agent always has the turn. */
function asCounted(facts: Facts): Observed {
  const seat = entitledTier(facts).barred ? { granted: false } : facts.seat;
  return observedFrom({ ...facts, seat }, () => 'now');
}

/** The state of the cluster, and the rules that a plan must not break. */
export class ModelCluster {
  nowMs = Date.parse('2026-11-22T10:00:00Z');
  agent: CachedAgent | undefined = agentOf({ finalizers: [] });
  pods: PodView[] = [];
  claim: VolumeClaimView | undefined;
  standing: Standing = standingOf();
  apiState: ApiState = 'Current';
  seat: SeatDecision = { granted: true };
  hasTiers = true;
  apiAnswers = true;
  closed = false;
  /** True if the API server refuses every pod. */
  refusesPods = false;
  lostNode: string | undefined;
  resizes: ResizeMood = 'applies';
  scheduler: SchedulerMood = 'binds';
  made = 0;
  readonly broken: string[] = [];
  readonly purse: ModelPurse | undefined;
  /** True if the answers to calls of the api get lost after the api has acted. */
  losesAnswers = false;
  #watch = new ResizeWatch(() => this.nowMs);
  readonly #handlers: { readonly [K in Action['kind']]: (action: Extract<Action, { kind: K }>) => void } = {
    setFinalizers: ({ finalizers }) => this.#setMeta({ finalizers }),
    endCycle: (action) => this.#end(action),
    createClaim: ({ manifest }) => {
      if (this.claim !== undefined) throw new Error('AlreadyExists');
      const isOwned = manifest.metadata['ownerReferences'] !== undefined;
      this.claim = { metadata: { ...claimOf(isOwned ? 'ada-uid' : null).metadata, uid: this.#uid() } };
    },
    ownClaim: ({ owners }) => {
      if (this.claim !== undefined)
        this.claim = { metadata: { ...this.claim.metadata, ownerReferences: owners as OwnerReference[] } };
    },
    deleteClaim: ({ uid }) => {
      if (this.claim?.metadata.uid === uid) this.claim = undefined;
    },
    tryPod: () => {
      if (this.refusesPods) throw new Error('Forbidden');
    },
    createPod: ({ manifest }) =>
      this.#createPod(manifest.metadata.name, manifest.metadata['annotations'] as Readonly<Record<string, string>>),
    deletePod: ({ uid, graceSeconds }) => this.#delete(uid, graceSeconds),
    resizePod: ({ uid, spec }) => this.#resize(uid, spec),
    closeAccount: () => {
      if (!this.apiAnswers) throw new Error('the api does not answer');
      this.closed = true;
    },
    askHold: (action) => this.#callApi((purse, uid) => purse.ask(action, uid, this.nowMs)),
    releaseHold: ({ version }) => {
      if (this.#known !== undefined) this.#known = { ...this.#known, givenUp: true };
      this.#callApi((purse) => purse.release(version, this.nowMs));
    },
    recordEvent: () => undefined,
  };
  /** Names of pods that a status has shown. No second pod may get such a name. */
  readonly #published = new Set<string>();
  #uids = 0;
  /** The compute claim as the operator remembers it. */
  #known: KnownClaim | undefined;
  readonly #tiers: readonly TierView[];

  /** @param purse the agent's money; without it every tier counts as paid */
  constructor({ tiers = TIERS, purse }: { readonly tiers?: readonly TierView[]; readonly purse?: ModelPurse } = {}) {
    this.#tiers = tiers;
    this.purse = purse;
  }

  observed(): Observed | undefined {
    if (this.agent === undefined) return undefined;
    const { metadata } = this.agent;
    const agent = { ...this.agent, status: statusFromPods(this.agent, this.pods) };
    const cycle = agent.status.cycle ?? 0;
    const pod = this.pods.find((each) => each.metadata.name === `ada-${cycle}`);
    const facts: Facts = {
      agent,
      publishedTier: this.agent.status.tier,
      pods: this.pods,
      nameTaken: false,
      nextCycle: cycle + 1,
      claim: this.claim,
      tiers: this.hasTiers ? this.#tiers : [],
      node: this.#node(pod?.nodeName),
      volumeNode: this.#node(this.claim?.metadata.annotations?.['volume.kubernetes.io/selected-node']),
      pinnedNode: undefined,
      // An operator that has not reached the api yet has no facts from it.
      ...(this.apiState === 'None'
        ? { standing: undefined }
        : { standing: this.standing, hold: holdAt(this.#known, this.nowMs) }),
      presence: this.#presence(pod, metadata.uid),
      apiState: this.apiState,
      seat: this.seat,
      resize: pod && this.#watch.of(pod),
      refusal: undefined,
      settings: SETTINGS,
    };
    return asCounted(facts);
  }

  perform<K extends Action['kind']>(action: Extract<Action, { kind: K }> & { readonly kind: K }): void {
    this.#handlers[action.kind](action);
  }

  writeStatus(): void {
    const observed = this.observed();
    if (observed === undefined || this.agent === undefined) return;
    const status = statusOf(observed, iso(this.nowMs));
    if (status.podName !== undefined) this.#published.add(status.podName);
    this.agent = { ...this.agent, status };
  }

  /** Another operator process takes over, with empty memory. */
  restart(): void {
    this.#watch = new ResizeWatch(() => this.nowMs);
    this.#known = undefined;
    this.#learn();
  }

  terminate(uid: string, disruption?: string): void {
    this.#change(uid, (pod) => ({
      ...pod,
      disruption,
      metadata: { ...pod.metadata, deletionTimestamp: pod.metadata.deletionTimestamp ?? iso(this.nowMs) },
    }));
  }

  anyPod(random: Random): PodView | undefined {
    return this.pods[Math.floor(random() * this.pods.length)];
  }

  fail(disruption?: string): void {
    this.pods = this.pods.map((pod) => (pod.nodeName === undefined ? pod : { ...pod, phase: 'Failed', disruption }));
  }

  setSpec(change: Readonly<Record<string, unknown>>): void {
    if (this.agent?.spec === undefined) return;
    const spec = specOf({ ...this.agent.spec, ...change });
    this.agent = { ...this.agent, spec };
  }

  /** Loses a node. With undefined, the lost node comes back and ends its deleted pods. */
  loseNode(name: string | undefined): void {
    this.lostNode = name;
  }

  pass(milliseconds: number): void {
    this.nowMs += milliseconds;
    if (this.apiAnswers) this.purse?.keep(this.agent, this.nowMs);
    this.#learn();
    this.pods = this.pods.filter((pod) => !hasEnded(pod, this)).map((pod) => this.#lives(pod));
    for (const pod of this.pods)
      if (pod.nodeName === this.lostNode && pod.nodeName !== undefined)
        this.terminate(pod.metadata.uid, 'DeletionByTaintManager');
  }

  /** Ends all disturbances: nodes, api, scheduler and tiers work, no measure is in force, and the agent has a seat. */
  calm(): void {
    this.standing = standingOf({ balance_tier: this.standing.balance_tier });
    this.apiState = 'Current';
    this.seat = { granted: true };
    this.hasTiers = true;
    this.apiAnswers = true;
    this.losesAnswers = false;
    this.refusesPods = false;
    this.lostNode = undefined;
    this.resizes = 'applies';
    this.scheduler = 'binds';
  }

  remove(): void {
    this.#setMeta({ deletionTimestamp: iso(this.nowMs) });
  }

  /** The tier that the agent must get once the cluster is calm. */
  get tier(): TierView {
    return this.#tiers.find(({ metadata }) => metadata.name === this.standing.balance_tier) ?? TIER_0;
  }

  /** True if the node has given the pod the size of `tier`, and the pod has the devices and the priority of `tier`. */
  fits(pod: PodView, tier: TierView): boolean {
    const size = sizeOf(tier);
    const isGiven =
      pod.given !== undefined && pod.given.cpuMillis === size.cpuMillis && pod.given.memoryBytes === size.memoryBytes;
    return isGiven && pod.metadata.annotations?.[FIXED_ANNOTATION] === fixedOf(tier);
  }

  get pricedPods(): readonly PodView[] {
    return this.pods.filter(
      (pod) => pod.metadata.deletionTimestamp === undefined && !this.fits({ ...pod, given: pod.size }, TIER_0),
    );
  }

  /** The api's stream reports the claim to the operator, a moment later than the answers. */
  #learn(): void {
    if (this.apiState === 'Current')
      this.#known =
        this.purse?.claim === undefined ? undefined : { ...this.purse.claim, askedMs: this.#known?.askedMs };
  }

  #callApi(act: (purse: ModelPurse, uid: string) => void): void {
    if (!this.apiAnswers || this.agent === undefined) throw new Error('the api does not answer');
    if (this.purse !== undefined) act(this.purse, this.agent.metadata.uid);
    if (this.losesAnswers) throw new Error('the answer is lost');
    if (this.purse?.claim !== undefined) this.#known = { ...this.purse.claim, askedMs: this.nowMs };
  }

  #isPaid(tier: TierView): boolean {
    return (
      this.purse === undefined ||
      Number(tier.spec.price.perHour) === 0 ||
      (this.purse.pays(this.nowMs) && this.purse.held?.tier === tier.metadata.name)
    );
  }

  #presence(pod: PodView | undefined, uid: string): Presence | undefined {
    return pod?.container?.running === true
      ? {
          agent_id: 'ada',
          uid,
          cycle: cycleInName('ada', pod.metadata.name),
          connected: true,
          last_seen: iso(this.nowMs),
        }
      : undefined;
  }

  #node(name: string | undefined): NodeState | undefined {
    return name === undefined ? undefined : { name, ready: name !== this.lostNode };
  }

  #lives(pod: PodView): PodView {
    const later = lives(pod, this);
    if (pod.nodeName === undefined && later.nodeName !== undefined && this.claim !== undefined) {
      this.claim = {
        metadata: { ...this.claim.metadata, annotations: { 'volume.kubernetes.io/selected-node': later.nodeName } },
      };
    }
    return later;
  }

  #setMeta(change: object): void {
    if (this.agent === undefined) return;
    const metadata = { ...this.agent.metadata, ...change };
    this.agent = { ...this.agent, metadata };
    if (metadata.deletionTimestamp !== undefined && metadata.finalizers?.length === 0) this.agent = undefined;
  }

  #end({ cycle, power, rebootedAt }: Extract<Action, { kind: 'endCycle' }>): void {
    const observed = this.observed();
    if (this.agent === undefined || observed === undefined) return;
    if (cycle !== (observed.agent.status.cycle ?? 0) + 1)
      this.broken.push(`the cycle went from ${observed.agent.status.cycle ?? 0} to ${cycle}`);
    const { podName: _old, rebootedAt: _before, ...status } = this.agent.status;
    this.agent = { ...this.agent, status: { ...status, cycle, power, ...(rebootedAt === null ? {} : { rebootedAt }) } };
  }

  /** The rules for a new pod, each with the text that describes a violation. */
  #rulesOf(name: string): readonly (readonly [boolean, string])[] {
    const newest = Math.max(
      this.agent?.status.cycle ?? 0,
      ...this.pods.map(({ metadata }) => cycleInName('ada', metadata.name)),
    );
    const { killed, banned, quarantined, frozen } = this.standing;
    const isBarred = killed || banned || quarantined || frozen;
    return [
      [cycleInName('ada', name) >= newest, `in cycle ${newest}`],
      [!this.#published.has(name), 'a second time'],
      [this.claim !== undefined, 'without a claim'],
      [this.pods.every(({ metadata }) => metadata.deletionTimestamp !== undefined), 'beside a pod that is not ending'],
      [this.apiState === 'None' || !isBarred, 'although the agent is barred'],
      [this.apiState !== 'None' || this.agent?.status.tier !== undefined, 'for a new agent without the api'],
    ];
  }

  #createPod(name: string, annotations: Readonly<Record<string, string>>): void {
    if (this.refusesPods) throw new Error('Forbidden');
    if (this.pods.some(({ metadata }) => metadata.name === name)) throw new Error('AlreadyExists');
    const tier = this.#tiers.find(({ metadata }) => metadata.name === annotations['hamlet.village/tier']) ?? TIER_0;
    for (const [holds, how] of [...this.#rulesOf(name), [this.#isPaid(tier), 'without a hold'] as const])
      if (!holds) this.broken.push(`pod ${name} was made ${how}`);
    const pod = podOf(name, { ...UNBOUND, createdAt: iso(this.nowMs), tier });
    this.pods.push({ ...pod, metadata: { ...pod.metadata, annotations, uid: this.#uid() } });
    this.made += 1;
  }

  #delete(uid: string, graceSeconds: number | undefined): void {
    const pod = this.pods.find(({ metadata }) => metadata.uid === uid);
    if (graceSeconds === 0 || pod?.nodeName === undefined) this.pods = this.pods.filter((each) => each !== pod);
    else this.terminate(uid);
  }

  #resize(uid: string, spec: object): void {
    const pod = this.pods.find(({ metadata }) => metadata.uid === uid);
    if (pod === undefined) throw new Error('NotFound');
    if (this.resizes === 'forbidden' || this.resizes === 'quota') {
      this.#watch.refuse(pod, { message: 'forbidden', newPodToo: this.resizes === 'quota' });
      throw new Error('Forbidden');
    }
    const { containers } = spec as {
      readonly containers: readonly {
        readonly resources: { readonly limits: { readonly cpu: string; readonly memory: string } };
      }[];
    };
    const { limits } = containers[0]?.resources ?? {};
    const tier = this.#tiers.find(
      (each) => each.spec.compute.resources.cpu === limits?.cpu && each.spec.compute.resources.memory === limits.memory,
    );
    if (tier === undefined) throw new Error(`no tier has ${JSON.stringify(limits)}`);
    const size: Size = sizeOf(tier);
    if (!this.#isPaid(tier)) this.broken.push(`the pod was resized to ${tier.metadata.name} without a hold`);
    this.#change(uid, (each) => ({ ...each, size, resize: undefined }));
  }

  #change(uid: string, change: (pod: PodView) => PodView): void {
    this.pods = this.pods.map((pod) => (pod.metadata.uid === uid ? change(pod) : pod));
  }

  #uid(): string {
    this.#uids += 1;
    return `uid-${this.#uids}`;
  }
}
