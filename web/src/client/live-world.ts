import { applyToView, createClock, createView, decodeFrame, observeTick, tickAt, viewAgents, viewClusters, viewItems, timeOfDay, type View, type WorldMap } from '@hamlet/core'
import type { WorldStateFrame } from '@hamlet/contract'
import type { Moment } from '../canvas/map-controller.ts'
import type { SceneAgent } from '../canvas/model/scene.ts'

/**
 * The world as frames tell it, on the server's clock. Mutable because it is folded frame by frame; drawing reads it and never waits.
 */
export class LiveWorld {
  readonly #map: WorldMap
  readonly #view: View
  readonly #clock = createClock()
  readonly #spoken = new Map<string, { readonly text: string; readonly tick: number }>()
  readonly #goals = new Map<string, { readonly x: number; readonly y: number }>()
  #position: { readonly epoch: number; readonly seq: number } | null = null

  constructor(map: WorldMap) {
    this.#map = map
    this.#view = createView(map)
  }

  /** Takes in one frame that arrived at `nowMs`; `other map` where the server has another map than was loaded. */
  receive(bytes: Uint8Array, nowMs: number): 'taken' | 'other map' {
    const frame: WorldStateFrame = decodeFrame(bytes)
    for (const message of frame.messages) if (message.kind === 'hello' && message.map_version !== this.#map.version) return 'other map'
    applyToView(this.#view, frame)
    observeTick(this.#clock, frame.tick, nowMs)
    this.#position = { epoch: frame.epoch, seq: frame.seq }
    return 'taken'
  }

  /** Where to go on after a lost connection; null before the first frame. */
  resumeMessage(): object | null {
    return this.#position === null ? null : { type: 'resume', ...this.#position }
  }

  moment(nowMs: number): Moment {
    const tick = tickAt(this.#clock, nowMs)
    return {
      tick, minute: timeOfDay(Math.max(0, Math.floor(tick))).minute,
      agents: viewAgents(this.#view, tick).map((agent) => this.#scene(agent, tick)),
      items: viewItems(this.#view).map((item) => ({ id: item.itemId, kind: item.kind, x: item.x, y: item.y })),
      clusters: viewClusters(this.#view),
    }
  }
}
