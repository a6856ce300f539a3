import type { Terrain, TilePosition } from '@hamlet/contract';
import { drawBelow } from '../bytes/prng.ts';
import { terrainCode } from './terrain.ts';

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function rect([x, y, width, height]: readonly [number, number, number, number]): Rect {
  return { x, y, width, height };
}

/** Mutable: the village is painted in layers. */
export class Painter {
  readonly width: number;
  readonly height: number;
  readonly terrain: Uint8Array;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.terrain = new Uint8Array(width * height);
  }

  /** Ignores a tile outside the canvas. */
  set(x: number, y: number, terrain: Terrain): void {
    if (x >= 0 && y >= 0 && x < this.width && y < this.height) this.terrain[y * this.width + x] = terrainCode(terrain);
  }

  is(x: number, y: number, terrain: Terrain): boolean {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) return false;
    return this.terrain[y * this.width + x] === terrainCode(terrain);
  }

  fill(rect: Rect, terrain: Terrain): void {
    for (let y = rect.y; y < rect.y + rect.height; y += 1) {
      for (let x = rect.x; x < rect.x + rect.width; x += 1) this.set(x, y, terrain);
    }
  }

  frame(rect: Rect, terrain: Terrain): void {
    this.fill({ ...rect, height: 1 }, terrain);
    this.fill({ ...rect, y: rect.y + rect.height - 1, height: 1 }, terrain);
    this.fill({ ...rect, width: 1 }, terrain);
    this.fill({ ...rect, x: rect.x + rect.width - 1, width: 1 }, terrain);
  }

  ellipse(center: TilePosition, radius: { readonly x: number; readonly y: number }, terrain: Terrain): void {
    for (let y = -radius.y; y <= radius.y; y += 1) {
      for (let x = -radius.x; x <= radius.x; x += 1) {
        const inside =
          x * x * radius.y * radius.y + y * y * radius.x * radius.x <= radius.x * radius.x * radius.y * radius.y;
        if (inside) this.set(center.x + x, center.y + y, terrain);
      }
    }
  }

  /** The draw depends on `salt` and position alone, so the same plan gives the same map. */
  scatter(
    rect: Rect,
    plant: { readonly terrain: Terrain; readonly onto: Terrain; readonly percent: number; readonly salt: number },
  ): void {
    for (let y = rect.y; y < rect.y + rect.height; y += 1) {
      for (let x = rect.x; x < rect.x + rect.width; x += 1) {
        if (this.is(x, y, plant.onto) && drawBelow(100, plant.salt, x, y) < plant.percent)
          this.set(x, y, plant.terrain);
      }
    }
  }
}
