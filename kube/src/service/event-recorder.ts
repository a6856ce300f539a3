import { dropOldest } from '../queue/drop-oldest.ts';
import { createHash } from 'node:crypto';
import { systemClock, type Clock } from '../time/clock.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { isStatus } from '../client/kube-error.ts';
import { TokenBucket, type Rate } from '../time/token-bucket.ts';
import { EVENTS, type KubeObject } from '../client/kube-object.ts';

interface EventTarget {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface KubeEvent {
  readonly target: EventTarget;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

interface Pending {
  readonly event: KubeEvent;
  count: number;
  readonly firstAt: string;
  lastAt: string;
}

const MAX_MESSAGE_CHARS = 1_000;
/** Maximum number of distinct waiting events. Beyond it the recorder drops the oldest. */
const MAX_PENDING = 2_000;
/** Maximum number of counts that the recorder remembers, so that a repeated event adds to the stored count. */
const MAX_REMEMBERED = 4_096;
/** Distinct events of one object: 25 at once, then one a minute. A repeated event adds to a count. */
const PER_OBJECT: Rate = { perSecond: 1 / 60, burst: 25 };
const MAX_OBJECTS = 10_000;
/** Interval between two writes of events, which are never urgent. */
const SEND_EVERY_MS = 100;

interface RecorderOptions {
  readonly client: KubeClient;
  readonly component: string;
  readonly instance: string;
  readonly now?: () => Date;
  readonly clock?: Clock;
  readonly onError?: (error: unknown) => void;
}

/** Writes Events (`v1`), at most ten a second. A repeated event adds to its count. `record` never waits. */
export class EventRecorder {
  readonly #options: RecorderOptions;
  readonly #now: () => Date;
  readonly #pending = new Map<string, Pending>();
  readonly #counts = new Map<string, number>();
  readonly #rates = new Map<string, TokenBucket>();
  readonly #underWay = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #dropped = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#now = options.now ?? ((): Date => new Date());
  }

  /** Number of events that were dropped, because too many waited or concerned one object. */
  get dropped(): number {
    return this.#dropped;
  }

  record(event: KubeEvent): void {
    const name = nameOf(event);
    const at = this.#now()
      .toISOString()
      .replace(/\.\d+Z$/, 'Z');
    const waiting = this.#pending.get(name);
    if (waiting !== undefined) {
      waiting.count += 1;
      waiting.lastAt = at;
      return;
    }
    if (!this.#counts.has(name) && !this.#mayRecord(event.target.uid)) {
      this.#dropped += 1;
      return;
    }
    if (dropOldest(this.#pending, MAX_PENDING - 1)) this.#dropped += 1;
    this.#pending.set(name, { event, count: 1, firstAt: at, lastAt: at });
    this.#timer ??= setInterval(() => void this.#sendNext(), SEND_EVERY_MS).unref();
  }

  /** Sends waiting events for up to `withinMs`, then waits for pending requests. */
  async flush(withinMs: number): Promise<void> {
    const untilMs = performance.now() + withinMs;
    while (this.#pending.size > 0 && performance.now() < untilMs) await this.#sendNext();
    clearInterval(this.#timer);
    this.#timer = undefined;
    await Promise.all(this.#underWay);
  }

  #mayRecord(uid: string): boolean {
    const bucket = this.#rates.get(uid) ?? new TokenBucket(PER_OBJECT, this.#options.clock ?? systemClock);
    this.#rates.delete(uid);
    this.#rates.set(uid, bucket);
    dropOldest(this.#rates, MAX_OBJECTS);
    return bucket.take();
  }

  async #sendNext(): Promise<void> {
    const [next] = this.#pending;
    if (next === undefined) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const [name, pending] = next;
    this.#pending.delete(name);
    const sent = this.#send(name, pending).catch((error: unknown) => this.#options.onError?.(error));
    this.#underWay.add(sent);
    await sent;
    this.#underWay.delete(sent);
  }

  async #send(name: string, pending: Pending): Promise<void> {
    const { client } = this.#options;
    const { namespace } = pending.event.target;
    const total = (this.#counts.get(name) ?? 0) + pending.count;
    this.#remember(name, total);
    if (total > pending.count) {
      const patch = { count: total, lastTimestamp: pending.lastAt };
      const at = { namespace, name, priority: 'events' } as const;
      if ((await client.mergePatch(EVENTS, patch, at).catch(ignoreMissing)) !== undefined) return;
    }
    try {
      await client.create<KubeObject>(EVENTS, this.#objectOf(name, pending, total), { namespace, priority: 'events' });
    } catch (error) {
      if (!isStatus(error, 409)) throw error;
      await this.#addTo(name, pending);
    }
  }

  /** Adds to an Event of another process. The response to the first patch contains the count, so no read is needed. */
  async #addTo(name: string, { event, count, lastAt }: Pending): Promise<void> {
    const { client } = this.#options;
    const at = { namespace: event.target.namespace, name, priority: 'events' } as const;
    type Stored = KubeObject & { readonly count?: number };
    const found = await client.mergePatch<Stored>(EVENTS, { lastTimestamp: lastAt }, at);
    const total = (found.count ?? 1) + count;
    this.#remember(name, total);
    await client.mergePatch(EVENTS, { count: total }, at);
  }

  #remember(name: string, total: number): void {
    this.#counts.delete(name);
    this.#counts.set(name, total);
    dropOldest(this.#counts, MAX_REMEMBERED);
  }

  #objectOf(name: string, { event, firstAt, lastAt }: Pending, count: number): Record<string, unknown> {
    const { target, type, reason, message } = event;
    const { component, instance } = this.#options;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace: target.namespace },
      involvedObject: target,
      type,
      reason,
      message: message.slice(0, MAX_MESSAGE_CHARS),
      source: { component },
      reportingComponent: component,
      reportingInstance: instance,
      firstTimestamp: firstAt,
      lastTimestamp: lastAt,
      count,
    };
  }
}

/** Equal events have equal names, even from another process. */
function nameOf({ target, type, reason, message }: KubeEvent): string {
  const hash = createHash('sha256').update([target.uid, type, reason, message].join('\0')).digest('hex').slice(0, 16);
  return `${target.name}.${hash}`;
}

function ignoreMissing(error: unknown): undefined {
  if (!isStatus(error, 404)) throw error;
}
