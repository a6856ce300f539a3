import { utcText } from '@hamlet/core/schedule';
import type { Room, SeatDecision, TierSeats } from '@hamlet/core/seats';
import type { Change, Clock, KubeClient, KubeObject, ObjectCache, Reflector } from '@hamlet/kube';
import { keyOf, PODS } from '@hamlet/kube';
import type { CachedAgent, NodeView, TierView, VolumeView } from '../../objects/cached-objects.ts';
import { checkableTools, isReadable } from '../../objects/cached-objects.ts';
import { AGENT_ROLE, ENTITLEMENTS, ROLE_LABEL } from '../../objects/names.ts';
import { isOver, type PodView } from '../../objects/pod-view.ts';
import type { CheckedRules, CheckRules } from '../../objects/rule-checker.ts';
import type { Watched } from '../../objects/watched.ts';
import { patchStatus, statusPatch, StatusWriter } from '../../status/status-writer.ts';
import { foreignPodView, type ForeignPodView } from './foreign-pod.ts';
import { SeatPlanner } from './seat-planner.ts';
import type { Entitled, SeatSources } from './seat-sources.ts';
import { RESIDENT_SHARE_TEXT } from '../../objects/hands.ts';
import type { ConditionStatus, EntitlementReason, EntitlementStatus } from '@hamlet/contract/kinds';
import { conditionsOf } from '../../status/condition.ts';
import { rulesResults } from '../../status/rules-condition.ts';

const ALIVE = 'status.phase!=Succeeded,status.phase!=Failed';

interface ForeignWatch {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector: string;
  readonly transform: (pod: ForeignPodView) => ForeignPodView;
}

interface SeatsOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly watched: Watched;
  readonly reflector: (type: typeof PODS, watch: ForeignWatch) => Reflector<ForeignPodView>;
  readonly tiers: () => readonly TierView[];
  readonly entitled: (agent: CachedAgent) => Entitled;
  readonly shortageOf: SeatSources['shortageOf'];
  readonly reserve: Room;
  readonly checkRules: CheckRules;
  readonly clock: Clock;
  readonly now: () => Date;
  readonly onSeat: (key: string) => void;
  readonly onError: (what: string, error: unknown) => void;
}

/** The controller of Entitlements: counts seats, gives them to agents, and writes the counts to the statuses. */
export class Seats {
  readonly #options: SeatsOptions;
  /** Pods that take room but are not agents of this village: one watch for its namespace, one for other namespaces. */
  readonly #foreign: readonly Reflector<ForeignPodView>[];
  readonly #planner: SeatPlanner;
  readonly #statuses: StatusWriter;

