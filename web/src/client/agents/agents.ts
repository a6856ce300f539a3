import { type AgentDetail, getAgent, listAgents } from '@hamlet/contract';
import { timeOfDay } from '@hamlet/core';
import type { Caller } from '../api.ts';
import type { AppState } from '../app-state.ts';
import type { Store } from '../store.ts';
import type { WorldSource } from '../world/world-source.ts';
import type { WorldEvent } from '../world/world-events.ts';
import { entriesOf, withEntries } from './activity-feed.ts';
import { AgentRows } from './rows.ts';

/** How often the rows follow the world, and how often the api is asked about the agents. */
const ROWS_MS = 500;
const DETAILS_MS = 4000;
/** In a village larger than `LARGE` the whole list is asked for only every so many times. */
const LARGE = 200;
const LARGE_EVERY = 8;

/**
 * The agents of the village in the store: their details from the api, their rows from details and world, and the activity feed from the events of
 * the world. They are there without the world: an admin can stop an agent during any outage of the world. Mutable because it owns the timers.
 */
export class Agents {
  readonly #api: Caller;
  readonly #store: Store<AppState>;
  readonly #world: WorldSource;
  readonly #rows = new AgentRows();
  #stops: (() => void)[] = [];
  #round = 0;
  #serial = 0;
  /** Resolves when the agents were asked for the first time. */
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

  /** Asks for all agents, without their personas. Where that is refused, the known ones stay. */
  async refreshAll(): Promise<void> {
    if (document.hidden && this.#store.get().agents.read) return;
    const reply = await this.#api.call(listAgents, { query: { persona: 'omit' } });
    if (reply.ok) this.#keep(reply.data.agents);
    else this.#store.set((state) => ({ ...state, agents: { ...state.agents, refused: reply.refused } }));
    this.#refreshRows();
  }

  /** Asks for one agent, sooner than the rest. */
  async refresh(id: string): Promise<AgentDetail | null> {
    const reply = await this.#api.call(getAgent, { params: { agent_id: id } });
    if (!reply.ok) return null;
    this.#store.set((state) => ({ ...state, details: new Map(state.details).set(id, reply.data) }));
    return reply.data;
  }

  #refreshSome(): void {
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
    const { details, landmarks, zones } = this.#store.get();
    const rows = this.#rows.update({
      details,
      agents: moment?.agents ?? [],
      goals: this.#world.goals(),
      landmarks,
      zones,
    });
    const clock = moment === null ? null : timeOfDay(Math.max(0, Math.floor(moment.tick)));
    this.#store.set((state) => {
      const sameClock = clock === null || (state.clock?.minute === clock.minute && state.clock.day === clock.day);
      if (sameClock && state.rows === rows) return state;
      return { ...state, rows, clock: sameClock ? state.clock : clock };
    });
  }

  #feed(events: readonly WorldEvent[]): void {
    this.#store.set((state) => {
      const found = entriesOf(events, { serial: (this.#serial += 1), ...state });
      const feed = withEntries(state.feed, found);
      return feed === state.feed ? state : { ...state, feed };
    });
  }
}

/** The listed agent with the known persona; the known object where both say the same, so that its components are not rendered again. */
function merged(known: AgentDetail | undefined, listed: AgentDetail): AgentDetail {
  if (known === undefined) return listed;
  const agent = { ...listed, persona: known.persona };
  return JSON.stringify(known) === JSON.stringify(agent) ? known : agent;
}
