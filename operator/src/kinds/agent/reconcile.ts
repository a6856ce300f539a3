import type { AgentStatus } from '@hamlet/contract/kinds';
import { utcText } from '@hamlet/core/schedule';
import { type Clock, keyOf, type Outcome } from '@hamlet/kube';
import { type CachedAgent, isTerminating } from '../../objects/cached-objects.ts';
import { AGENT_LABEL, AGENTS, cycleInName } from '../../objects/names.ts';
import { isResizing, type PodView } from '../../objects/pod-view.ts';
import { conditionIn } from '../../status/condition.ts';
import { patchStatus, statusPatch, StatusWriter } from '../../status/status-writer.ts';
import type { ApplyPorts, Failure, Subject } from './apply.ts';
import { apply, recordEvent, refusalOf, ResizeRefusedError } from './apply.ts';
import type { Refusal, ResizeAttempt, ResizeRefusal } from './facts.ts';
import { isCurrent, observe, type Observed, observedFrom, type Sources } from './observe.ts';
import { eventsFor } from './events-for.ts';
import { type Action, plan, type Plan } from './plan.ts';
import { isOnItsWay, statusOf } from './status.ts';
import { UpgradeTurn } from './upgrade-turn.ts';
import { isSameSize, type Size } from '../../objects/tier-compute.ts';

/** With more waiting statuses than this, the status of a starting Agent waits until its first pod runs. */
const CROWD = 50;

/** Retry interval after a refused pod or volume claim, because no watch reports a larger quota or a free name. */
const REFUSED_LOOK_MS = 60_000;

export interface ReconcilerOptions {
  readonly sources: Omit<Sources, 'refusals' | 'turnOf' | 'resizeOf' | 'ended' | 'nowMs'>;
  readonly ports: ApplyPorts;
  /** The date, the only clock that plans and statuses use. */
  readonly now: () => Date;
  readonly clock: Clock;
  /** Called if `touch` finds that the Agent needs to be reconciled. */
  readonly onDue: (key: string) => void;
  readonly onStatusError: (key: string, error: unknown) => void;
}

