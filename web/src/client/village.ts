import {
  type AgentDetail,
  getAgent,
  getWorld,
  getWorldMap,
  listAgents,
  type MapResponse,
  type WorldView,
} from '@hamlet/contract';
import { buildMap, timeOfDay, type WorldMap } from '@hamlet/core';
import type { Moment } from '../canvas/map-host.ts';
import type { TileRect } from '../canvas/model/camera.ts';
import { wireZoom } from '../canvas/model/level.ts';
import { createTileMap } from '../canvas/model/tile-map.ts';
import type { StageWorld } from '../canvas/render/stage.ts';
import type { Api, Refused } from './api.ts';
import type { AppState } from './app-state.ts';
import { happeningsBetween, withHappenings } from './happenings.ts';
import { LiveWorld } from './live-world.ts';
import { rowsOf } from './rows.ts';
import type { Store } from './store.ts';
import { type LiveSocket, openLiveSocket, socketUrl } from './live-socket.ts';

/** How often the panels are refreshed, and the custom resources behind them. */
const ROWS_MS = 500;
const DETAILS_MS = 4000;
/** In a village larger than `LARGE` the whole list is asked for only every so many times. */
const LARGE = 200;
const LARGE_EVERY = 8;
/** In a village up to this size every agent is pinned, so that the list is live wherever the camera is. */
const PIN_ALL = 32;
/** The server sends at least its clock every half second; a few seconds of a busy machine are no lag yet. */
const BEAT_MS = 4000;
const EMPTY_MOMENT: Moment = { tick: 0, minute: 720, agents: [], items: [], clusters: [] };

/**
 * The connection to one village: reads its agents, loads its world, keeps both live, and writes what the panels need into the store. The agents are
 * there without the world: whoever must stop one can, whatever else is away. Mutable because it owns the socket and the timers.
 */
export class Village {
  readonly #api: Api;
  readonly #store: Store<AppState>;
  #timers: ReturnType<typeof setInterval>[] = [];
  #live: LiveWorld | null = null;
  #socket: LiveSocket | null = null;
  #look: { readonly rect: TileRect; readonly zoom: number } | null = null;
  #serial = 0;
  #round = 0;
  #firstAgents: Promise<void> = Promise.resolve();

  constructor(api: Api, store: Store<AppState>) {
    this.#api = api;
    this.#store = store;
  }

