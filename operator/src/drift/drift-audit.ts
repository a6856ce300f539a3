import type { AgentBooks, ScheduleActivity } from '@hamlet/contract';
import { API_VERSION } from '@hamlet/contract/kinds';
import { pause, wakefulClock, type Clock, type EventRecorder } from '@hamlet/kube';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ScheduleView } from '../kinds/schedule/cached-schedule.ts';
import { AGENTS } from '../objects/names.ts';
import { agentDifferences, scheduleDifferences, type AgentFacts, type AgentObjects } from './agent-differences.ts';
import type { Books } from './books-client.ts';
import type { Difference, Known, KnownDifference } from './difference.ts';
import { differenceText, DRIFT_KINDS, judgeDrift } from './difference.ts';

/** Average interval between two audits; one interval is 10 to 30 minutes. */
const AUDIT_MS = 20 * 60_000;
/** Age at which a difference counts as drift. A change in progress arrives within seconds. */
const DRIFT_AFTER_MS = 60_000;
const SPREAD = 0.5;
/** Delay of the next comparison after young differences have become old enough to count as drift. */
const LOOK_AGAIN_MARGIN_MS = 1_000;
const MAX_LINES = 50;

export interface DriftPorts {
  readonly namespace: string;
  readonly books: Books;
  readonly memory: {
    readonly current: () => boolean;
    readonly agent: (name: string) => AgentFacts;
    readonly schedule: (uid: string) => ScheduleActivity | undefined;
    readonly startOver: () => void;
  };
  readonly objects: {
    readonly agentNames: () => Iterable<string>;
    readonly agent: (name: string) => AgentObjects | undefined;
    readonly schedules: () => Iterable<ScheduleView>;
  };
  readonly requeue: (difference: Difference) => void;
  readonly recorder: Pick<EventRecorder, 'record'>;
  readonly metrics: DriftMetrics;
  readonly log: (line: string) => void;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly everyMs?: number;
  readonly afterMs?: number;
}

/** Compares the database with Kubernetes and the operator's memory at intervals, and requeues objects that differ. */
export class DriftAudit {
  readonly #ports: DriftPorts;
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  #known: Known = new Map();
  #running: Promise<void> | undefined;

  constructor(ports: DriftPorts) {
    this.#ports = ports;
    this.#clock = ports.clock ?? wakefulClock;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let waitMs = this.#intervalMs();
    while (!signal.aborted) {
      await pause(waitMs, signal, this.#clock);
      if (signal.aborted) return;
      waitMs = await this.#round();
    }
  }

  #intervalMs(): number {
    const { everyMs = AUDIT_MS, random = Math.random } = this.#ports;
    return everyMs * (1 - SPREAD + 2 * SPREAD * random());
  }

