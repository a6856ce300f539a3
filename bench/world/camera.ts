import { drawBelow } from '@hamlet/core';
import type { Setting } from './setting.ts';

/**
 * A viewer's rectangle that stays in place or slides back and forth over the map; the same for every server. Mutable
 * because it moves.
 */
export class Camera {
  x: number;
  y: number;
  readonly #limit: number;
  #way: { x: number; y: number };

  constructor(setting: Setting, index: number) {
    this.#limit = setting.mapSide - setting.viewSide;
    this.x = drawBelow(this.#limit, setting.seed, index, 1);
    this.y = drawBelow(this.#limit, setting.seed, index, 2);
    const side = drawBelow(4, setting.seed, index, 3);
    this.#way = { x: side < 2 ? 1 - 2 * side : 0, y: side < 2 ? 0 : 5 - 2 * side };
  }

  /** Moves one step; reverses at the border. */
  slide(tiles: number): void {
    const next = { x: this.x + this.#way.x * tiles, y: this.y + this.#way.y * tiles };
    const out = next.x < 0 || next.y < 0 || next.x > this.#limit || next.y > this.#limit;
    if (out) this.#way = { x: -this.#way.x, y: -this.#way.y };
    else Object.assign(this, next);
  }
}