  /** Reads the agents, again and again, until it is stopped. */
  start(): void {
    this.#firstAgents = this.refreshDetails();
    this.#timers.push(
      setInterval(() => this.#refreshRows(), ROWS_MS),
      setInterval(() => this.#refreshNow(), DETAILS_MS),
    );
  }

  /** Loads map and world, then goes live. Returns what the canvas needs, or null where the world does not answer; the store then says why. */
  async loadWorld(): Promise<StageWorld | null> {
    const [map, world] = await Promise.all([
      this.#api.call(getWorldMap, {}),
      this.#api.call(getWorld, {}),
      this.#firstAgents,
    ]);
    if (!map.ok) return this.#failed(map.refused);
    if (!world.ok) return this.#failed(world.refused);
    const scene = this.#sceneOf(map.data, world.data);
    if (scene === null) return null;
    this.#store.set((state) => ({ ...state, loading: 'ready', landmarks: scene.landmarks, zones: scene.zones }));
    this.#refreshRows();
    this.#connect();
    return scene;
  }

  #sceneOf(map: MapResponse, world: WorldView): StageWorld | null {
    try {
      this.#live = new LiveWorld(worldMapOf(map, world), { tick: world.tick, atMs: performance.now() });
      return sceneOf(map, world);
    } catch (error) {
      console.error('the map cannot be read', error);
      return this.#failed({
        code: 'unreachable',
        title: 'The map cannot be read',
        detail: 'The village may be newer than this page. Load the page again.',
        status: 0,
        errors: [],
      });
    }
  }

  #failed(refused: Refused): null {
    this.#store.set((state) => ({ ...state, loading: { failed: refused } }));
    return null;
  }

  /** The world as it is drawn at `nowMs` (of `performance.now()`). */
  moment(nowMs: number): Moment {
    return this.#live?.moment(nowMs) ?? EMPTY_MOMENT;
  }

  /** Says which part of the map is looked at. */
  look(rect: TileRect, zoom: number): void {
    this.#look = { rect, zoom };
    const message = this.#viewMessage();
    if (message !== null) this.#socket?.send(message);
  }

  /** Asks again for everything about the agents but their personas, which are read one at a time. Where that is refused, what is known of them stays. */
  async refreshDetails(): Promise<void> {
    if (document.hidden && this.#store.get().agents.read) return;
    const reply = await this.#api.call(listAgents, { query: { persona: 'omit' } });
    if (reply.ok) this.#keepDetails(reply.data.agents);
    else this.#store.set((state) => ({ ...state, agents: { ...state.agents, refused: reply.refused } }));
    this.#refreshRows();
  }

  /** Asks again for one agent, sooner than the rest. */
  async refreshAgent(id: string): Promise<AgentDetail | null> {
    const reply = await this.#api.call(getAgent, { params: { agent_id: id } });
    if (!reply.ok) return null;
    this.#store.set((state) => ({ ...state, details: new Map(state.details).set(id, reply.data) }));
    return reply.data;
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
    this.#socket?.close();
  }

  #refreshNow(): void {
    this.#round += 1;
    const { details, selected } = this.#store.get();
    if (details.size <= LARGE || this.#round % LARGE_EVERY === 0) void this.refreshDetails();
    else if (selected !== null) void this.refreshAgent(selected);
  }

  #connect(): void {
    this.#socket?.close();
    this.#socket = openLiveSocket({
      url: () => socketUrl('/ws/world'),
      beatMs: BEAT_MS,
      message: (data) => {
        if (typeof data !== 'string' && this.#live?.receive(new Uint8Array(data), performance.now()) === 'other map')
          throw new Error('the village has another map than this page');
      },
      connection: (connection) =>
        this.#store.set((state) => (state.connection === connection ? state : { ...state, connection })),
      greeting: () => [this.#live?.resume() ?? null, this.#viewMessage()].filter((message) => message !== null),
    });
  }

  #viewMessage(): object | null {
    if (this.#look === null) return null;
    const { details, selected } = this.#store.get();
    const { rect, zoom } = this.#look;
    const pinned = details.size <= PIN_ALL ? [...details.keys()] : selected === null ? [] : [selected];
    return {
      type: 'view',
      x: rect.x,
      y: rect.y,
      width: Math.max(1, rect.width),
      height: Math.max(1, rect.height),
      zoom: wireZoom(zoom, details.size),
      pinned,
    };
  }

  #keepDetails(agents: readonly AgentDetail[]): void {
    const known = this.#store.get().details;
    const details = new Map(agents.map((agent) => [agent.agent_id, merged(known.get(agent.agent_id), agent)]));
    const newcomers = agents.some((agent) => !known.has(agent.agent_id)) || known.size !== details.size;
    this.#store.set((state) => ({
      ...state,
      details,
      agents: { read: true, refused: null },
      selected:
        state.selected !== null && known.has(state.selected) && !details.has(state.selected) ? null : state.selected,
    }));
    const message = newcomers ? this.#viewMessage() : null;
    if (message !== null) this.#socket?.send(message);
  }

  #refreshRows(): void {
    const { details, rows: before, landmarks, zones } = this.#store.get();
    const moment = this.#live?.moment(performance.now()) ?? null;
    const rows = rowsOf(
      { details, agents: moment?.agents ?? [], goals: this.#live?.goals() ?? NO_GOALS, landmarks, zones },
      before,
    );
    if (moment === null) {
      this.#store.set((state) => (state.rows === rows ? state : { ...state, rows }));
      return;
    }
    const clock = timeOfDay(Math.max(0, Math.floor(moment.tick)));
    this.#serial += 1;
    const found =
      before.length === 0 ? [] : happeningsBetween(before, rows, { minute: clock.minute, serial: this.#serial });
    this.#store.set((state) => {
      const sameClock = state.clock?.minute === clock.minute && state.clock.day === clock.day;
      if (sameClock && state.rows === rows && found.length === 0) return state;
      return {
        ...state,
        rows,
        clock: sameClock ? state.clock : clock,
        happenings: withHappenings(state.happenings, found),
      };
    });
  }
}

const NO_GOALS: ReturnType<LiveWorld['goals']> = new Map();

/** The listed agent with the persona that is known; the known object where both say the same, so that its picture is not drawn again. */
function merged(known: AgentDetail | undefined, listed: AgentDetail): AgentDetail {
  if (known === undefined) return listed;
  const agent = { ...listed, persona: known.persona };
  return JSON.stringify(known) === JSON.stringify(agent) ? known : agent;
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

function worldMapOf(map: MapResponse, world: WorldView): WorldMap {
  return buildMap({
    width: map.width,
    height: map.height,
    terrain: bytesOf(map.terrain),
    landmarks: world.landmarks,
    zones: world.zones,
  });
}

function sceneOf(map: MapResponse, world: WorldView): StageWorld {
  return {
    map: createTileMap(
      map,
      bytesOf(map.terrain),
      map.legend.map((entry) => entry.terrain),
    ),
    zones: world.zones.map(({ zone_id: id, name, kind, x, y, width, height }) => ({
      id,
      name,
      kind,
      x,
      y,
      width,
      height,
    })),
    landmarks: world.landmarks.map(({ landmark_id: id, name, kind, position, slots }) => ({
      id,
      name,
      kind,
      x: position.x,
      y: position.y,
      slots,
    })),
  };
}
