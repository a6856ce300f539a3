import type { Room, SeatVerdict } from '@hamlet/core/seats';
import { keyOf, PODS, type Clock, type KubeClient, type Reflector } from '@hamlet/kube';
import { ENTITLEMENTS } from '../agent/agents.ts';
import { statusPatch } from '../agent/status/status-patch.ts';
import { StatusWriter } from '../agent/status/status-writer.ts';
import { isReadable } from '../agent/transform.ts';
import type { Watched } from '../agent/triggers.ts';
import { AGENT_ROLE, FIELD_MANAGER, ROLE_LABEL, type AgentView, type TierView } from '../agent/views.ts';
import { foreignPodView, type ForeignPodView } from './foreign-pod.ts';
import { SeatKeeper } from './seat-keeper.ts';
import type { Entitled } from './seat-sources.ts';
import { connectSeatTriggers } from './seat-triggers.ts';
import { tierStatus } from './tier-status.ts';

/** Pods that have ended hold nothing. */
const ALIVE = 'status.phase!=Succeeded,status.phase!=Failed';

/** What to watch of a kind, as the operator's own reflectors are made. */
export interface ForeignWatch {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector: string;
  readonly transform: (pod: ForeignPodView) => ForeignPodView;
}

export interface SeatsOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly watched: Watched;
  readonly reflector: (type: typeof PODS, watch: ForeignWatch) => Reflector<ForeignPodView>;
  /** The readable Entitlements. */
  readonly tiers: () => readonly TierView[];
  readonly entitled: (agent: AgentView) => Entitled;
  readonly reserve: Room;
  readonly clock: Clock;
  readonly now: () => Date;
  readonly onSeat: (key: string) => void;
  readonly onError: (what: string, error: unknown) => void;
}

/** The Entitlement kind: counts seats, gives them out, and tells each Entitlement how many it has. */
export class Seats {
  readonly #options: SeatsOptions;
  /** Pods that take room and are no agents of ours: those of our namespace, and those of all others. */
  readonly #foreign: readonly Reflector<ForeignPodView>[];
  readonly #keeper: SeatKeeper;
  readonly #statuses: StatusWriter;

  constructor(options: SeatsOptions) {
    const { watched, namespace, reflector, tiers, entitled, reserve, clock, onSeat, onError } = options;
    this.#options = options;
    this.#foreign = [
      reflector(PODS, {
        namespace,
        labelSelector: `${ROLE_LABEL}!=${AGENT_ROLE}`,
        fieldSelector: ALIVE,
        transform: foreignPodView,
      }),
      reflector(PODS, { fieldSelector: `metadata.namespace!=${namespace},${ALIVE}`, transform: foreignPodView }),
    ];
    const foreign = this.#foreign.map(({ cache }) => cache);
    const { agents, pods, claims, nodes } = watched;
    this.#keeper = new SeatKeeper({
      sources: {
        agents: agents.cache,
        pods: pods.cache,
        claims: claims.cache,
        nodes: nodes.cache,
        foreign,
        tiers,
        entitled,
        reserve,
      },
      clock,
      onSeat,
      onPlan: () => this.#markStatuses(),
      onError: (error) => onError('seats', error),
    });
    this.#statuses = new StatusWriter({
      clock,
      write: (key) => this.#writeStatus(key),
      onError: (key, error) => onError(`status of Entitlement ${key}`, error),
    });
    connectSeatTriggers(this.#keeper, watched, foreign);
  }

  /** Lists the pods of others and counts for the first time. The agents' own kinds must be listed before. */
  async start(): Promise<void> {
    await Promise.all(this.#foreign.map((reflector) => reflector.start()));
    this.#keeper.start();
  }

  async stop(): Promise<void> {
    this.#keeper.stop();
    this.#statuses.close();
    await Promise.all(this.#foreign.map((reflector) => reflector.stop()));
  }

  /** What is wrong with the watches, for `/readyz`. */
  problem(): string | undefined {
    return this.#foreign.map(({ problem }) => problem).find((problem) => problem !== undefined);
  }

  /** See {@link SeatKeeper.seatOf}. */
  seatOf(key: string): SeatVerdict | undefined {
    return this.#keeper.seatOf(key);
  }

  /** The standing of an agent has changed: it may need another seat, or none. */
  touch(): void {
    this.#keeper.touch();
  }

  #markStatuses(): void {
    for (const tier of this.#options.watched.tiers.cache.values()) {
      if (this.#change(tier) !== undefined) this.#statuses.mark(keyOf(tier.metadata));
    }
  }

  #change(tier: TierView): Readonly<Record<string, unknown>> | undefined {
    const { plan } = this.#keeper;
    if (plan === undefined) return undefined;
    const { name } = tier.metadata;
    const seats = isReadable(tier) ? plan.seatsOf(name) : undefined;
    // A tier that came after the plan is in the next one.
    if (seats === undefined && isReadable(tier)) return undefined;
    const now = this.#options
      .now()
      .toISOString()
      .replace(/\.\d+Z$/, 'Z');
    return statusPatch(
      tier.status ?? {},
      tierStatus({ tier, seats, agents: this.#keeper.agentsOf(name), openNodes: plan.openNodes }, now),
    );
  }

  async #writeStatus(key: string): Promise<void> {
    const { client, namespace, watched } = this.#options;
    const tier = watched.tiers.cache.get(key);
    const status = tier === undefined ? undefined : this.#change(tier);
    if (tier === undefined || status === undefined) return;
    const { name, uid } = tier.metadata;
    const answer = await client.mergePatch<TierView>(
      ENTITLEMENTS,
      { metadata: { uid }, status },
      { namespace, name, subresource: 'status', query: { fieldManager: FIELD_MANAGER } },
    );
    watched.tiers.learn(answer);
  }
}
