import { CanvasSource, Container, Sprite, Texture } from 'pixi.js';
import type { TileRect } from '../model/camera.ts';
import type { TileMap } from '../model/tile-map.ts';
import { contextOf } from './atlas.ts';
import type { Brush } from './art/paint-ground.ts';

/** The pixels per tile of each level. The first level lies under all others. */
const SCALES = [8, 16, 32, 64] as const;
const CHUNK_PX = 512;
/** Maximum number of chunks kept, including those of the first level: 64 MB of texture. */
const MAX_CHUNKS = 64;
/** Chunks of the first level that one frame paints: enough for a view at an ordinary zoom. */
const COARSE_AT_ONCE = 4;

interface Chunk {
  readonly sprite: Sprite;
  lastUsed: number;
}
type Paint = (brush: Brush) => void;

/**
 * The ground as pictures in several sizes, as in online maps. Vector code paints the visible chunks in the needed size, at
 * most one chunk a frame; until then the coarsest picture is shown, which is painted first. Mutable because it owns memory
 * of the graphics card.
 */
export class TerrainPyramid {
  readonly container = new Container();
  readonly #levels = SCALES.map(() => this.container.addChild(new Container()));
  readonly #chunks = new Map<string, Chunk>();
  readonly #map: TileMap;
  readonly #paint: Paint;
  #frame = 0;

  constructor(map: TileMap, paint: Paint) {
    this.#map = map;
    this.#paint = paint;
  }

  /** Shows the visible tiles at `scale` device pixels a tile. False while chunks are missing: call again. */
  show(visible: TileRect, scale: number): boolean {
    this.#frame += 1;
    const level = levelFor(scale);
    const hasCoarse = this.#paintMissing(0, visible, COARSE_AT_ONCE);
    if (level === 0) {
      this.#showLevels(0, 0);
      return hasCoarse;
    }
    const isComplete = this.#paintMissing(level, visible, 1);
    this.#trim();
    // Shows coarser levels only while finer chunks are missing: overdraw slows a weak graphics card.
    this.#showLevels(isComplete ? level : 0, level);
    return hasCoarse && isComplete;
  }

  destroy(): void {
    for (const chunk of this.#chunks.values()) chunk.sprite.destroy({ texture: true, textureSource: true });
    this.container.destroy({ children: true });
  }

  #showLevels(from: number, to: number): void {
    for (const [index, container] of this.#levels.entries()) container.visible = index >= from && index <= to;
  }

  /** Paints up to `most` missing chunks, from the middle of the view outwards. True if none is missing after that. */
  #paintMissing(level: number, visible: TileRect, most: number): boolean {
    const wanted = chunksWithin(visible, CHUNK_PX / (SCALES[level] ?? SCALES[0]));
    for (const rect of wanted) {
      const chunk = this.#chunks.get(keyOf(level, rect));
      if (chunk !== undefined && level > 0) chunk.lastUsed = this.#frame;
    }
    const missing = wanted.filter((rect) => !this.#chunks.has(keyOf(level, rect)));
    for (const rect of nearestFirst(missing, visible).slice(0, most)) this.#add(level, rect);
    return missing.length <= most;
  }

  #add(level: number, rect: TileRect): void {
    const scale = SCALES[level] ?? SCALES[0];
    const canvas = document.createElement('canvas');
    canvas.width = CHUNK_PX;
    canvas.height = CHUNK_PX;
    const ctx = contextOf(canvas);
    ctx.scale(scale, scale);
    ctx.translate(-rect.x, -rect.y);
    this.#paint({ ctx, map: this.#map, rect, scale });
    const source = new CanvasSource({ resource: canvas, scaleMode: 'linear', autoGenerateMipmaps: level === 0 });
    const sprite = new Sprite(new Texture({ source }));
    sprite.position.set(rect.x, rect.y);
    sprite.scale.set(1 / scale);
    this.#levels[level]?.addChild(sprite);
    this.#chunks.set(keyOf(level, rect), { sprite, lastUsed: level === 0 ? Infinity : this.#frame });
  }

  #trim(): void {
    if (this.#chunks.size <= MAX_CHUNKS) return;
    const oldest = [...this.#chunks]
      .filter(([, chunk]) => chunk.lastUsed < this.#frame - 1)
      .sort(([, left], [, right]) => left.lastUsed - right.lastUsed);
    for (const [key, chunk] of oldest.slice(0, this.#chunks.size - MAX_CHUNKS)) {
      this.#chunks.delete(key);
      chunk.sprite.destroy({ texture: true, textureSource: true });
    }
  }
}

/** The coarsest level that is enlarged by at most a quarter; the finest if all are enlarged more. */
function levelFor(scale: number): number {
  const level = SCALES.findIndex((pixels) => pixels * 1.25 >= scale);
  return level === -1 ? SCALES.length - 1 : level;
}

function keyOf(level: number, rect: TileRect): string {
  return `${level}/${rect.x}/${rect.y}`;
}

function chunksWithin(rect: TileRect, tiles: number): TileRect[] {
  const chunks: TileRect[] = [];
  for (let y = Math.floor(rect.y / tiles) * tiles; y < rect.y + rect.height; y += tiles) {
    for (let x = Math.floor(rect.x / tiles) * tiles; x < rect.x + rect.width; x += tiles)
      chunks.push({ x, y, width: tiles, height: tiles });
  }
  return chunks;
}

function nearestFirst(chunks: readonly TileRect[], visible: TileRect): TileRect[] {
  const middleX = visible.x + visible.width / 2;
  const middleY = visible.y + visible.height / 2;
  const distance = (chunk: TileRect): number =>
    Math.hypot(chunk.x + chunk.width / 2 - middleX, chunk.y + chunk.height / 2 - middleY);
  return chunks.toSorted((left, right) => distance(left) - distance(right));
}
