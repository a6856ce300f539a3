import { CanvasSource, Container, Sprite, Texture } from 'pixi.js';
import type { TileRect } from '../model/camera.ts';
import type { TileMap } from '../model/tile-map.ts';
import { contextOf } from './atlas.ts';
import type { Brush } from './art/paint-ground.ts';

/** The levels from coarse to fine: pixels of a tile, and of a chunk, which is small enough to be painted in a few milliseconds. */
const LEVELS = [
  { scale: 8, chunkPx: 256 },
  { scale: 16, chunkPx: 256 },
  { scale: 32, chunkPx: 512 },
  { scale: 64, chunkPx: 512 },
] as const;
/** Maximum number of chunks kept, besides those in sight: at most 64 MB of texture. */
const MAX_CHUNKS = 64;

interface Chunk {
  readonly sprite: Sprite;
  lastUsed: number;
}
type Paint = (brush: Brush) => void;
/** `whole`: a picture of the whole map, with a pixel for each tile. `isEmpty`: nothing is painted in these tiles. */
interface Shortcuts {
  readonly whole?: Readonly<{ rect: TileRect; picture: HTMLCanvasElement }>;
  readonly isEmpty?: (rect: TileRect) => boolean;
}

/**
 * The ground as pictures in several sizes, as in online maps. Vector code paints the visible chunks in the needed size, some
 * of them in each frame; until then coarser chunks that are there, and a picture of the whole map, show instead. Mutable
 * because it owns memory of the graphics card.
 */
export class TerrainPyramid {
  readonly container = new Container();
  readonly #whole: Sprite | null;
  readonly #levels: readonly Container[];
  readonly #chunks = new Map<string, Chunk>();
  readonly #map: TileMap;
  readonly #paint: Paint;
  readonly #isEmpty: (rect: TileRect) => boolean;
  readonly #empty = new Set<string>();
  #frame = 0;

  constructor(map: TileMap, paint: Paint, { whole, isEmpty = () => false }: Shortcuts) {
    this.#map = map;
    this.#paint = paint;
    this.#isEmpty = isEmpty;
    this.#whole = whole === undefined ? null : this.container.addChild(wholeOf(whole));
    this.#levels = LEVELS.map(() => this.container.addChild(new Container()));
  }

  /**
   * Shows the visible tiles at `scale` device pixels a tile. Paints at least one missing chunk, and starts none after `paintMs`.
   * False while chunks are missing: call again.
   */
  show(visible: TileRect, scale: number, paintMs: number): boolean {
    this.#frame += 1;
    const level = levelFor(scale);
    const isComplete = this.#paintMissing(level, visible, paintMs);
    this.#trim();
    // Shows coarser pictures only while finer chunks are missing: overdraw slows a weak graphics card.
    for (const [index, container] of this.#levels.entries())
      container.visible = isComplete ? index === level : index <= level;
    if (this.#whole !== null) this.#whole.visible = !isComplete;
    return isComplete;
  }

  destroy(): void {
    for (const chunk of this.#chunks.values()) chunk.sprite.destroy({ texture: true, textureSource: true });
    this.#whole?.destroy({ texture: true, textureSource: true });
    this.container.destroy({ children: true });
  }

  /** Paints missing chunks from the middle of the view outwards while there is time. True if none is missing after that. */
  #paintMissing(level: number, visible: TileRect, paintMs: number): boolean {
    const { scale, chunkPx } = LEVELS[level] ?? LEVELS[0];
    const missing: TileRect[] = [];
    for (const rect of chunksWithin(visible, chunkPx / scale)) {
      const chunk = this.#chunks.get(keyOf(level, rect));
      if (chunk !== undefined) chunk.lastUsed = this.#frame;
      else if (!this.#empty.has(keyOf(level, rect))) missing.push(rect);
    }
    const begunMs = performance.now();
    for (const [index, rect] of nearestFirst(missing, visible).entries()) {
      if (index > 0 && performance.now() - begunMs > paintMs) return false;
      this.#add(level, rect);
    }
    return true;
  }

  #add(level: number, rect: TileRect): void {
    if (this.#isEmpty(rect)) {
      this.#empty.add(keyOf(level, rect));
      return;
    }
    const { scale, chunkPx } = LEVELS[level] ?? LEVELS[0];
    const canvas = document.createElement('canvas');
    canvas.width = chunkPx;
    canvas.height = chunkPx;
    const ctx = contextOf(canvas);
    ctx.scale(scale, scale);
    ctx.translate(-rect.x, -rect.y);
    this.#paint({ ctx, map: this.#map, rect, scale });
    const source = new CanvasSource({ resource: canvas, scaleMode: 'linear', autoGenerateMipmaps: level === 0 });
    const sprite = new Sprite(new Texture({ source }));
    sprite.position.set(rect.x, rect.y);
    sprite.scale.set(1 / scale);
    this.#levels[level]?.addChild(sprite);
    this.#chunks.set(keyOf(level, rect), { sprite, lastUsed: this.#frame });
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

function wholeOf({ rect, picture }: NonNullable<Shortcuts['whole']>): Sprite {
  const source = new CanvasSource({ resource: picture, scaleMode: 'linear' });
  return new Sprite({ texture: new Texture({ source }), x: rect.x, y: rect.y });
}

/** The coarsest level that is enlarged by at most a quarter; the finest if all are enlarged more. */
function levelFor(scale: number): number {
  const level = LEVELS.findIndex((each) => each.scale * 1.25 >= scale);
  return level === -1 ? LEVELS.length - 1 : level;
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