  async #round(): Promise<number> {
    const { memory, metrics, log, afterMs = DRIFT_AFTER_MS } = this.#ports;
    if (!memory.current()) {
      metrics.onRound('skipped');
      return this.#intervalMs();
    }
    try {
      const found = [...(await this.#agents()), ...(await this.#schedules())];
      const { known, fresh, drift, undecided } = judgeDrift(this.#known, found, { nowMs: this.#clock.now(), afterMs });
      this.#known = known;
      metrics.onRound('complete');
      metrics.onDrift(
        fresh.map(({ difference }) => difference),
        drift.map(({ difference }) => difference),
      );
      this.#report(fresh);
      this.#repair(fresh);
      return undecided ? Math.min(this.#intervalMs(), afterMs + LOOK_AGAIN_MARGIN_MS) : this.#intervalMs();
    } catch (error) {
      if (!this.#stopping.signal.aborted)
        log(`the drift audit failed: ${error instanceof Error ? error.message : String(error)}`);
      metrics.onRound('failed');
      return this.#intervalMs();
    }
  }

  async #agents(): Promise<readonly Difference[]> {
    const { books, objects } = this.#ports;
    const found: Difference[] = [];
    const named = new Set<string>();
    for await (const page of books.agents(this.#stopping.signal)) {
      for (const entry of page) {
        named.add(entry.agent_id);
        found.push(...this.#compareAgent(entry.agent_id, entry));
      }
    }
    for (const name of objects.agentNames()) if (!named.has(name)) found.push(...this.#compareAgent(name, undefined));
    return found;
  }

  #compareAgent(name: string, books: AgentBooks | undefined): readonly Difference[] {
    const { memory, objects } = this.#ports;
    return agentDifferences({ name, books, remembered: memory.agent(name), objects: objects.agent(name) });
  }

  async #schedules(): Promise<readonly Difference[]> {
    const { books, memory, objects } = this.#ports;
    const held = new Map<string, ScheduleActivity>();
    for await (const page of books.schedules(this.#stopping.signal))
      for (const entry of page) held.set(entry.schedule_uid, entry);
    return [...objects.schedules()].flatMap((schedule) => {
      const { uid } = schedule.metadata;
      return scheduleDifferences({ schedule, books: held.get(uid), remembered: memory.schedule(uid) });
    });
  }

  #report(fresh: readonly KnownDifference[]): void {
    const { log, recorder, namespace } = this.#ports;
    for (const { difference, sinceMs } of fresh.slice(0, MAX_LINES)) {
      const { of, name, kind } = difference;
      const message = `${differenceText(difference)}, for ${Math.round((this.#clock.now() - sinceMs) / 1_000)} s at least`;
      log(`drift (${kind}) of ${of} ${name}: ${message}`);
      const uid = this.#uidOf(difference);
      if (uid !== undefined)
        recorder.record({
          target: { apiVersion: API_VERSION, kind: of, namespace, name, uid },
          type: 'Warning',
          reason: 'Drift',
          message,
        });
    }
    if (fresh.length > MAX_LINES) log(`drift: ${fresh.length - MAX_LINES} more differences`);
  }

  #uidOf({ of, name }: Difference): string | undefined {
    const { objects } = this.#ports;
    if (of === AGENTS.kind) return objects.agent(name)?.agent.metadata.uid;
    return [...objects.schedules()].find(({ metadata }) => metadata.name === name)?.metadata.uid;
  }

  /** Requeues each object. If the operator's memory is wrong, first asks the api once for the whole state. */
  #repair(fresh: readonly KnownDifference[]): void {
    const { memory, requeue } = this.#ports;
    if (fresh.some(({ difference }) => difference.against === 'operator')) memory.startOver();
    for (const { difference } of fresh) requeue(difference);
  }
}

interface DriftMetrics {
  /** `fresh` is newly detected drift, `standing` all current drift. */
  onDrift(fresh: readonly Difference[], standing: readonly Difference[]): void;
  onRound(result: 'complete' | 'skipped' | 'failed'): void;
}

export function driftMetrics(registry: Registry): DriftMetrics {
  const registers = [registry];
  const drift = new Counter({
    name: 'hamlet_operator_drift_total',
    help: 'Differences between the database and Kubernetes that lasted a minute, by kind; each counts once.',
    labelNames: ['kind'],
    registers,
  });
  const standing = new Gauge({
    name: 'hamlet_operator_drift',
    help: 'Such differences at the last audit, by kind.',
    labelNames: ['kind'],
    registers,
  });
  const rounds = new Counter({
    name: 'hamlet_operator_drift_audits_total',
    help: 'Audits by result; skipped while the api does not answer.',
    labelNames: ['result'],
    registers,
  });
  for (const kind of DRIFT_KINDS) drift.inc({ kind }, 0);
  return {
    onDrift: (fresh, all) => {
      for (const { kind } of fresh) drift.inc({ kind });
      for (const kind of DRIFT_KINDS)
        standing.set({ kind }, all.filter((difference) => difference.kind === kind).length);
    },
    onRound: (result) => rounds.inc({ result }),
  };
}
