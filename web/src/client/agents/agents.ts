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
/** The shown clock has steps of ten minutes of the village, which are 10 s: each step paints a part of the page. */
const CLOCK_MINUTES = 10;
/** With more than `LARGE` agents the page requests the whole list only at every `LARGE_EVERY`th interval. */
const LARGE = 200;
const LARGE_EVERY = 8;

/** Keeps the agents of the store current, even without the world. Mutable because it owns the timers. */
export class Agents {
  readonly #api: Caller;
  readonly #store: Store<AppState>;
  readonly #world: WorldSource;
  readonly #rows = new AgentRows();
  #stops: (() => void)[] = [];
  #round = 0;
  #unanswered = 0;
  #serial = 0;
  /** Resolves after the first request for all agents. */
  ready: Promise<void> = Promise.resolve();

  constructor(api: Caller, store: Store<AppState>, world: WorldSource) {
    this.#api = api;
    this.#store = store;
    this.#world = world;
  }

  start(): void {
    this.ready = this.refreshAll();
    const timers = [
      setInterval(() => this.#refreshRows(), ROWS_MS),
      setInterval(() => this.#refreshSome(), DETAILS_MS),
    ];
    this.#stops = [
      ...timers.map((timer) => () => clearInterval(timer)),
      this.#world.subscribe((events) => this.#feed(events)),
    ];
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#stops = [];
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
    if (details.size <= LARGE || this.#round % LARGE_EVERY === 0) void this.refreshAll();
    else if (selected !== null) void this.refresh(selected);
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
