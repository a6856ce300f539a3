import type { Client, VillageState } from '@hamlet/contract';
import { NO_ROOM, type Room } from '@hamlet/core/seats';
import type { KubeClient, KubeObject, OutcomeRecord, ReflectorOptions, ResourceType, WatchTimes } from '@hamlet/kube';
import {
  CLAIMS,
  EventRecorder,
  keyOf,
  NODES,
  PODS,
  Reflector,
  Resync,
  runWorkers,
  SERVICES,
  systemClock,
  VOLUMES,
  WorkQueue,
} from '@hamlet/kube';
import { booksThrough } from './drift/books-client.ts';
import { DriftAudit, driftMetrics, type DriftPorts } from './drift/drift-audit.ts';
import { entitledTier } from './kinds/agent/condition/admission.ts';
import type { Settings } from './kinds/agent/facts.ts';
import { entitledFacts } from './kinds/agent/observe.ts';
import { AgentReconciler } from './kinds/agent/reconcile.ts';
import { connectTriggers } from './kinds/agent/triggers.ts';
import type { Entitled } from './kinds/entitlement/seat-sources.ts';
import { Seats } from './kinds/entitlement/seats.ts';
import { ScheduleController } from './kinds/schedule/controller.ts';
import { addGauges, errorText, queueWaits, type OperatorMetrics } from './metrics.ts';
import type { CachedAgent, TierView } from './objects/cached-objects.ts';
import { cachedAgent, isReadable, nodeView, tierView, volumeClaimView, volumeView } from './objects/cached-objects.ts';
import { AGENT_ROLE, AGENTS, ENTITLEMENTS, FOR_AGENTS, FOR_LABEL, ROLE_LABEL } from './objects/names.ts';
import { podView } from './objects/pod-view.ts';
import { createRuleChecker, type CheckRules } from './objects/rule-checker.ts';
import { nextHosts, serviceView } from './objects/service-hosts.ts';
import { BY_OWNER, CLAIM_INDEXERS, POD_INDEXERS, VOLUME_INDEXERS, type Watched } from './objects/watched.ts';
import { closeAccount, holdsThrough } from './village/village-client.ts';
import { VillageStream } from './village/village-stream.ts';

const FLUSH_EVENTS_MS = 2_000;

interface OperatorOptions {
  readonly client: KubeClient;
  readonly village: Client;
  readonly namespace: string;
  readonly settings: Settings;
  readonly workers: number;
  readonly instance: string;
  readonly metrics: OperatorMetrics;
  readonly log: (line: string) => void;
  readonly reserve?: Room;
  readonly watchTimes?: WatchTimes;
  /** Interval of the drift audit, and the age at which a difference counts as drift; defaults apply. */
  readonly audit?: Pick<DriftPorts, 'everyMs' | 'afterMs'>;
}

/** The controllers of one village. They run in the process that leads. */
export class Operator {
  readonly watched: Watched;
  readonly #options: OperatorOptions;
  readonly #queue: WorkQueue;
  readonly #recorder: EventRecorder;
  readonly #village: VillageStream;
  readonly #reconciler: AgentReconciler;
  readonly #schedules: ScheduleController;
  readonly #audit: DriftAudit;
  readonly #seats: Seats;
  readonly #checkRules: CheckRules;
  #tiers: readonly TierView[] = [];
  #settings: Settings;
  readonly #resync: Resync;
  #working: Promise<void> = Promise.resolve();