/** Brings one Agent a step closer to its spec, based only on the current state. It writes statuses later, and rarely. */
export class AgentReconciler {
  readonly #options: ReconcilerOptions;
  readonly #refusals = new Map<string, Refusal>();
  readonly #ended = new Map<string, number>();
  readonly #turn = new UpgradeTurn();
  readonly #sources: Sources;
  readonly #resizes: ResizeWatch;
  readonly #statuses: StatusWriter;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    const nowMs = (): number => options.now().getTime();
    this.#resizes = new ResizeWatch(nowMs);
    this.#statuses = new StatusWriter({
      clock: options.clock,
      write: (key) => this.#writeStatus(key),
      onError: options.onStatusError,
    });
    this.#sources = {
      ...options.sources,
      refusals: this.#refusals,
      ended: this.#ended,
      turnOf: (key) => this.#turn.take(key, (holder) => this.#isUpgraded(holder), nowMs()),
      resizeOf: (pod) => this.#resizes.of(pod),
      nowMs,
    };
    options.ports.pods.cache.onChange(({ kind, object }) => {
      if (kind === 'deleted') this.#onPodGone(object);
    });
    options.ports.agents.cache.onChange(({ kind, object }) => {
      if (kind === 'deleted') this.#ended.delete(object.metadata.uid);
    });
  }

  close(): void {
    this.#statuses.close();
  }

  touch(key: string): void {
    const observed = observe(this.#sources, key);
    if (observed === undefined) return;
    this.#mark(key, observed);
    // A container that has started needs no action, unless the api must count its time.
    if (plan(observed, this.#nowMs()).actions.some(({ kind }) => kind === 'askHold')) this.#options.onDue(key);
  }

  /** @param key `namespace/name` */
  async reconcile(key: string): Promise<Outcome> {
    const observed = observe(this.#sources, key);
    if (observed === undefined) return this.#forget(key);
    const planned = plan(observed, this.#nowMs());
    const error = await this.#apply(key, planned.actions);
    const isUnchanged = planned.actions.length === 0 && observed.refusal === undefined;
    const change = isUnchanged ? this.#statusChange(key, observed) : this.#statusChange(key);
    if (change !== undefined) this.#mark(key, change.observed);
    if (error !== undefined) return { kind: 'retry', error, ...withinMs(planned, this.#refusals.has(key)) };
    return planned.requeueAfterMs === undefined
      ? { kind: 'done' }
      : { kind: 'requeue', afterMs: planned.requeueAfterMs };
  }

  #nowMs(): number {
    return this.#options.now().getTime();
  }

  #mark(key: string, observed: Observed): void {
    this.#statuses.mark(key, isOnItsWay(observed) ? 'patient' : 'soon');
  }

  /** Remembers the cycle of a pod that disappeared before the status showed it, because no second pod may get that name. */
  #onPodGone(pod: PodView): void {
    this.#resizes.forget(pod);
    const { namespace, name, labels, ownerReferences } = pod.metadata;
    const agent = this.#sources.agents.get(keyOf({ namespace, name: labels?.[AGENT_LABEL] ?? '' }));
    if (agent === undefined || ownerReferences?.[0]?.uid !== agent.metadata.uid) return;
    const cycle = cycleInName(agent.metadata.name, name);
    if (cycle > Math.max(agent.status.cycle ?? 0, this.#ended.get(agent.metadata.uid) ?? 0))
      this.#ended.set(agent.metadata.uid, cycle);
  }

  #forget(key: string): Outcome {
    this.#refusals.delete(key);
    this.#statuses.forget(key);
    return { kind: 'done' };
  }

  async #apply(key: string, actions: readonly Action[]): Promise<unknown> {
    const failure = await apply(this.#options.ports, this.#subject(key), actions);
    if (failure === undefined) {
      this.#refusals.delete(key);
      return undefined;
    }
    this.#noteRefusal(key, failure);
    return failure.error;
  }

  #noteRefusal(key: string, { action, error }: Failure): void {
    const refusal = refusalOf(error);
    if (refusal !== undefined) this.#refusals.set(key, refusal);
    if (!(error instanceof ResizeRefusedError) || action.kind !== 'resizePod') return;
    const pod = this.#sources.pods.get(
      keyOf({ namespace: this.#sources.agents.get(key)?.metadata.namespace, name: action.name }),
    );
    if (pod !== undefined) this.#resizes.refuse(pod, error.refusal);
  }

  /** True if the Agent is ready with the current image, hosts and compute, or needs no pod. */
  #isUpgraded(key: string): boolean {
    const { agents, pods, settings } = this.#sources;
    const agent = agents.get(key);
    if (agent?.status.power !== 'Awake') return true;
    const isReady = conditionIn(agent.status, 'Ready')?.status === 'True';
    const isSized = conditionIn(agent.status, 'Resized')?.reason !== 'ReplacementPending';
    const pod = pods.get(keyOf({ namespace: agent.metadata.namespace, name: agent.status.podName ?? '' }));
    return isReady && isSized && pod !== undefined && isCurrent({ agent, settings: settings() }, pod);
  }

  #subject(key: string): Subject {
    return {
      latest: () => this.#sources.agents.get(key),
      statusOf: (agent) => {
        const observed = observe(this.#sources, key);
        if (observed === undefined) return agent.status;
        const ended = observedFrom({ ...observed, agent }, () => observed.upgrade);
        return statusOf(ended, utcText(this.#nowMs()));
      },
    };
  }

  #statusChange(key: string, observed = observe(this.#sources, key)): StatusChange | undefined {
    const agent = this.#sources.agents.get(key);
    if (observed === undefined || agent === undefined || isTerminating(agent)) return undefined;
    const status = statusOf(observed, utcText(this.#nowMs()));
    const patch = statusPatch(agent.status, status);
    return patch === undefined ? undefined : { agent, observed, status, patch };
  }

  async #writeStatus(key: string): Promise<void> {
    const change = this.#statusChange(key);
    if (change === undefined) return;
    const { agent, observed, status, patch } = change;
    // While many agents start, the status of an agent without a problem is written only once, after its start.
    if (isOnItsWay(observed) && this.#statuses.waiting > CROWD) return this.#statuses.mark(key, 'patient');
    const { client, agents, recorder } = this.#options.ports;
    await patchStatus({ client, type: AGENTS, known: agents }, agent, { status: patch });
    const { uid } = agent.metadata;
    if ((this.#ended.get(uid) ?? 0) <= (status.cycle ?? 0)) this.#ended.delete(uid);
    for (const event of eventsFor(agent.status, status)) recordEvent(recorder, agent, event);
  }
}

/** The maximum wait after a failure. The planned time limits a longer back-off, because paid time may end then. */
function withinMs(
  { requeueAfterMs = Number.POSITIVE_INFINITY }: Plan,
  isRefused: boolean,
): { readonly withinMs?: number } {
  const earliest = Math.min(requeueAfterMs, isRefused ? REFUSED_LOOK_MS : Number.POSITIVE_INFINITY);
  return earliest === Number.POSITIVE_INFINITY ? {} : { withinMs: earliest };
}

interface StatusChange {
  readonly agent: CachedAgent;
  readonly observed: Observed;
  readonly status: AgentStatus;
  readonly patch: object;
}

interface Entry {
  readonly size: Size | undefined;
  readonly attempt: ResizeAttempt;
}

const isEqual = (left: Size | undefined, right: Size | undefined): boolean =>
  left === right || (left !== undefined && right !== undefined && isSameSize(left, right));

/** Remembers, only in memory, resizes that pods wait for or that the API server refused; a new leader requests them again. */
export class ResizeWatch {
  readonly #entries = new Map<string, Entry>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  of(pod: PodView): ResizeAttempt | undefined {
    const { uid } = pod.metadata;
    const known = this.#entries.get(uid);
    if (
      known !== undefined &&
      isEqual(known.size, pod.size) &&
      (known.attempt.refusal !== undefined || isResizing(pod))
    )
      return known.attempt;
    if (known !== undefined) this.#entries.delete(uid);
    if (!isResizing(pod)) return undefined;
    const attempt = { sinceMs: this.#nowMs() };
    this.#entries.set(uid, { size: pod.size, attempt });
    return attempt;
  }

  refuse(pod: PodView, refusal: ResizeRefusal): void {
    this.#entries.set(pod.metadata.uid, { size: pod.size, attempt: { sinceMs: this.#nowMs(), refusal } });
  }

  forget(pod: PodView): void {
    this.#entries.delete(pod.metadata.uid);
  }
}
