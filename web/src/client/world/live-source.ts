import { getWorld, getWorldMap, HandsMessage, type MapResponse, type WorldView } from '@hamlet/contract';
import { createClock, observeTick, readJson, tickAt } from '@hamlet/core';
import type { Moment } from '../../canvas/map-host.ts';
import type { TileRect } from '../../canvas/model/camera.ts';
import { wireZoom } from '../../canvas/model/draw-list.ts';
import type { StageWorld } from '../../canvas/render/stage.ts';
import type { Caller, Refused } from '../api.ts';
import type { AppState } from '../app-state.ts';
import { type Connection, type LiveSocket, openLiveSocket, socketUrl } from '../stream/live-socket.ts';
import type { Store } from '../store.ts';
import { FramedWorld } from './framed-world.ts';
import { EventListeners, NO_GOALS, stageWorldOf, worldMapOf, type WorldSource } from './world-source.ts';

/** With up to this many agents the page pins all of them, so that the list is live wherever the camera is. */
const PIN_ALL = 32;
/** The server sends at least its clock every half second. Some seconds of silence are normal on a busy machine. */
const BEAT_MS = 4000;

/** The world as it is now, over `/ws/world`. Mutable because it owns the socket. */
export class LiveSource implements WorldSource {
  readonly #api: Caller;
  readonly #store: Store<AppState>;
  readonly #listeners = new EventListeners();
  readonly #clock = createClock();
  #world: FramedWorld | null = null;
  #socket: LiveSocket | null = null;
  #look: { readonly rect: TileRect; readonly zoom: number } | null = null;
  #pinned: readonly string[] = [];
  #stopPinning: () => void = () => undefined;

  constructor(api: Caller, store: Store<AppState>) {
    this.#api = api;
    this.#store = store;
  }

  readonly subscribe: WorldSource['subscribe'] = this.#listeners.subscribe;

  async load(): Promise<StageWorld | null> {
    const [map, world] = await Promise.all([this.#api.call(getWorldMap, {}), this.#api.call(getWorld, {})]);
    if (!map.ok) return this.#failed(map.refused);
    if (!world.ok) return this.#failed(world.refused);
    const scene = this.#sceneOf(map.data, world.data);
    if (scene === null) return null;
    this.#store.set((state) => ({ ...state, loading: 'ready', landmarks: scene.landmarks, zones: scene.zones }));
    this.#connect();
    return scene;
  }

  moment(): Moment | null {
    return this.#world?.at(tickAt(this.#clock, performance.now())) ?? null;
  }

  goals(): ReturnType<WorldSource['goals']> {
    return this.#world?.goals() ?? NO_GOALS;
  }

  look(rect: TileRect, zoom: number): void {
    this.#look = { rect, zoom };
    this.#sendView();
  }

  stop(): void {
    this.#stopPinning();
    this.#socket?.close();
  }

  #sceneOf(map: MapResponse, world: WorldView): StageWorld | null {
    try {
      this.#world = new FramedWorld(worldMapOf(map, world));
      observeTick(this.#clock, world.tick, performance.now());
      return stageWorldOf(map, world);
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

  #connect(): void {
    this.stop();
    this.#pinned = pinnedOf(this.#store.get());
    this.#stopPinning = this.#store.subscribe(() => this.#followPins());
    this.#socket = openLiveSocket({
      url: () => socketUrl('/ws/world'),
      beatMs: BEAT_MS,
      message: (data) => {
        if (typeof data === 'string') this.#store.set((state) => withHands(state, data));
        else this.#receive(new Uint8Array(data));
      },
      connection: (connection) => this.#store.set((state) => withConnection(state, connection)),
      greeting: () => [this.#world?.resume() ?? null, this.#viewMessage()].filter((message) => message !== null),
    });
  }

  #receive(bytes: Uint8Array): void {
    if (this.#world === null) return;
    const { tick, events, isChange } = this.#world.receive(bytes);
    observeTick(this.#clock, tick, performance.now());
    if (isChange) this.#listeners.emit(events);
  }

  #followPins(): void {
    const pinned = pinnedOf(this.#store.get());
    if (pinned.length === this.#pinned.length && pinned.every((id, index) => id === this.#pinned[index])) return;
    this.#pinned = pinned;
    this.#sendView();
  }

  #sendView(): void {
    const message = this.#viewMessage();
    if (message !== null) this.#socket?.send(message);
  }

  #viewMessage(): object | null {
    if (this.#look === null) return null;
    const { rect, zoom } = this.#look;
    return {
      type: 'view',
      x: rect.x,
      y: rect.y,
      width: Math.max(1, rect.width),
      height: Math.max(1, rect.height),
      zoom: wireZoom(zoom, this.#store.get().details.size),
      pinned: this.#pinned,
    };
  }
}

/** All agents of a small village, otherwise only the selected one. */
function pinnedOf({ details, selected }: Pick<AppState, 'details' | 'selected'>): readonly string[] {
  if (details.size <= PIN_ALL) return [...details.keys()];
  return selected === null ? [] : [selected];
}

type Hands = Pick<AppState, 'hands'>;

/** The state after a text message of `/ws/world`. A message of a kind that this page does not know changes nothing. Pure. */
export function withHands<S extends Hands>(state: S, text: string): S {
  const message = HandsMessage.safeParse(readJson(text));
  if (!message.success) return state;
  const { reset, agents } = message.data;
  const hands = new Map(reset ? [] : state.hands);
  for (const [agentId, activity] of Object.entries(agents)) {
    if (activity === null) hands.delete(agentId);
    else hands.set(agentId, activity);
  }
  return { ...state, hands };
}

/**
 * The state after a change of the connection. Without a connection no activity is known; the next connection begins
 * with all of them. Pure.
 */
export function withConnection<S extends Hands & Pick<AppState, 'connection'>>(state: S, connection: Connection): S {
  if (state.connection === connection) return state;
  const isOpen = connection === 'live' || connection === 'lagging';
  return { ...state, connection, hands: isOpen || state.hands.size === 0 ? state.hands : new Map() };
}
