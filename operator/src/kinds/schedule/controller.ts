import type { Client } from '@hamlet/contract';
import {
  keyOf,
  Reflector,
  Resync,
  runWorkers,
  systemClock,
  WorkQueue,
  type Change,
  type Clock,
  type EventRecorder,
  type KubeClient,
  type KubeObject,
  type OutcomeRecord,
  type WatchTimes,
} from '@hamlet/kube';
import { Counter, Histogram, type Registry } from 'prom-client';
import { fireThrough, type FiringResult } from './fire.ts';
import { speaksTo, type AgentsKnown, type RunFacts } from './observe.ts';
import { ScheduleReconciler } from './reconcile.ts';
import { scheduleView } from './transform.ts';
import { VillageTime } from './village-time.ts';
import { SCHEDULES, type ScheduleView } from './views.ts';

/** Schedules that fire at one time. */
const WORKERS = 8;
const BY_UID = 'uid';
const LATE_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 300];

export interface ScheduleControllerOptions {
  readonly client: KubeClient;
  readonly village: Client;
  readonly namespace: string;
  /** The Agents, watched by somebody else. */
  readonly agents: {
    readonly cache: AgentsKnown & { onChange(listener: (change: Change<KubeObject>) => void): void };
    readonly state: { readonly synced: boolean };
  };
  readonly runs: RunFacts;
  readonly recorder: Pick<EventRecorder, 'record'>;
  readonly registry: Registry;
  readonly log: (line: string) => void;
  readonly watchTimes?: WatchTimes;
  /** This machine's date in milliseconds, and its timers. */
  readonly now?: () => number;
  readonly clock?: Clock;
}

/** Fires the Schedules of one village. Its timers are one a Schedule, for the next time it is due. */
export class ScheduleController {
  readonly schedules: Reflector<ScheduleView>;
  readonly #options: ScheduleControllerOptions;
  readonly #queue: WorkQueue;
  readonly #resync: Resync;
  readonly #reconciler: ScheduleReconciler;
  readonly #firings: Counter<'result'>;
  readonly #lateSeconds: Histogram;
  /** The api refused the last firing because it trusts another leader. */
  #distrusted = false;
  #working: Promise<void> = Promise.resolve();

  constructor(options: ScheduleControllerOptions) {
    const {
      client,
      village,
      namespace,
      agents,
      runs,
      recorder,
      registry,
      log,
      watchTimes,
      now = Date.now,
      clock = systemClock,
    } = options;
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
    const registers = [registry];
    this.#firings = new Counter({
      name: 'hamlet_operator_firings_total',
      help: 'Firings of Schedules, by how they ended.',
      labelNames: ['result'],
      registers,
    });
    this.#lateSeconds = new Histogram({
      name: 'hamlet_operator_firing_late_seconds',
      help: 'How late claimed firings were.',
      buckets: LATE_SECONDS,
      registers,
    });
    const time = new VillageTime(now);
    this.#reconciler = new ScheduleReconciler({
      sources: { schedules: this.schedules.cache, agents: agents.cache, runs },
      ports: { client, schedules: this.schedules, recorder, fire: fireThrough(village, time) },
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

  /** Lists, then works; resolves when the workers have begun. */
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

  /** What is wrong, for `/readyz`. */
  problem(): string | undefined {
    const { problem } = this.schedules;
    return problem === undefined ? undefined : `schedules: ${problem}`;
  }

  /** The api says something of the runs of that Schedule. */
  onRuns(uid: string): void {
    for (const { metadata } of this.schedules.cache.by(BY_UID, uid)) this.#queue.add(keyOf(metadata));
  }

  /** Looks at one Schedule again, `namespace/name`. */
  lookAgain(key: string): void {
    this.#queue.add(key);
  }

  /** The api answers again, or no more, or has said all that holds. */
  onReachable(): void {
    for (const key of this.schedules.cache.keys()) this.#queue.add(key);
  }

  /** Takes no more keys and lets what is under way finish. */
  async stop(): Promise<void> {
    this.#resync.stop();
    this.#queue.close();
    await Promise.all([this.#working, this.schedules.stop()]);
  }

  #onSchedule({ kind, key, object }: Change<ScheduleView>): void {
    if (kind === 'deleted') this.#reconciler.forget(object.metadata.uid);
    this.#queue.add(key, this.schedules.state.synced ? 'live' : 'bulk');
  }

  /** Whom a Schedule speaks to matters at its firing; here only whether there is anybody. */
  #onAgent(change: Change<KubeObject>): void {
    if (!this.#options.agents.state.synced || !mayChangeWho(change)) return;
    for (const schedule of this.schedules.cache.values()) {
      if (
        speaksTo(schedule, change.object.metadata) ||
        (change.kind === 'updated' && speaksTo(schedule, change.previous.metadata))
      )
        this.#queue.add(keyOf(schedule.metadata));
    }
  }

  /** One line when the api stops trusting this leader and one when it starts again, however many Schedules try. */
  #noteTrust({ kind }: FiringResult): void {
    if (kind === 'failed' || this.#distrusted === (kind === 'stale')) return;
    this.#distrusted = kind === 'stale';
    this.#options.log(
      this.#distrusted
        ? 'the api trusts another leader and refuses firings: each is tried again every second'
        : 'the api takes firings of this leader again',
    );
  }

  #onOutcome({ key, outcome }: OutcomeRecord): void {
    if (outcome.kind === 'retry' || outcome.kind === 'terminal')
      this.#options.log(`schedule ${key}: ${String(outcome.error)}`);
  }
}

function mayChangeWho(change: Change<KubeObject>): boolean {
  if (change.kind !== 'updated') return true;
  const who = ({ metadata }: KubeObject): string => JSON.stringify([metadata.labels, metadata.deletionTimestamp]);
  return who(change.object) !== who(change.previous);
}
