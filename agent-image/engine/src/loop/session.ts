import { EVENT_VERSION, type Effect, type EventBody, type JournalEvent } from '../journal/event.ts';
import type { Payload } from '../journal/journal.ts';
import { isSoon, isSynced, type Kit } from './kit.ts';
import type { IllegalMove } from '../state/move.ts';
import type { TurnValues } from './transcript.ts';
import { reduce } from '../state/reduce.ts';
import { currentCalls, type RunState } from '../state/run-state.ts';

/** The reasons why a late result is refused: the run ended or was stopped before the result arrived. */
const LATE: ReadonlySet<IllegalMove> = new Set<IllegalMove>(['closed', 'cancelled', 'interrupted']);

export type Appended = Readonly<{ ok: true }> | Readonly<{ ok: false; code: IllegalMove }>;

type Planned = Readonly<{ events: readonly JournalEvent[]; state: RunState | null }>;

/** A run in memory. Mutable: only this class changes its state, after the event is in the journal. */
export class Session {
  readonly run: string;
  readonly stage: string;
  readonly parent: Session | null;
  readonly stopped = new AbortController();
  readonly killed = new AbortController();
  readonly shown = new Set<string>();
  /** The size of the last request as the provider counted it; null before the first, and if it does not count. */
  sized: Readonly<{ tokens: number; bytes: number }> | null = null;
  /** With fewer turns no summary is asked for, because the last one could not be used. */
  summaryAfterTurns = 0;
  /** The values of the current turn; none of a turn that another engine began. */
  turn: TurnValues = { answers: new Map(), arguments: new Map(), outcomes: new Map() };
  readonly #kit: Kit;
  #state: RunState | null = null;
  #mark: number | null = null;
  #isSealed = false;
  #wake = Promise.withResolvers<void>();

  constructor(
    kit: Kit,
    start: Readonly<{ run: string; stage: string; state: RunState | null; parent: Session | null }>,
  ) {
    this.#kit = kit;
    this.run = start.run;
    this.stage = start.stage;
    this.parent = start.parent;
    this.#state = start.state;
  }

  get state(): RunState {
    if (this.#state === null) throw new Error(`The run ${this.run} has not been opened.`);
    return this.#state;
  }

  get ancestors(): readonly Session[] {
    return this.parent === null ? [] : [this.parent, ...this.parent.ancestors];
  }

  /** Appends events with their texts in one write, which also adds the run's spending to each run that it works for. */
  tryAppend(bodies: readonly EventBody[], payloads: readonly Payload[] = []): Appended {
    if (this.#isSealed) return { ok: false, code: 'interrupted' };
    if (bodies.length === 0) return { ok: true };
    const own = this.#plan(bodies);
    if (!('events' in own)) return { ok: false, code: own.code };
    const bills = this.#billsOf(bodies);
    const events = [...own.events, ...bills.flatMap(({ planned }) => planned.events)];
    const sync = own.events.some((event) => this.#isSynced(event));
    this.#kit.ports.journal.append({ events, payloads, sync, soon: isSoon(own.events) });
    this.#commit(own);
    for (const { session, planned } of bills) session.#commit(planned);
    return { ok: true };
  }

  /** The spending of these events for each open run that this run works for. */
  #billsOf(bodies: readonly EventBody[]): readonly Readonly<{ session: Session; planned: Planned }>[] {
    const bill = this.parent === null ? null : billOf(bodies, this.run);
    if (bill === null) return [];
    return this.ancestors.flatMap((session) => {
      if (session.#isSealed) return [];
      const planned = session.#plan([bill]);
      return 'events' in planned ? [{ session, planned }] : [];
    });
  }

  /** Like `tryAppend`; false if the result is late. Any other refusal is a bug in the engine. */
  append(bodies: readonly EventBody[], payloads: readonly Payload[] = []): boolean {
    const appended = this.tryAppend(bodies, payloads);
    if (appended.ok || LATE.has(appended.code)) return appended.ok;
    throw new Error(
      `The run ${this.run} does not admit ${bodies.map(({ type }) => type).join(', ')}: ${appended.code}`,
    );
  }

  textOf(ref: string): string | null {
    return this.#kit.ports.journal.textOf(ref);
  }

  /** Resolves with the next `wake`. Each wait has a promise of its own, because a promise retains all its waiters. */
  nextWake(): Promise<void> {
    this.#wake = Promise.withResolvers();
    return this.#wake.promise;
  }

  wake(): void {
    this.#wake.resolve();
  }

  /** Keeps later results out of the journal, because another session of this run may begin. */
  seal(): void {
    this.#isSealed = true;
  }

  /** The remaining time of the time budget that ends first, of this run or of a run that it works for. */
  get timeLeftMs(): number {
    const own = this.state.budgets.timeMs - this.state.spent.timeMs - this.#sinceMark();
    return Math.min(own, ...this.ancestors.map((session) => session.timeLeftMs));
  }

  #sinceMark(): number {
    return this.#mark === null ? 0 : Math.max(0, Math.floor(this.#kit.ports.clock.monotonic() - this.#mark));
  }

  #plan(bodies: readonly EventBody[]): Planned | Readonly<{ code: IllegalMove }> {
    const { journal, clock } = this.#kit.ports;
    const envelope = {
      v: EVENT_VERSION,
      run: this.run,
      stage: this.stage,
      fence: journal.fence,
      at: clock.now(),
    } as const;
    let elapsedMs = this.#sinceMark();
    let state = this.#state;
    const events: JournalEvent[] = [];
    for (const body of bodies) {
      const event: JournalEvent = { ...envelope, elapsedMs, ...body };
      const next = reduce(state, event);
      if (!next.ok) return { code: next.code };
      events.push(event);
      ({ state } = next);
      elapsedMs = 0;
    }
    return { events, state };
  }

  #commit({ events, state }: Planned): void {
    // Only the first event of a write counts time.
    const elapsed = events[0]?.elapsedMs ?? 0;
    this.#mark = this.#mark === null ? this.#kit.ports.clock.monotonic() : this.#mark + elapsed;
    this.#state = state;
    for (const event of events) this.#kit.ports.notify({ type: 'event', event });
  }

  /**
   * True if the intents of such calls are written without a sync of their own: the call begins after `Journal.synced`, which calls of a plan
   * that begin together share. A kill or a stop in between leaves a call that did not begin and is repeated as if it had.
   */
  sharesSync(effect: Effect): boolean {
    return (effect === 'idempotent' || effect === 'keyed') && this.#state !== null && this.#state.flow !== null;
  }

  #isSynced(event: JournalEvent): boolean {
    if (event.type === 'tool_intent' && this.sharesSync(event.effect)) return false;
    const calls = this.#state === null ? [] : currentCalls(this.#state);
    return isSynced(event, (settled) => calls.find(({ id }) => id === settled.call)?.effect ?? null);
  }
}

function billOf(bodies: readonly EventBody[], by: string): EventBody | null {
  for (const body of bodies) {
    if (body.type === 'budget_spent') return { ...body, by };
    if (body.type === 'model_answered' || body.type === 'model_failed') {
      const steps = body.type === 'model_answered' ? 1 : 0;
      return { type: 'budget_spent', by, steps, tokens: body.usage.total, moneyMicros: body.moneyMicros };
    }
  }
  return null;
}
