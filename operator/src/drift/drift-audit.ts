import { API_VERSION } from '@hamlet/contract/kinds';
import { pause, wakefulClock, type Clock, type EventRecorder } from '@hamlet/kube';
import { AGENTS } from '../kinds/agent/agents.ts';
import type { ScheduleView } from '../kinds/schedule/views.ts';
import type { ScheduleFacts } from '../kinds/schedule/observe.ts';
import { agentDifferences, type AgentFacts, type AgentInBooks, type AgentObjects } from './agent-differences.ts';
import type { Books } from './books-client.ts';
import { differenceText, type Difference } from './difference.ts';
import type { DriftMetrics } from './drift-metrics.ts';
import { judgeDrift, type Known, type KnownDifference } from './judge-drift.ts';
import { scheduleDifferences } from './schedule-differences.ts';

/** Everything is compared once in 10 to 30 minutes. */
export const AUDIT_MS = 20 * 60_000;
/** A difference that stood so long is drift: what is on its way arrives in seconds. */
export const DRIFT_AFTER_MS = 60_000;
/** Spread around it, to both sides. */
const SPREAD = 0.5;
/** A round that found something looks again this long after it could be drift. */
const LOOK_AGAIN_MARGIN_MS = 1_000;
/** Lines of one round in the log; the metric counts all. */
const MAX_LINES = 50;

/** What the audit looks at and does. */
export interface DriftPorts {
  readonly namespace: string;
  readonly books: Books;
  readonly heard: {
    /** The api answers, and has said all that holds. */
    readonly current: () => boolean;
    readonly agent: (name: string) => AgentFacts;
    readonly schedule: (uid: string) => ScheduleFacts | undefined;
    /** Asks the api to say all that holds once more. */
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
  /** 0 ≤ random < 1 */
  readonly random?: () => number;
  readonly everyMs?: number;
  /** How old a difference has to be. */
  readonly afterMs?: number;
}

/** Compares at intervals what the database holds with what Kubernetes has and what this operator heard, names what differs and has it looked at again. */
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

  /** Begins, once however often it is called. */
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

  /** One comparison of everything; the milliseconds until the next. */
  async #round(): Promise<number> {
    const { heard, metrics, log, afterMs = DRIFT_AFTER_MS } = this.#ports;
    if (!heard.current()) {
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
      this.#tell(fresh);
      this.#repair(fresh);
      return undecided ? Math.min(this.#intervalMs(), afterMs + LOOK_AGAIN_MARGIN_MS) : this.#intervalMs();
    } catch (error) {
      if (!this.#stopping.signal.aborted)
        log(`the drift audit ended early: ${error instanceof Error ? error.message : String(error)}`);
      metrics.onRound('failed');
      return this.#intervalMs();
    }
  }

  async #agents(): Promise<readonly Difference[]> {
    const { books, objects } = this.#ports;
    const found: Difference[] = [];
    const named = new Set<string>();
    for await (const page of books.agents(this.#stopping.signal)) {
      for (const [name, entry] of page) {
        named.add(name);
        found.push(...this.#compareAgent(name, entry));
      }
    }
    for (const name of objects.agentNames()) if (!named.has(name)) found.push(...this.#compareAgent(name, undefined));
    return found;
  }

  #compareAgent(name: string, books: AgentInBooks | undefined): readonly Difference[] {
    const { heard, objects } = this.#ports;
    return agentDifferences({ name, books, heard: heard.agent(name), objects: objects.agent(name) });
  }

  async #schedules(): Promise<readonly Difference[]> {
    const { books, heard, objects } = this.#ports;
    const held = new Map<string, ScheduleFacts>();
    for await (const page of books.schedules(this.#stopping.signal))
      for (const [uid, facts] of page) held.set(uid, facts);
    return [...objects.schedules()].flatMap((schedule) => {
      const { uid } = schedule.metadata;
      return scheduleDifferences({ schedule, books: held.get(uid), heard: heard.schedule(uid) });
    });
  }

  #tell(fresh: readonly KnownDifference[]): void {
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

  /** Facts that were not heard are asked for again, once for all of them; then each object is looked at with what holds. */
  #repair(fresh: readonly KnownDifference[]): void {
    const { heard, requeue } = this.#ports;
    if (fresh.some(({ difference }) => difference.against === 'operator')) heard.startOver();
    for (const { difference } of fresh) requeue(difference);
  }
}
