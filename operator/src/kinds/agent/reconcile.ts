import { keyOf, type Clock, type Outcome } from '@hamlet/kube';
import { apply, patchStatus, refusalOf, type ApplyPorts, type Subject } from './apply.ts';
import { isTerminating } from './child/claim.ts';
import { observe, type Sources } from './observe.ts';
import { plan } from './plan.ts';
import { statusPatch } from './status-patch.ts';
import { StatusWriter } from './status-writer.ts';
import { statusOf } from './status.ts';
import { UpgradeTurn } from './upgrade-turn.ts';
import type { AgentView } from './views.ts';

export interface ReconcilerOptions {
  readonly sources: Omit<Sources, 'refusals' | 'hasTurn'>;
  readonly ports: ApplyPorts;
  /** The date; the one place where reconciling looks at a clock. */
  readonly now: () => Date;
  /** For the pace of status writes. */
  readonly clock: Clock;
  readonly onStatusError: (key: string, error: unknown) => void;
}

/** Brings one Agent a step nearer to what it asks for, from the state alone. Statuses follow in their own time. */
export class AgentReconciler {
  readonly #options: ReconcilerOptions;
  readonly #refusals = new Map<string, string>();
  readonly #turn = new UpgradeTurn();
  readonly #sources: Sources;
  readonly #statuses: StatusWriter;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#statuses = new StatusWriter({ clock: options.clock, write: (key) => this.#writeStatus(key), onError: options.onStatusError });
    this.#sources = { ...options.sources, refusals: this.#refusals, hasTurn: (key) => this.#turn.take(key, (holder) => this.#isUpgraded(holder), options.now().getTime()) };
  }

  /** Writes no status any more. */
  close(): void {
    this.#statuses.close();
  }

  /** @param key `namespace/name` */
  async reconcile(key: string): Promise<Outcome> {
    const observed = observe(this.#sources, key);
    if (observed === undefined) return this.#forget(key);
    const planned = plan(observed, this.#options.now().getTime());
    const error = await this.#apply(key, planned.actions);
    if (this.#statusChange(key) !== undefined) this.#statuses.mark(key);
    if (error !== undefined) return { kind: 'retry', error };
    return planned.requeueAfterMs === undefined ? { kind: 'done' } : { kind: 'requeue', afterMs: planned.requeueAfterMs };
  }

  #forget(key: string): Outcome {
    this.#refusals.delete(key);
    this.#statuses.forget(key);
    return { kind: 'done' };
  }

  /** The error that stopped the actions, if one did. */
  async #apply(key: string, actions: ReturnType<typeof plan>['actions']): Promise<unknown> {
    try {
      await apply(this.#options.ports, this.#subject(key), actions);
      this.#refusals.delete(key);
      return undefined;
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal !== undefined) this.#refusals.set(key, refusal);
      return error;
    }
  }

  /** Ready with the present image, or with no pod to get ready. */
  #isUpgraded(key: string): boolean {
    const { agents, pods, settings } = this.#sources;
    const agent = agents.get(key);
    if (agent?.status.power !== 'Awake') return true;
    const ready = agent.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
    const pod = pods.get(keyOf({ namespace: agent.metadata.namespace, name: agent.status.podName ?? '' }));
    return ready && pod?.image === settings.image;
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
    return this.#options.now().toISOString().replace(/\.\d+Z$/, 'Z');
  }

  /** What the status must be told, if anything. */
  #statusChange(key: string): { readonly agent: AgentView; readonly patch: object } | undefined {
    const observed = observe(this.#sources, key);
    if (observed === undefined || isTerminating(observed.agent)) return undefined;
    const patch = statusPatch(observed.agent.status, statusOf(observed, this.#timestamp()));
    return patch === undefined ? undefined : { agent: observed.agent, patch };
  }

  async #writeStatus(key: string): Promise<void> {
    const change = this.#statusChange(key);
    if (change !== undefined) await patchStatus(this.#options.ports, change.agent, { status: change.patch });
  }
}
