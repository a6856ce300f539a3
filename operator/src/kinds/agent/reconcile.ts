import { API_VERSION, type AgentStatus } from '@hamlet/contract/kinds';
import { keyOf, type Clock, type Outcome } from '@hamlet/kube';
import { AGENTS } from './agents.ts';
import {
  apply,
  patchStatus,
  refusalOf,
  ResizeRefusedError,
  type ApplyPorts,
  type Failure,
  type Subject,
} from './apply.ts';
import { isTerminating } from './child/claim.ts';
import { cycleInName } from './cycle.ts';
import { observe, type Sources } from './observe.ts';
import { plan, type Plan } from './plan.ts';
import { ResizeWatch } from './pod/resize-watch.ts';
import { UpgradeTurn } from './pod/upgrade-turn.ts';
import { statusPatch } from './status/status-patch.ts';
import { StatusWriter } from './status/status-writer.ts';
import { isOnItsWay, statusOf } from './status/status.ts';
import { storiesOf } from './status/stories.ts';
import { AGENT_LABEL, type AgentView, type Observed, type PodView, type Refusal } from './views.ts';

/** Statuses that wait at one time, from which on each Agent has to be content with one when its first pod runs. */
const CROWD = 50;

/** A child that was refused is tried again this often: nothing tells the operator that a quota was lifted or a name is free. */
const REFUSED_LOOK_MS = 60_000;

export interface ReconcilerOptions {
  readonly sources: Omit<Sources, 'refusals' | 'turnOf' | 'resizeOf' | 'ended' | 'nowMs'>;
  readonly ports: ApplyPorts;
  /** The date; the one place where reconciling looks at a clock. */
  readonly now: () => Date;
  /** For the pace of status writes. */
  readonly clock: Clock;
  /** There is something to do about an Agent that was only touched. */
  readonly onDue: (key: string) => void;
  readonly onStatusError: (key: string, error: unknown) => void;
}

/** Brings one Agent a step nearer to what it asks for, from the state alone. Statuses follow in their own time. */
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

  /** Writes no status any more. */
  close(): void {
    this.#statuses.close();
  }

  /** Something changed that no plan asks for and the status may tell. */
  touch(key: string): void {
    const observed = observe(this.#sources, key);
    if (observed === undefined) return;
    this.#statuses.mark(key, isOnItsWay(observed) ? 'patient' : 'soon');
    // A container that has begun to run is no work, unless its time is to be paid.
    if (plan(observed, this.#options.now().getTime()).actions.some(({ kind }) => kind === 'askHold'))
      this.#options.onDue(key);
  }

  /** @param key `namespace/name` */
  async reconcile(key: string): Promise<Outcome> {
    const observed = observe(this.#sources, key);
    if (observed === undefined) return this.#forget(key);
    const planned = plan(observed, this.#options.now().getTime());
    const error = await this.#apply(key, planned.actions);
    this.#markStatus(key);
    if (error !== undefined) return { kind: 'retry', error, ...withinMs(planned, this.#refusals.has(key)) };
    return planned.requeueAfterMs === undefined
      ? { kind: 'done' }
      : { kind: 'requeue', afterMs: planned.requeueAfterMs };
  }

  /** The name of a pod stands for one pod for ever, also of one that went before the status told of it. */
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

  #markStatus(key: string): void {
    const change = this.#statusChange(key);
    if (change !== undefined) this.#statuses.mark(key, isOnItsWay(change.observed) ? 'patient' : 'soon');
  }

  /** The error that stopped the actions, if one did. */
  async #apply(key: string, actions: ReturnType<typeof plan>['actions']): Promise<unknown> {
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

  /** Ready with the present image, or with no pod to get ready. */
  #isUpgraded(key: string): boolean {
    const { agents, pods, settings } = this.#sources;
    const agent = agents.get(key);
    if (agent?.status.power !== 'Awake') return true;
    const ready = agent.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
    const sized =
      agent.status.conditions?.some(({ type, reason }) => type === 'Resized' && reason === 'ReplacementPending') !==
      true;
    const pod = pods.get(keyOf({ namespace: agent.metadata.namespace, name: agent.status.podName ?? '' }));
    return ready && sized && pod?.image === settings.image;
  }

  #subject(key: string): Subject {
    return {
      latest: () => this.#sources.agents.get(key),
      statusOf: (agent) => {
        const observed = observe(this.#sources, key);
        return observed === undefined ? agent.status : statusOf({ ...observed, agent }, this.#timestamp());
      },
    };
  }

  #timestamp(): string {
    return this.#options
      .now()
      .toISOString()
      .replace(/\.\d+Z$/, 'Z');
  }

  /** What the status must be told, if anything. */
  #statusChange(key: string): StatusChange | undefined {
    const observed = observe(this.#sources, key);
    const agent = this.#sources.agents.get(key);
    if (observed === undefined || agent === undefined || isTerminating(agent)) return undefined;
    const status = statusOf(observed, this.#timestamp());
    const patch = statusPatch(agent.status, status);
    return patch === undefined ? undefined : { agent, observed, status, patch };
  }

  async #writeStatus(key: string): Promise<void> {
    const change = this.#statusChange(key);
    if (change === undefined) return;
    // While a whole village begins, who is well on its way is told of when it is there.
    if (isOnItsWay(change.observed) && this.#statuses.waiting > CROWD) return this.#statuses.mark(key, 'patient');
    await patchStatus(this.#options.ports, change.agent, { status: change.patch });
    const { uid } = change.agent.metadata;
    if ((this.#ended.get(uid) ?? 0) <= (change.status.cycle ?? 0)) this.#ended.delete(uid);
    this.#tell(change);
  }

  #tell({ agent: { metadata, status: before }, status: after }: StatusChange): void {
    const { name, uid, namespace = 'default' } = metadata;
    const target = { apiVersion: API_VERSION, kind: AGENTS.kind, namespace, name, uid };
    for (const story of storiesOf(before, after)) this.#options.ports.recorder.record({ target, ...story });
  }
}

/** What was due at a time stays due then, however long the back-off is: the time that is paid for ends, whether or not an action goes well. */
function withinMs(
  { requeueAfterMs = Number.POSITIVE_INFINITY }: Plan,
  isRefused: boolean,
): { readonly withinMs?: number } {
  const earliest = Math.min(requeueAfterMs, isRefused ? REFUSED_LOOK_MS : Number.POSITIVE_INFINITY);
  return earliest === Number.POSITIVE_INFINITY ? {} : { withinMs: earliest };
}

interface StatusChange {
  /** As it is written. */
  readonly agent: AgentView;
  readonly observed: Observed;
  readonly status: AgentStatus;
  readonly patch: object;
}
