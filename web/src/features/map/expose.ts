import type { MapController } from '../../canvas/map-controller.ts';
import type { Village } from '../../client/village.ts';
import { frameTimes } from './frame-times.ts';

/** What end-to-end tests may read: where everybody is drawn, at which tick, and what a frame costs. */
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
  /** Where an agent's feet are drawn, in CSS pixels of the canvas, and what is drawn with it. */
  readonly figures: readonly {
    readonly id: string;
    readonly x: number;
    readonly y: number;
    readonly emote: string | null;
    readonly carried: string | null;
  }[];
  readonly frameMs: readonly number[];
}

declare global {
  interface Window {
    readonly __hamlet?: HamletProbe;
  }
}

export function exposeForTests(village: Village, controller: MapController): void {
  Object.defineProperty(window, '__hamlet', {
    configurable: true,
    get: (): HamletProbe => {
      const moment = village.moment(performance.now());
      return {
        tick: moment.tick,
        camera: controller.camera,
        agents: moment.agents.map(({ id, x, y, moving, asleep }) => ({ id, x, y, moving, asleep })),
        figures: controller.list?.figures.map(({ id, x, y, emote, carried }) => ({ id, x, y, emote, carried })) ?? [],
        frameMs: frameTimes(),
      };
    },
  });
}
