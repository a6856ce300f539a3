import { CanvasSource, Texture } from 'pixi.js';
import { labelKey, type LabelSpec, paintLabel } from './label-art.ts';

/** Maximum number of labels kept; a busy street shows about a hundred at once. */
const MAX_LABELS = 400;

/** Evicts the labels least recently drawn. Mutable because it owns memory of the graphics card. */
export class LabelCache {
  readonly #textures = new Map<string, Texture>();
  readonly #pixelRatio: number;

  constructor(pixelRatio: number) {
    this.#pixelRatio = pixelRatio;
  }

  get(spec: LabelSpec): Texture {
    const key = labelKey(spec);
    const known = this.#textures.get(key);
    if (known !== undefined) {
      this.#textures.delete(key);
      this.#textures.set(key, known);
      return known;
    }
    const label = paintLabel(spec, this.#pixelRatio);
    const texture = new Texture({ source: new CanvasSource({ resource: label.canvas, resolution: this.#pixelRatio }) });
    this.#textures.set(key, texture);
    return texture;
  }

  /** Evicts the labels least recently drawn. Call it between frames: within a frame it could evict a label in use. */
  trim(): void {
    for (const [key, texture] of this.#textures) {
      if (this.#textures.size <= MAX_LABELS) return;
      this.#textures.delete(key);
      texture.destroy(true);
    }
  }

  destroy(): void {
    for (const texture of this.#textures.values()) texture.destroy(true);
    this.#textures.clear();
  }
}
