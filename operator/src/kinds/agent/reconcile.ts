import { keyOf, type Outcome } from '@hamlet/kube';
import { apply, patchStatus, refusalOf, type ApplyPorts, type Subject } from './apply.ts';
import { isTerminating } from './child/claim.ts';
import { observe, type Sources } from './observe.ts';
import { plan } from './plan.ts';
import { statusPatch } from './status-patch.ts';
import { statusOf } from './status.ts';
import { UpgradeTurn } from './upgrade-turn.ts';

/** Changes of a status within this time are written together. */
export const STATUS_COALESCE_MS = 500;

export interface ReconcilerOptions {
  readonly sources: Omit<Sources, 'refusals' | 'hasTurn'>;
  readonly ports: ApplyPorts;
  /** The date; the one place where reconciling looks at a clock. */
  readonly now: () => Date;
}

const earliest = (...times: readonly (number | undefined)[]): number | undefined => {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
};

/** Brings one Agent a step nearer to what it asks for, from the state alone. */
export class AgentReconciler {
  readonly #options: ReconcilerOptions;
  readonly #refusals = new Map<string, string>();
  readonly #turn = new UpgradeTurn();
  readonly #sources: Sources;
  /** When the status of an Agent was found different first. */
  readonly #dirtySinceMs = new Map<string, number>();

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#sources = { ...options.sources, refusals: this.#refusals, hasTurn: (key) => this.#turn.take(key, (holder) => this.#isUpgraded(holder), options.now().getTime()) };
  }

  /** @param key `namespace/name` */
  async reconcile(key: string): Promise<Outcome> {
    const observed = observe(this.#sources, key);
    if (observed === undefined) return this.#forget(key);
    const planned = plan(observed, this.#options.now().getTime());
    const error = await this.#apply(key, planned.actions);
    const statusInMs = await this.#writeStatus(key);
    if (error !== undefined) return { kind: 'retry', error };
    const afterMs = earliest(planned.requeueAfterMs, statusInMs);
    return afterMs === undefined ? { kind: 'done' } : { kind: 'requeue', afterMs };
  }

  #forget(key: string): Outcome {
    this.#refusals.delete(key);
    this.#dirtySinceMs.delete(key);
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

  /** Writes the status if it has differed for long enough; else says when it will have. */
  async #writeStatus(key: string): Promise<number | undefined> {
    const observed = observe(this.#sources, key);
    if (observed === undefined || isTerminating(observed.agent)) return undefined;
    const now = this.#options.now();
    const patch = statusPatch(observed.agent.status, statusOf(observed, this.#timestamp()));
    if (patch === undefined) {
      this.#dirtySinceMs.delete(key);
      return undefined;
    }
    const sinceMs = this.#dirtySinceMs.get(key) ?? now.getTime();
    const leftMs = sinceMs + STATUS_COALESCE_MS - now.getTime();
    this.#dirtySinceMs.set(key, sinceMs);
    if (leftMs > 0) return leftMs;
    await patchStatus(this.#options.ports, observed.agent, { status: patch, bulk: true });
    this.#dirtySinceMs.delete(key);
    return undefined;
  }
}
