import { type AgentDetail, getMe, getWorld, getWorldMap, listAgents, logIn, logOut, bootstrapAccount, getAgent, redeemCode, type MapResponse, type WorldView } from '@hamlet/contract'
import { buildMap, timeOfDay, type WorldMap } from '@hamlet/core'
import type { Moment } from '../canvas/map-controller.ts'
import type { TileRect } from '../canvas/model/camera.ts'
import { wireZoom } from '../canvas/model/level.ts'
import { createTileMap } from '../canvas/model/tile-map.ts'
import type { StageWorld } from '../canvas/render/stage.ts'
import type { Api, Reply } from './api.ts'
import type { Account, AppState } from './app-state.ts'
import { happeningsBetween, withHappenings } from './happenings.ts'
import { LiveWorld } from './live-world.ts'
import { rowsOf } from './rows.ts'
import type { Store } from './store.ts'
import { type LiveSocket, openLiveSocket, socketUrl } from './live-socket.ts'

/** How often the panels are refreshed, and the custom resources behind them. */
const ROWS_MS = 500
const DETAILS_MS = 4000
/** In a village larger than `LARGE` the whole list is asked for only every so many times. */
const LARGE = 200
const LARGE_EVERY = 8
/** In a village up to this size every agent is pinned, so that the list is live wherever the camera is. */
const PIN_ALL = 32
/** The server sends at least its clock every half second; a few seconds of a busy machine are no lag yet. */
const BEAT_MS = 4000
const EMPTY_MOMENT: Moment = { tick: 0, minute: 720, agents: [], items: [], clusters: [] }

/**
 * The connection to one village: loads it, keeps it live, and writes what the panels need into the store.
 * Mutable because it owns the socket and the timers.
 */
export class Village {
  readonly #api: Api
  readonly #store: Store<AppState>
  readonly #timers: ReturnType<typeof setInterval>[] = []
  #live: LiveWorld | null = null
  #socket: LiveSocket | null = null
  #look: { readonly rect: TileRect; readonly zoom: number } | null = null
  #serial = 0
  #round = 0

  constructor(api: Api, store: Store<AppState>) {
    this.#api = api
    this.#store = store
  }

  /** Loads map, world and account, then goes live. Returns what the canvas needs, or null where the village does not answer. */
  async start(): Promise<StageWorld | null> {
    const [map, world, agents] = await Promise.all([this.#api.call(getWorldMap, {}), this.#api.call(getWorld, {}), this.#api.call(listAgents, {}), this.refreshSession()])
    const refused = [map, world].find((reply) => !reply.ok)
    if (!map.ok || !world.ok) {
      if (refused !== undefined && !refused.ok) this.#store.set((state) => ({ ...state, loading: { failed: refused.refused } }))
      return null
    }
    const scene = sceneOf(map.data, world.data)
    this.#live = new LiveWorld(worldMapOf(map.data, world.data), { tick: world.data.tick, atMs: performance.now() })
    this.#store.set((state) => ({ ...state, loading: 'ready', landmarks: scene.landmarks, zones: scene.zones }))
    if (agents.ok) this.#keepDetails(agents.data.agents)
    this.#refreshRows()
    this.#timers.push(setInterval(() => this.#refreshRows(), ROWS_MS), setInterval(() => this.#refreshNow(), DETAILS_MS))
    this.#connect()
    return scene
  }

  /** The world as it is drawn at `nowMs` (of `performance.now()`). */
  moment(nowMs: number): Moment {
    return this.#live?.moment(nowMs) ?? EMPTY_MOMENT
  }

  /** Says which part of the map is looked at. */
  look(rect: TileRect, zoom: number): void {
    this.#look = { rect, zoom }
    const message = this.#viewMessage()
    if (message !== null) this.#socket?.send(message)
  }

  /** Asks again for everything about the agents. */
  async refreshDetails(): Promise<void> {
    if (document.hidden) return
    const reply = await this.#api.call(listAgents, {})
    if (reply.ok) this.#keepDetails(reply.data.agents)
  }

  /** Asks again for one agent, sooner than the rest. */
  async refreshAgent(id: string): Promise<AgentDetail | null> {
    const reply = await this.#api.call(getAgent, { params: { agent_id: id } })
    if (!reply.ok) return null
    this.#store.set((state) => ({ ...state, details: new Map(state.details).set(id, reply.data) }))
    return reply.data
  }

  async refreshSession(): Promise<void> {
    const reply = await this.#api.call(getMe, {})
    this.#setAccount(reply.ok ? reply.data.account : null)
  }

  async signIn(name: string, password: string): Promise<Reply<unknown>> {
    const reply = await this.#api.call(logIn, { body: { name, password } })
    if (reply.ok) this.#setAccount(reply.data.account)
    return reply
  }

  async bootstrap(code: string, person: { readonly name: string; readonly password: string }): Promise<Reply<unknown>> {
    const reply = await this.#api.call(bootstrapAccount, { body: { code, ...person } })
    if (reply.ok) this.#setAccount(reply.data.account)
    return reply
  }

  /** Sets a password with a one-time code, and signs in. */
  async redeem(code: string, password: string): Promise<Reply<unknown>> {
    const reply = await this.#api.call(redeemCode, { body: { code, password } })
    if (reply.ok) this.#setAccount(reply.data.account)
    return reply
  }

  async signOut(): Promise<void> {
    await this.#api.call(logOut, {})
    this.#setAccount(null)
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer)
    this.#socket?.close()
  }

  #refreshNow(): void {
    this.#round += 1
    const { details, selected } = this.#store.get()
    if (details.size <= LARGE || this.#round % LARGE_EVERY === 0) void this.refreshDetails()
    else if (selected !== null) void this.refreshAgent(selected)
  }

  #setAccount(account: Account | null): void {
    this.#store.set((state) => ({ ...state, session: account === null ? { kind: 'visitor' } : { kind: 'account', account } }))
  }