  constructor(options: OperatorOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.#queue = new WorkQueue(systemClock, { onTaken: queueWaits(options.metrics.registry) });
    this.watched = this.#reflectors();
    addGauges(options.metrics.registry, this.#queue, this.watched);
    this.#resync = new Resync({ queue: this.#queue, keys: () => this.watched.agents.cache.keys() });
    this.#recorder = new EventRecorder({
      client: options.client,
      component: 'hamlet-operator',
      instance: options.instance,
      onError: (error) => options.log(`Event not written: ${errorText(error)}`),
    });
    this.#village = new VillageStream({
      client: options.village,
      onStanding: (agentId) => this.#onStanding(agentId),
      onPresence: (agentId) => this.#reconciler.touch(keyOf({ namespace: options.namespace, name: agentId })),
      onCapabilities: (agentId) => this.#reconciler.touch(keyOf({ namespace: options.namespace, name: agentId })),
      onSchedule: (uid) => this.#schedules.onRuns(uid),
      onClaim: (agentId) => this.#onStanding(agentId),
      onBoost: (agentId) => this.#onStanding(agentId),
      onVillage: (village) => this.#onVillage(village),
      onShortage: () => this.#seats.touch(),
      onReachable: (reachable) => this.#onReachable(reachable),
      onError: (error) => options.log(`api: ${errorText(error)}`),
    });
    // The seats read the ranked tiers, so this listener must come before theirs.
    this.watched.tiers.cache.onChange(() => this.#rank());
    this.watched.services.cache.onChange(() => this.#learnHosts());
    this.#checkRules = createRuleChecker({
      onLoad: () => this.#onRulesChecked(),
      onError: (error) => options.log(`examples of rules: ${errorText(error)}`),
    });
    this.#seats = this.#makeSeats();
    this.#reconciler = this.#makeReconciler();
    this.#schedules = new ScheduleController({
      ...options,
      agents: this.watched.agents,
      runs: this.#village,
      recorder: this.#recorder,
      registry: options.metrics.registry,
    });
    this.#audit = this.#makeAudit();
  }

  async start(): Promise<void> {
    connectTriggers(this.watched, {
      add: (key, urgency) => this.#queue.add(key, urgency),
      touch: (key) => this.#reconciler.touch(key),
    });
    this.#village.start();
    await Promise.all(Object.values(this.watched).map((reflector) => reflector.start()));
    await this.#seats.start();
    this.#working = runWorkers({
      queue: this.#queue,
      count: this.#options.workers,
      reconcile: (key) => this.#reconciler.reconcile(key),
      onOutcome: (record) => this.#onOutcome(record),
    });
    this.#resync.start();
    await this.#schedules.start();
    this.#audit.start();
  }

  /** The problems for `/readyz`, if any: kinds that are not listed yet, are refused, or are silent for too long. */
  problem(): string | undefined {
    const problems = Object.entries(this.watched).flatMap(([kind, { problem }]) =>
      problem === undefined ? [] : [`${kind}: ${problem}`],
    );
    const all = [...problems, this.#seats.problem() ?? [], this.#schedules.problem() ?? []].flat();
    return all.length === 0 ? undefined : all.join('; ');
  }

  /** Milliseconds for which keys have waited while no worker took or finished any. */
  get stalledMs(): number {
    return this.#queue.stalledMs;
  }

  async stop(): Promise<void> {
    this.#resync.stop();
    this.#queue.close();
    this.#reconciler.close();
    await Promise.all([
      this.#audit.stop(),
      this.#working,
      this.#seats.stop(),
      this.#schedules.stop(),
      this.#village.stop(),
      ...Object.values(this.watched).map((reflector) => reflector.stop()),
    ]);
    await this.#recorder.flush(FLUSH_EVENTS_MS);
  }

  #makeReconciler(): AgentReconciler {
    const { agents, pods, claims, nodes } = this.watched;
    const { client, village, log } = this.#options;
    return new AgentReconciler({
      sources: {
        agents: agents.cache,
        pods: pods.cache,
        claims: claims.cache,
        nodes: nodes.cache,
        tiers: () => this.#tiers,
        village: this.#village,
        seatOf: (key) => this.#seats.seatOf(key),
        checkRules: this.#checkRules,
        settings: () => this.#settings,
      },
      ports: {
        client,
        agents,
        pods,
        claims,
        recorder: this.#recorder,
        closeAccount: (agentId, uid) => closeAccount(village, agentId, uid),
        holds: holdsThrough(village, this.#village),
      },
      now: () => new Date(),
      clock: systemClock,
      onDue: (key) => this.#queue.add(key),
      onStatusError: (key, error) => log(`status of ${key}: ${errorText(error)}`),
    });
  }

  #makeAudit(): DriftAudit {
    const { namespace, village, metrics, log, audit = {} } = this.#options;
    const stream = this.#village;
    const { agents, pods } = this.watched;
    const key = (name: string): string => keyOf({ namespace, name });
    return new DriftAudit({
      ...audit,
      namespace,
      books: booksThrough(village),
      memory: {
        current: () => stream.reachable && stream.synced,
        agent: (name) => ({
          standing: stream.standingOf(name),
          presence: stream.presenceOf(name),
          boost: stream.boostOf(name),
          claim: stream.claimOf(name),
        }),
        schedule: (uid) => stream.scheduleOf(uid),
        startOver: () => stream.startOver(),
      },
      objects: {
        agentNames: () => [...agents.cache.values()].map(({ metadata }) => metadata.name),
        agent: (name) => {
          const agent = agents.cache.get(key(name));
          return agent === undefined
            ? undefined
            : {
                agent,
                pods: pods.cache.by(BY_OWNER, agent.metadata.uid),
                tiers: new Set(this.#tiers.map(({ metadata }) => metadata.name)),
              };
        },
        schedules: () => this.#schedules.schedules.cache.values(),
      },
      requeue: ({ of, name }) => (of === 'Agent' ? this.#onStanding(name) : this.#schedules.requeue(key(name))),
      recorder: this.#recorder,
      metrics: driftMetrics(metrics.registry),
      log,
    });
  }

  #makeSeats(): Seats {
    const { client, namespace, reserve = NO_ROOM, log } = this.#options;
    return new Seats({
      client,
      namespace,
      watched: this.watched,
      reflector: (type, watch) => this.#reflector(type, watch),
      tiers: () => this.#tiers,
      entitled: (agent) => this.#entitled(agent),
      shortageOf: this.#village.shortageOf,
      reserve,
      checkRules: this.#checkRules,
      clock: systemClock,
      now: () => new Date(),
      onSeat: (key) => this.#queue.add(key),
      onError: (what, error) => log(`${what}: ${errorText(error)}`),
    });
  }

  #entitled(agent: CachedAgent): Entitled {
    const sources = { village: this.#village, tiers: () => this.#tiers, nowMs: Date.now };
    const { boost, ...facts } = entitledFacts(sources, agent);
    return { boost, ...entitledTier({ agent, publishedTier: agent.status.tier, ...facts }) };
  }

  #reflectors(): Watched {
    const { namespace } = this.#options;
    const labelSelector = `${ROLE_LABEL}=${AGENT_ROLE}`;
    return {
      agents: this.#reflector(AGENTS, { namespace, transform: cachedAgent }),
      pods: this.#reflector(PODS, { namespace, labelSelector, transform: podView, indexers: POD_INDEXERS }),
      claims: this.#reflector(CLAIMS, {
        namespace,
        labelSelector,
        metadataOnly: true,
        transform: volumeClaimView,
        indexers: CLAIM_INDEXERS,
      }),
      volumes: this.#reflector(VOLUMES, { transform: volumeView, indexers: VOLUME_INDEXERS }),
      tiers: this.#reflector(ENTITLEMENTS, { namespace, transform: tierView }),
      nodes: this.#reflector(NODES, { transform: nodeView }),
      services: this.#reflector(SERVICES, {
        namespace,
        labelSelector: `${FOR_LABEL}=${FOR_AGENTS}`,
        transform: serviceView,
      }),
    };
  }

  #reflector<T extends KubeObject>(
    type: ResourceType,
    options: Pick<
      ReflectorOptions<T>,
      'namespace' | 'labelSelector' | 'fieldSelector' | 'indexers' | 'metadataOnly'
    > & { readonly transform: (object: T, held: T | undefined) => T },
  ): Reflector<T> {
    const { client, metrics, log, watchTimes } = this.#options;
    return new Reflector<T>({
      ...options,
      client,
      type,
      ...(watchTimes === undefined ? {} : { times: watchTimes }),
      onListenerError: (error) => log(`${type.plural}: ${errorText(error)}`),
      onFailure: (error, recovery) => {
        metrics.onWatchFailure(type.plural, recovery);
        log(`${type.plural}: ${errorText(error)}; ${recovery.action} in ${Math.round(recovery.delayMs)} ms`);
      },
    });
  }

  /** This listener comes before that of the queue, so that a reconcile knows the addresses. */
  #learnHosts(): void {
    const hosts = nextHosts(this.#settings.hosts, this.watched.services.cache.values());
    this.#settings = { ...this.#settings, hosts };
  }

  #rank(): void {
    this.#tiers = [...this.watched.tiers.cache.values()]
      .filter(isReadable)
      .toSorted((a, b) => a.spec.rank - b.spec.rank || a.metadata.name.localeCompare(b.metadata.name));
  }

  #onRulesChecked(): void {
    this.#seats.refresh();
    for (const { metadata, spec } of this.watched.agents.cache.values())
      if (spec?.tools !== undefined) this.#reconciler.touch(keyOf(metadata));
  }

  #onStanding(agentId: string): void {
    this.#queue.add(keyOf({ namespace: this.#options.namespace, name: agentId }));
    this.#seats.touch();
  }

  /** While the village is frozen, the api refuses firings. After the freeze, the operator plans the due slots again. */
  #onVillage({ frozen, reason }: VillageState): void {
    if (frozen) this.#options.log(`the village is frozen${reason === null ? '' : `: ${reason}`}`);
    else this.#schedules.onReachable();
  }

  #onReachable(reachable: boolean): void {
    this.#options.log(reachable ? 'the api answers' : 'the api does not answer');
    this.#seats.touch();
    this.#schedules.onReachable();
    // Agents that waited for the api may continue. While the api does not answer, only their statuses change.
    for (const key of this.watched.agents.cache.keys()) {
      if (reachable) this.#queue.add(key, 'bulk');
      else this.#reconciler.touch(key);
    }
  }

  #onOutcome(record: OutcomeRecord): void {
    this.#options.metrics.onOutcome(record);
    const { key, outcome, retryInMs } = record;
    if (outcome.kind !== 'retry' && outcome.kind !== 'terminal') return;
    this.#options.log(
      `agent ${key}: ${errorText(outcome.error)}${retryInMs === undefined ? '' : `; retry in ${retryInMs} ms`}`,
    );
  }
}
