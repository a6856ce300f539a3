import type { MapController } from '../../canvas/map-controller.ts';
import type { WorldSource } from '../../client/world/world-source.ts';

/** The values that end-to-end tests read: the drawn position of each agent, the tick, and the cost of a frame. */
export interface HamletProbe {
  readonly tick: number;
  readonly agents: readonly {
    readonly id: string;
    readonly x: number;
    readonly y: number;
    readonly moving: boolean;
    readonly asleep: boolean;
  }[];
  readonly camera: { readonly x: number; readonly y: number; readonly zoom: number };
  /** The position of each agent's feet in CSS pixels of the canvas, and the objects drawn with it. */
  readonly figures: readonly {
    readonly id: string;
    readonly x: number;
    readonly y: number;
    readonly emote: string | null;
    readonly carried: string | null;
    readonly hands: string | null;
  }[];
  readonly frameMs: readonly number[];
}

declare global {
  interface Window {
    readonly __hamlet?: HamletProbe;
  }
}

export function exposeProbe(world: WorldSource, controller: MapController): void {
  Object.defineProperty(window, '__hamlet', {
    configurable: true,
    get: (): HamletProbe => {
      const moment = world.moment();
      return {
        tick: moment?.tick ?? 0,
        camera: controller.camera,
        agents: moment?.agents.map(({ agentId: id, x, y, moving, asleep }) => ({ id, x, y, moving, asleep })) ?? [],
        figures:
          controller.list?.figures.map(({ id, x, y, emote, carried, hands }) => ({
            id,
            x,
            y,
            emote,
            carried,
            hands,
          })) ?? [],
        frameMs: frameTimes(),
      };
    },
  });
}

/** Number of frames remembered: some seconds. */
const KEPT = 240;
const ring = new Float32Array(KEPT);
const next = { at: 0 };

/** Records the main-thread milliseconds of a frame. */
export function rememberFrame(frameMs: number): void {
  ring[next.at % KEPT] = frameMs;
  next.at += 1;
}

/** The milliseconds of the last frames, in no order. */
export function frameTimes(): number[] {
  return [...ring.subarray(0, Math.min(next.at, KEPT))];
}