  #connect(): void {
    this.#socket = openLiveSocket({
      url: () => socketUrl('/ws/world'),
      beatMs: BEAT_MS,
      message: (data) => { if (typeof data !== 'string' && this.#live?.receive(new Uint8Array(data), performance.now()) === 'other map') window.location.reload() },
      connection: (connection) => this.#store.set((state) => (state.connection === connection ? state : { ...state, connection })),
      greeting: () => [this.#live?.resume() ?? null, this.#viewMessage()].filter((message) => message !== null),
    })
  }

  #viewMessage(): object | null {
    if (this.#look === null) return null
    const { details, selected } = this.#store.get()
    const { rect, zoom } = this.#look
    const pinned = details.size <= PIN_ALL ? [...details.keys()] : selected === null ? [] : [selected]
    return { type: 'view', x: rect.x, y: rect.y, width: Math.max(1, rect.width), height: Math.max(1, rect.height), zoom: wireZoom(zoom, details.size), pinned }
  }

  #keepDetails(agents: readonly AgentDetail[]): void {
    const known = this.#store.get().details
    const details = new Map(agents.map((agent) => [agent.agent_id, agent]))
    const newcomers = agents.some((agent) => !known.has(agent.agent_id)) || known.size !== details.size
    this.#store.set((state) => ({ ...state, details, selected: state.selected !== null && known.has(state.selected) && !details.has(state.selected) ? null : state.selected }))
    const message = newcomers ? this.#viewMessage() : null
    if (message !== null) this.#socket?.send(message)
  }

  #refreshRows(): void {
    if (this.#live === null) return
    const { details, rows: before, landmarks, zones } = this.#store.get()
    const moment = this.#live.moment(performance.now())
    const rows = rowsOf({ details, agents: moment.agents, goals: this.#live.goals(), landmarks, zones })
    const clock = timeOfDay(Math.max(0, Math.floor(moment.tick)))
    this.#serial += 1
    const found = before.length === 0 ? [] : happeningsBetween(before, rows, { minute: clock.minute, serial: this.#serial })
    this.#store.set((state) => ({
      ...state, rows, clock: state.clock?.minute === clock.minute && state.clock.day === clock.day ? state.clock : clock,
      happenings: withHappenings(state.happenings, found),
    }))
  }
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
}

function worldMapOf(map: MapResponse, world: WorldView): WorldMap {
  return buildMap({ width: map.width, height: map.height, terrain: bytesOf(map.terrain), landmarks: world.landmarks, zones: world.zones })
}

function sceneOf(map: MapResponse, world: WorldView): StageWorld {
  return {
    map: createTileMap(map, bytesOf(map.terrain), map.legend.map((entry) => entry.terrain)),
    zones: world.zones.map(({ zone_id: id, name, kind, x, y, width, height }) => ({ id, name, kind, x, y, width, height })),
    landmarks: world.landmarks.map(({ landmark_id: id, name, kind, position, slots }) => ({ id, name, kind, x: position.x, y: position.y, slots })),
  }
}
