import type { Client } from '@hamlet/contract';
import type { Change, Clock, EventRecorder, KubeClient, KubeObject, OutcomeRecord, WatchTimes } from '@hamlet/kube';
import { keyOf, Reflector, Resync, runWorkers, systemClock, WorkQueue } from '@hamlet/kube';
import { Counter, Histogram, type Registry } from 'prom-client';
import { fireThrough, type FiringResult, VillageTime } from './fire.ts';
import type { RunFacts } from '../../village/api-state.ts';
import { selects, type AgentsKnown } from './observe.ts';
import { ScheduleReconciler } from './reconcile.ts';
import { SCHEDULES } from '../../objects/names.ts';
import { scheduleView, type ScheduleView } from './cached-schedule.ts';

const WORKERS = 8;
const BY_UID = 'uid';
const LATE_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 300];

interface ScheduleControllerOptions {
  readonly client: KubeClient;
  readonly village: Client;
  readonly namespace: string;
  readonly agents: {
    readonly cache: AgentsKnown & { onChange(listener: (change: Change<KubeObject>) => void): void };
    readonly state: { readonly synced: boolean };
  };
  readonly runs: RunFacts;
  readonly recorder: Pick<EventRecorder, 'record'>;
  readonly registry: Registry;
  readonly log: (line: string) => void;
  readonly watchTimes?: WatchTimes;
  readonly now?: () => number;
  readonly clock?: Clock;
}

export class ScheduleController {
  readonly schedules: Reflector<ScheduleView>;
  readonly #options: ScheduleControllerOptions;
  readonly #queue: WorkQueue;
  readonly #resync: Resync;
  readonly #reconciler: ScheduleReconciler;
  readonly #firings: Counter<'result'>;
  readonly #lateSeconds: Histogram;
  /** True if the api refused the last firing because it trusts another leader. */
  #distrusted = false;
  #working: Promise<void> = Promise.resolve();

  constructor(options: ScheduleControllerOptions) {
    const { client, namespace, agents, runs, recorder, log, watchTimes, now = Date.now, clock = systemClock } = options;
    this.#options = options;
    this.#queue = new WorkQueue(clock);
    this.schedules = new Reflector<ScheduleView>({
      client,
      type: SCHEDULES,
      namespace,
      transform: scheduleView,
      indexers: { [BY_UID]: ({ metadata }) => [metadata.uid] },
      onListenerError: (error) => log(`schedules: ${String(error)}`),
      ...(watchTimes === undefined ? {} : { times: watchTimes }),
    });
    this.#resync = new Resync({ queue: this.#queue, keys: () => this.schedules.cache.keys(), clock });
    const registers = [options.registry];
    this.#firings = new Counter({
      name: 'hamlet_operator_firings_total',
      help: 'Firings of Schedules, by result.',
      labelNames: ['result'],
      registers,
    });
    this.#lateSeconds = new Histogram({
      name: 'hamlet_operator_firing_late_seconds',
      help: 'Lateness of claimed firings.',
      buckets: LATE_SECONDS,
      registers,
    });
    const time = new VillageTime(now);
    this.#reconciler = new ScheduleReconciler({
      sources: { schedules: this.schedules.cache, agents: agents.cache, runs },
      ports: { client, schedules: this.schedules, recorder, fire: fireThrough(options.village, time) },
      time,
      clock,
      onFired: (result, lateMs) => {
        const claimed = result.kind === 'fired' && result.claimed;
        this.#firings.inc({
          result: claimed ? 'claimed' : result.kind === 'fired' ? 'repeated' : result.kind.replace(' ', '_'),
        });
        if (claimed) this.#lateSeconds.observe(lateMs / 1_000);
        if (result.kind === 'failed') log(`a firing failed: ${String(result.error)}`);
        this.#noteTrust(result);
      },
      onStatusError: (key, error) => log(`status of schedule ${key}: ${String(error)}`),
    });
  }

  async start(): Promise<void> {
    this.schedules.cache.onChange((change) => this.#onSchedule(change));
    this.#options.agents.cache.onChange((change) => this.#onAgent(change));
    await this.schedules.start();
    this.#working = runWorkers({
      queue: this.#queue,
      count: WORKERS,
      reconcile: (key) => this.#reconciler.reconcile(key),
      onOutcome: (record) => this.#onOutcome(record),
    });
    this.#resync.start();
  }

  problem(): string | undefined {
    const { problem } = this.schedules;
    return problem === undefined ? undefined : `schedules: ${problem}`;
  }

  /** Call it when the runs of the Schedule with that uid may have changed. */
  onRuns(uid: string): void {
    for (const { metadata } of this.schedules.cache.by(BY_UID, uid)) this.#queue.add(keyOf(metadata));
  }

  requeue(key: string): void {
    this.#queue.add(key);
  }

  /** Call it when the api becomes reachable or unreachable, or has reported the whole state. */
  onReachable(): void {
    for (const key of this.schedules.cache.keys()) this.#queue.add(key);
  }

  async stop(): Promise<void> {
    this.#resync.stop();
    this.#queue.close();
    await Promise.all([this.#working, this.schedules.stop()]);
  }

  #onSchedule({ kind, key, object }: Change<ScheduleView>): void {
    if (kind === 'deleted') this.#reconciler.forget(object.metadata.uid);
    this.#queue.add(key, this.schedules.state.synced ? 'live' : 'bulk');
  }

  /** Reconciles Schedules that begin or cease to select the Agent, because a Schedule without an Agent gives up its slots. */
  #onAgent(change: Change<KubeObject>): void {
    if (!this.#options.agents.state.synced || !mayChangeSelection(change)) return;
    for (const schedule of this.schedules.cache.values()) {
      if (
        selects(schedule, change.object.metadata) ||
        (change.kind === 'updated' && selects(schedule, change.previous.metadata))
      )
        this.#queue.add(keyOf(schedule.metadata));
    }
  }

  #noteTrust({ kind }: FiringResult): void {
    if (kind === 'failed' || this.#distrusted === (kind === 'stale')) return;
    this.#distrusted = kind === 'stale';
    this.#options.log(
      this.#distrusted
        ? 'the api trusts another leader and refuses firings; retrying each every second'
        : 'the api accepts firings of this leader again',
    );
  }

  #onOutcome({ key, outcome }: OutcomeRecord): void {
    if (outcome.kind === 'retry' || outcome.kind === 'terminal')
      this.#options.log(`schedule ${key}: ${String(outcome.error)}`);
  }
}

function mayChangeSelection(change: Change<KubeObject>): boolean {
  if (change.kind !== 'updated') return true;
  const selection = ({ metadata }: KubeObject): string => JSON.stringify([metadata.labels, metadata.deletionTimestamp]);
  return selection(change.object) !== selection(change.previous);
}
