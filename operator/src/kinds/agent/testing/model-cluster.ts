/** A cluster in memory that obeys actions as an API server would: for tests that do everything in every order. */
import type { OwnerReference } from '@hamlet/kube';
import type { Action } from '../plan.ts';
import type { AgentView, ClaimView, Observed, PodView } from '../views.ts';
import { agentOf, claimOf, podOf, SETTINGS, specOf, tierOf } from './sample-state.ts';

type Random = () => number;

const iso = (nowMs: number): string => new Date(nowMs).toISOString();

/** The state, and the rules that a plan must not break. */
export class ModelCluster {
  nowMs = Date.parse('2026-11-22T10:00:00Z');
  agent: AgentView | undefined = agentOf({ finalizers: [] });
  pods: PodView[] = [];
  claim: ClaimView | undefined;
  quarantined = false;
  hasTiers = true;
  apiAnswers = true;
  closed = false;
  /** Rules that were broken. */
  readonly broken: string[] = [];
  readonly #handlers: { readonly [K in Action['kind']]: (action: Extract<Action, { kind: K }>) => void } = {
    setFinalizers: ({ finalizers }) => this.#setMeta({ finalizers }),
    raiseCycle: (action) => this.#raise(action),
    createClaim: () => {
      if (this.claim !== undefined) throw new Error('AlreadyExists');
      this.claim = { metadata: { ...claimOf().metadata, uid: this.#uid() } };
    },
    ownClaim: ({ owners }) => {
      if (this.claim !== undefined) this.claim = { metadata: { ...this.claim.metadata, ownerReferences: owners as OwnerReference[] } };
    },
    deleteClaim: ({ uid }) => {
      if (this.claim?.metadata.uid === uid) this.claim = undefined;
    },
    createPod: ({ manifest }) => this.#createPod(manifest.metadata.name),
    deletePod: ({ uid }) => this.terminate(uid),
    closeAccount: () => {
      if (!this.apiAnswers) throw new Error('the api does not answer');
      this.closed = true;
    },
    tell: () => undefined,
  };
  /** Names of pods that the status has told: each stands for one pod for ever. */
  readonly #told = new Set<string>();
  #uids = 0;

  observed(): Observed | undefined {
    if (this.agent === undefined) return undefined;
    return {
      agent: this.agent,
      pods: this.pods,
      nameTaken: false,
      claim: this.claim,
      tiers: this.hasTiers ? [tierOf('tier-0', 0)] : [],
      node: undefined,
      volumeNode: undefined,
      standing: { quarantined: this.quarantined, frozen: false, balanceTier: undefined },
      presence: undefined,
      apiReachable: this.apiAnswers,
      upgrade: 'none',
      refusal: undefined,
      settings: SETTINGS,
    };
  }

  /** Does it, or throws as the API server or the api would. */
  perform<K extends Action['kind']>(action: Extract<Action, { kind: K }> & { readonly kind: K }): void {
    this.#handlers[action.kind](action);
  }

  /** What follows a reconcile: the status tells that the pod of the cycle is there. */
  writeStatus(): void {
    if (this.agent === undefined) return;
    const { podName: _old, ...status } = this.agent.status;
    const name = `ada-${status.cycle ?? 0}`;
    const exists = this.pods.some(({ metadata }) => metadata.name === name);
    if (exists) this.#told.add(name);
    this.agent = { ...this.agent, status: exists ? { ...status, podName: name } : status };
  }

  terminate(uid: string): void {
    this.pods = this.pods.map((pod) => (pod.metadata.uid === uid ? { ...pod, metadata: { ...pod.metadata, deletionTimestamp: iso(this.nowMs) } } : pod));
  }

  /** One thing that people, nodes and time do. */
  disturb(random: Random): void {
    const disturbances: readonly (() => void)[] = [
      () => this.#setSpec({ power: 'Asleep' }),
      () => this.#setSpec({ power: 'Awake' }),
      () => this.#setSpec({ power: 'Awake', rebootedAt: iso(this.nowMs) }),
      () => this.terminate(this.#anyPod(random)?.metadata.uid ?? ''),
      () => void (this.pods = this.pods.filter((pod) => pod !== this.#anyPod(random))),
      () => void (this.pods = this.pods.map((pod) => (random() < 0.5 ? { ...pod, phase: 'Failed' } : pod))),
      () => void (this.quarantined = !this.quarantined),
      () => void (this.hasTiers = !this.hasTiers),
      () => void (this.apiAnswers = !this.apiAnswers),
      () => this.#setSpec({ memory: { retain: random() < 0.5 ? 'Retain' : 'Delete' } }),
      () => void (this.claim = random() < 0.1 ? undefined : this.claim),
      () => this.pass(random() * 15_000),
    ];
    disturbances[Math.floor(random() * disturbances.length)]?.();
  }

  /** Time passes: pods that end have ended, and an Agent without finalizers that was deleted is gone. */
  pass(milliseconds: number): void {
    this.nowMs += milliseconds;
    this.pods = this.pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined || Date.parse(metadata.deletionTimestamp) + 10_000 > this.nowMs);
  }

  /** Ends all disturbance: the api answers, tiers are there, nobody is quarantined. */
  calm(): void {
    this.quarantined = false;
    this.hasTiers = true;
    this.apiAnswers = true;
  }

  remove(): void {
    this.#setMeta({ deletionTimestamp: iso(this.nowMs) });
  }

  #setSpec(change: Readonly<Record<string, unknown>>): void {
    if (this.agent?.spec === undefined) return;
    const spec = specOf({ ...this.agent.spec, ...change });
    this.agent = { ...this.agent, spec };
  }

  #setMeta(change: object): void {
    if (this.agent === undefined) return;
    const metadata = { ...this.agent.metadata, ...change };
    this.agent = { ...this.agent, metadata };
    if (metadata.deletionTimestamp !== undefined && metadata.finalizers?.length === 0) this.agent = undefined;
  }

  #raise({ cycle, power, rebootedAt }: Extract<Action, { kind: 'raiseCycle' }>): void {
    if (this.agent === undefined) return;
    if (cycle !== (this.agent.status.cycle ?? 0) + 1) this.broken.push(`the cycle went from ${this.agent.status.cycle ?? 0} to ${cycle}`);
    const { podName: _old, rebootedAt: _before, ...status } = this.agent.status;
    this.agent = { ...this.agent, status: { ...status, cycle, power, ...(rebootedAt === null ? {} : { rebootedAt }) } };
  }

  #createPod(name: string): void {
    if (this.pods.some(({ metadata }) => metadata.name === name)) throw new Error('AlreadyExists');
    if (name !== `ada-${this.agent?.status.cycle ?? 0}`) this.broken.push(`pod ${name} was made in cycle ${this.agent?.status.cycle ?? 0}`);
    if (this.#told.has(name)) this.broken.push(`pod ${name} was made a second time`);
    if (this.claim === undefined) this.broken.push(`pod ${name} was made without a claim`);
    if (this.pods.some(({ metadata }) => metadata.deletionTimestamp === undefined)) this.broken.push(`pod ${name} was made beside one that nobody ended`);
    const pod = podOf(name, { createdAt: iso(this.nowMs) });
    this.pods.push({ ...pod, metadata: { ...pod.metadata, uid: this.#uid() } });
  }

  #anyPod(random: Random): PodView | undefined {
    return this.pods[Math.floor(random() * this.pods.length)];
  }

  #uid(): string {
    this.#uids += 1;
    return `uid-${this.#uids}`;
  }
}
