import type { View, WorldMap } from '@hamlet/core';
import {
  applyToView,
  createView,
  decodeFrame,
  resumeMessage,
  timeOfDay,
  viewAgents,
  viewClusters,
  viewItems,
} from '@hamlet/core';
import { CELL_SIZE } from '@hamlet/contract';
import type { Moment } from '../../canvas/map-host.ts';
import type { SceneCluster, SceneItem } from '../../canvas/model/scene.ts';
import { eventsOf, type WorldEvent } from './world-events.ts';

/** The world that the frames describe, at any tick. Mutable because it applies frame after frame. */
export class FramedWorld {
  readonly #view: View;
  #started = false;
  /** Both stay the same between two frames; null if nothing asked for them since the last frame. */
  #items: readonly SceneItem[] | null = null;
  #clusters: readonly SceneCluster[] | null = null;

  constructor(map: WorldMap) {
    this.#view = createView(map);
  }

  /**
   * Applies one frame. `isChange` is false for a frame with only the clock. Throws if the frame is unreadable, or belongs to
   * another map than the loaded one.
   */
  receive(bytes: Uint8Array): {
    readonly tick: number;
    readonly events: readonly WorldEvent[];
    readonly isChange: boolean;
  } {
    const frame = decodeFrame(bytes);
    for (const message of frame.messages)
      if (message.kind === 'hello' && message.map_version !== this.#view.map.version)
        throw new Error('the frame belongs to another map than the one this page loaded; load the page again');
    const events = eventsOf(this.#view, frame, applyToView);
    this.#started = true;
    this.#items = null;
    this.#clusters = null;
    return { tick: frame.tick, events, isChange: frame.messages.some(({ kind }) => kind !== 'clock') };
  }

  /** The message that resumes a lost connection; null before the first frame. */
  resume(): object | null {
    return this.#started ? resumeMessage(this.#view) : null;
  }

  at(tick: number): Moment {
    return {
      tick,
      minute: timeOfDay(Math.max(0, Math.floor(tick))).minute,
      agents: viewAgents(this.#view, tick),
      items: (this.#items ??= viewItems(this.#view).map(({ itemId: id, kind, x, y }) => ({ id, kind, x, y }))),
      clusters: (this.#clusters ??= this.#countCells()),
    };
  }

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

  #countCells(): SceneCluster[] {
    const { cellsWide } = this.#view.map;
    return viewClusters(this.#view).map(({ cell, count }) => ({
      x: ((cell % cellsWide) + 0.5) * CELL_SIZE,
      y: (Math.floor(cell / cellsWide) + 0.5) * CELL_SIZE,
      count,
    }));
  }
}