  constructor(options: SeatsOptions) {
    const { watched, namespace, reflector, tiers, entitled, shortageOf, reserve, clock, onSeat, onError } = options;
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
    const { agents, pods, claims, volumes, nodes } = watched;
    this.#planner = new SeatPlanner({
      sources: {
        agents: agents.cache,
        pods: pods.cache,
        claims: claims.cache,
        volumes: volumes.cache,
        nodes: nodes.cache,
        foreign,
        tiers,
        entitled,
        shortageOf,
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
    connectSeatTriggers(this.#planner, watched, foreign);
  }

  async start(): Promise<void> {
    await Promise.all(this.#foreign.map((reflector) => reflector.start()));
    this.#planner.start();
  }

  async stop(): Promise<void> {
    this.#planner.stop();
    this.#statuses.close();
    await Promise.all(this.#foreign.map((reflector) => reflector.stop()));
  }

  problem(): string | undefined {
    return this.#foreign.map(({ problem }) => problem).find((problem) => problem !== undefined);
  }

  seatOf(key: string): SeatDecision | undefined {
    return this.#planner.seatOf(key);
  }

  touch(): void {
    this.#planner.touch();
  }

  /** Writes changed statuses again, for example because examples of rules can be checked now. */
  refresh(): void {
    this.#markStatuses();
  }

  #markStatuses(): void {
    for (const tier of this.#options.watched.tiers.cache.values()) {
      if (this.#change(tier) !== undefined) this.#statuses.mark(keyOf(tier.metadata));
    }
  }

  #change(tier: TierView): Readonly<Record<string, unknown>> | undefined {
    const { plan } = this.#planner;
    if (plan === undefined) return undefined;
    const { name } = tier.metadata;
    const seats = isReadable(tier) ? plan.seatsOf(name) : undefined;
    // A tier that is newer than the plan gets its status with the next plan.
    if (seats === undefined && isReadable(tier)) return undefined;
    const tools = checkableTools(tier.spec.tools);
    const checkedRules = tools && this.#options.checkRules(tools);
    const facts = { tier, seats, agents: this.#planner.agentsOf(name), openNodes: plan.openNodes, checkedRules };
    return statusPatch(tier.status ?? {}, tierStatus(facts, utcText(this.#options.now().getTime())));
  }

  async #writeStatus(key: string): Promise<void> {
    const { client, watched } = this.#options;
    const tier = watched.tiers.cache.get(key);
    const status = tier === undefined ? undefined : this.#change(tier);
    if (tier === undefined || status === undefined) return;
    await patchStatus({ client, type: ENTITLEMENTS, known: watched.tiers }, tier, { status });
  }
}

/** These functions return, for each kind, the fields that seats depend on, as text to compare. */
const ofAgent = ({ metadata, spec, status }: CachedAgent): string =>
  JSON.stringify([
    metadata.uid,
    metadata.deletionTimestamp,
    spec?.power,
    spec?.entitlement,
    spec?.placement,
    status.power,
  ]);
const ofPod = (pod: PodView): string =>
  JSON.stringify([pod.metadata.uid, pod.metadata.deletionTimestamp === undefined, pod.nodeName, isOver(pod), pod.size]);
const ofNode = ({ ready, cordoned, taints, allocatable }: NodeView): string =>
  JSON.stringify([ready, cordoned, taints, allocatable]);
const ofVolume = ({ claimUid, local }: VolumeView): string => (local ? (claimUid ?? '') : '');
/** A pod without a node takes no room yet. */
const ofForeign = ({ nodeName, takes }: ForeignPodView): string =>
  nodeName === undefined ? '' : JSON.stringify([nodeName, takes]);

function isOfSeats<T>(change: Change<T>, textOf: (object: T) => string): boolean {
  return textOf(change.object) !== (change.kind === 'updated' ? textOf(change.previous) : '');
}

function touchOn<T extends KubeObject>(cache: ObjectCache<T>, textOf: (object: T) => string, touch: () => void): void {
  cache.onChange((change) => {
    if (isOfSeats(change, textOf)) touch();
  });
}

function connectSeatTriggers(
  planner: SeatPlanner,
  watched: Watched,
  foreign: readonly ObjectCache<ForeignPodView>[],
): void {
  const later = (): void => planner.touch('later');
  const soon = (): void => planner.touch('soon');
  touchOn(watched.agents.cache, ofAgent, later);
  touchOn(watched.pods.cache, ofPod, later);
  touchOn(watched.volumes.cache, ofVolume, later);
  touchOn(watched.nodes.cache, ofNode, soon);
  for (const cache of foreign) touchOn(cache, ofForeign, later);
  // The operator must count the seats of a new size before any agent uses it.
  watched.tiers.cache.onChange((change) => {
    if (change.kind !== 'updated' || change.object.metadata.generation !== change.previous.metadata.generation)
      planner.replan();
  });
}

export interface TierFacts {
  readonly tier: TierView;
  /** Undefined if the operator cannot parse the spec. */
  readonly seats: TierSeats | undefined;
  readonly agents: number;
  readonly openNodes: number;
  /** The check of its rules; null until the operator can check their examples, undefined if there is nothing to report. */
  readonly checkedRules?: CheckedRules | null | undefined;
}

type Derived = readonly [ConditionStatus, EntitlementReason, string];

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

function derived({ tier: { spec }, seats, openNodes }: TierFacts): Derived {
  if (seats === undefined)
    return [
      'False',
      'InvalidSpec',
      'the operator cannot parse the spec: correct it as kubectl explain entitlement.spec says, and apply it again',
    ];
  const { resources, gpu } = spec.compute;
  const { cpu, memory } = RESIDENT_SHARE_TEXT;
  const size = `cpu ${resources.cpu} and memory ${resources.memory} an agent, and cpu ${cpu} and memory ${memory} for its resident,`;
  if (openNodes === 0) return ['False', 'NoNode', 'no node is ready and open to agents: see kubectl get nodes'];
  if (seats.total === 0)
    return [
      'False',
      'TooLarge',
      `no node has room for ${size} beside its other pods: write smaller resources, or free a node`,
    ];
  const where = `on ${plural(openNodes, 'open node')}`;
  if (gpu.claimTemplateName !== undefined)
    return [
      'True',
      'DevicesNotCounted',
      `${size} ${where}; only the scheduler knows the devices of claim template ${gpu.claimTemplateName}`,
    ];
  return ['True', 'Derived', `${size} ${where}, after the requests of other pods and the reserve of each node`];
}

/** The whole status of an Entitlement; `now`, in RFC 3339, dates a changed condition. */
export function tierStatus(facts: TierFacts, now: string): EntitlementStatus {
  const { tier, seats, agents } = facts;
  const [status, reason, message] = derived(facts);
  return {
    conditions: conditionsOf(
      [['Derived', { status, reason, message }], ...rulesResults(facts.checkedRules)],
      tier.status?.conditions,
      now,
    ),
    ...(tier.metadata.generation === undefined ? {} : { observedGeneration: tier.metadata.generation }),
    ...(seats === undefined ? {} : { seats }),
    agents,
  };
}
