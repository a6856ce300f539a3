import { type AgentDetail, getAgent, listAgents, type VillageTime } from '@hamlet/contract';
import { timeOfDay } from '@hamlet/core';
import type { Caller } from '../api.ts';
import type { AppState } from '../app-state.ts';
import type { Store } from '../store.ts';
import type { WorldSource } from '../world/world-source.ts';
import type { WorldEvent } from '../world/world-events.ts';
import { entriesOf, withEntries } from './activity-feed.ts';
import { AgentRows } from './rows.ts';

const ROWS_MS = 500;
const DETAILS_MS = 4000;
/** The rows follow a change for this long, because the map is drawn a little in the past. */
const SETTLE_MS = 1500;
/** The shown clock has steps of ten minutes of the village, which are 10 s: each step paints a part of the page. */
const CLOCK_MINUTES = 10;
/** With more than `LARGE` agents, or while hints arrive, the page requests the whole list only at every `LARGE_EVERY`th interval. */
const LARGE = 200;
const LARGE_EVERY = 8;

/** Keeps the agents of the store current, even without the world. Mutable because it owns the timers. */
export class Agents {
  readonly #api: Caller;
  readonly #store: Store<AppState>;
  readonly #world: WorldSource;
  readonly #isHinted: () => boolean;
  readonly #rows = new AgentRows();
  #stops: (() => void)[] = [];
  #rowsTimer: ReturnType<typeof setTimeout> | undefined;
  #changedMs = 0;
  #hands: AppState['hands'] | null = null;
  #isDue = false;
  #round = 0;
  #unanswered = 0;
  #serial = 0;
  /** Resolves after the first request for all agents. */
  ready: Promise<void> = Promise.resolve();

  constructor(parts: {
    readonly api: Caller;
    readonly store: Store<AppState>;
    readonly world: WorldSource;
    /** True while hints announce changes of the list. */
    readonly isHinted: () => boolean;
  }) {
    this.#api = parts.api;
    this.#store = parts.store;
    this.#world = parts.world;
    this.#isHinted = parts.isHinted;
  }

  start(): void {
    this.ready = this.refreshAll();
    const timer = setInterval(() => {
      this.#refreshRows();
      this.#refreshSome();
    }, DETAILS_MS);
    this.#stops = [
      () => clearInterval(timer),
      () => clearTimeout(this.#rowsTimer),
      this.#world.subscribe((events) => {
        this.#feed(events);
        this.#changed();
      }),
      this.#store.subscribe(() => {
        const { hands } = this.#store.get();
        if (hands === this.#hands) return;
        this.#hands = hands;
        this.#changed();
      }),
    ];
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#stops = [];
  }

  /** The list may have changed. */
  hinted(): void {
    this.#isDue = true;
    this.#refreshSome();
  }

  /** Reads all agents, without their personas. If the API refuses, the known agents stay. */
  async refreshAll(): Promise<void> {
    if (document.hidden && this.#store.get().agents.read) return;
    const reply = await this.#ask(() => this.#api.call(listAgents, { query: { persona: 'omit' } }));
    if (reply.ok) this.#keep(reply.data.agents);
    else this.#store.set((state) => ({ ...state, agents: { ...state.agents, refused: reply.refused } }));
    this.#refreshRows();
  }

  async refresh(id: string): Promise<AgentDetail | null> {
    const reply = await this.#ask(() => this.#api.call(getAgent, { params: { agent_id: id } }));
    if (!reply.ok) return null;
    this.#store.set((state) => ({ ...state, details: new Map(state.details).set(id, reply.data) }));
    return reply.data;
  }

  async #ask<T>(call: () => Promise<T>): Promise<T> {
    this.#unanswered += 1;
    try {
      return await call();
    } finally {
      this.#unanswered -= 1;
    }
  }

  /** Waits for the last answer: a browser opens six connections, and requests that pile up would keep writes out of them. */
  #refreshSome(): void {
    if (this.#unanswered > 0) return;
    this.#round += 1;
    const { details, selected } = this.#store.get();
    const isLarge = details.size > LARGE;
    const isDue = !isLarge && (this.#isDue || !this.#isHinted());
    if (isDue || this.#round % LARGE_EVERY === 0) {
      this.#isDue = false;
      void this.refreshAll();
    } else if (isLarge && selected !== null) void this.refresh(selected);
  }

  #keep(agents: readonly AgentDetail[]): void {
    this.#store.set((state) => {
      const known = state.details;
      const details = new Map(agents.map((agent) => [agent.agent_id, merged(known.get(agent.agent_id), agent)]));
      const { selected } = state;
      const gone = selected !== null && known.has(selected) && !details.has(selected);
      return { ...state, details, agents: { read: true, refused: null }, selected: gone ? null : selected };
    });
  }

  #changed(): void {
    this.#changedMs = performance.now();
    this.#rowsTimer ??= setTimeout(() => this.#followRows(), ROWS_MS);
  }

  /** Refreshes the rows twice a second while agents walk or speak, or something has just changed. */
  #followRows(): void {
    this.#refreshRows();
    const isLively = this.#world.moment()?.agents.some(({ moving, speech }) => moving || speech !== null) === true;
    const isFollowed = isLively || performance.now() - this.#changedMs < SETTLE_MS;
    this.#rowsTimer = isFollowed ? setTimeout(() => this.#followRows(), ROWS_MS) : undefined;
  }

  #refreshRows(): void {
    const moment = this.#world.moment();
    const { details, hands, landmarks, zones } = this.#store.get();
    const rows = this.#rows.update({
      details,
      agents: moment?.agents ?? [],
      goals: this.#world.goals(),
      hands,
      landmarks,
      zones,
    });
    const clock = moment === null ? null : clockAt(moment.tick);
    this.#store.set((state) => {
      const sameClock = clock === null || (state.clock?.minute === clock.minute && state.clock.day === clock.day);
      if (sameClock && state.rows === rows) return state;
      return { ...state, rows, clock: sameClock ? state.clock : clock };
    });
  }

  #feed(events: readonly WorldEvent[]): void {
    if (events.length === 0) return;
    this.#store.set((state) => {
      const found = entriesOf(events, { serial: (this.#serial += 1), nowMs: Date.now(), ...state });
      const feed = withEntries(state.feed, found);
      return feed === state.feed ? state : { ...state, feed };
    });
  }
}

function clockAt(tick: number): VillageTime {
  const { minute, ...time } = timeOfDay(Math.max(0, Math.floor(tick)));
  return { ...time, minute: minute - (minute % CLOCK_MINUTES) };
}

/** `listed` with its known persona. Returns `known` if nothing changed, so that React renders nothing. */
function merged(known: AgentDetail | undefined, listed: AgentDetail): AgentDetail {
  if (known === undefined) return listed;
  const agent = { ...listed, persona: known.persona };
  return JSON.stringify(known) === JSON.stringify(agent) ? known : agent;
}
