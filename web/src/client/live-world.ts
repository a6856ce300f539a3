import {
  applyToView,
  createClock,
  createView,
  decodeFrame,
  observeTick,
  parseItemId,
  resumeMessage,
  tickAt,
  timeOfDay,
  type View,
  viewAgents,
  viewClusters,
  viewItems,
  type WorldMap,
} from '@hamlet/core';
import { CELL_SIZE, type WorldStateFrame } from '@hamlet/contract';
import type { Moment } from '../canvas/map-host.ts';
import type { SceneAgent, SceneCluster } from '../canvas/model/scene.ts';

/**
 * The world as frames tell it, on the server's clock. Mutable because it is folded frame by frame; drawing reads it and never waits.
 */
export class LiveWorld {
  readonly #view: View;
  readonly #clock = createClock();
  #heard = false;

  /** @param now the tick of the world that was loaded over HTTP, to have a time of day before the first frame */
  constructor(map: WorldMap, now: { readonly tick: number; readonly atMs: number }) {
    this.#view = createView(map);
    observeTick(this.#clock, now.tick, now.atMs);
  }

  /** Takes in one frame that arrived at `nowMs`; `other map` where the server has another map than was loaded. */
  receive(bytes: Uint8Array, nowMs: number): 'taken' | 'other map' {
    const frame: WorldStateFrame = decodeFrame(bytes);
    for (const message of frame.messages)
      if (message.kind === 'hello' && message.map_version !== this.#view.map.version) return 'other map';
    applyToView(this.#view, frame);
    observeTick(this.#clock, frame.tick, nowMs);
    this.#heard = true;
    return 'taken';
  }

  /** Where to go on after a lost connection; null before the first frame. */
  resume(): object | null {
    return this.#heard ? resumeMessage(this.#view) : null;
  }

  /** Everything to draw at `nowMs`. */
  moment(nowMs: number): Moment {
    const tick = tickAt(this.#clock, nowMs);
    return {
      tick,
      minute: timeOfDay(Math.max(0, Math.floor(tick))).minute,
      agents: this.#agents(tick),
      items: viewItems(this.#view).map(({ itemId: id, kind, x, y }) => ({ id, kind, x, y })),
      clusters: this.#clusters(),
    };
  }

  /** The tile that each walking agent is on the way to. */
  goals(): ReadonlyMap<string, { readonly x: number; readonly y: number }> {
    const { width } = this.#view.map;
    const walking = viewAgents(this.#view, this.#view.tick).filter((agent) => agent.moving);
    return new Map(
      walking.map((agent) => {
        const goal = this.#view.agents.get(agent.agent)?.walk.tiles.at(-1) ?? 0;
        return [agent.agentId, { x: goal % width, y: Math.floor(goal / width) }];
      }),
    );
  }

  #agents(tick: number): SceneAgent[] {
    return viewAgents(this.#view, tick).map((agent) => {
      const spokenAt = this.#view.agents.get(agent.agent)?.speech?.tick ?? tick;
      return {
        id: agent.agentId,
        name: agent.name,
        x: agent.x,
        y: agent.y,
        facing: agent.facing,
        moving: agent.moving,
        asleep: agent.asleep,
        online: agent.online,
        speech: agent.speech === null ? null : { text: agent.speech, tick: spokenAt },
        emote: agent.emote,
        activity: agent.activity,
        carried: agent.inventory.map((itemId) => parseItemId(itemId)?.kind ?? 'parcel'),
      };
    });
  }

  /** Counts in the middle of their cells. */
  #clusters(): SceneCluster[] {
    const { cellsWide } = this.#view.map;
    return viewClusters(this.#view).map(({ cell, count }) => ({
      x: ((cell % cellsWide) + 0.5) * CELL_SIZE,
      y: (Math.floor(cell / cellsWide) + 0.5) * CELL_SIZE,
      count,
    }));
  }
}
