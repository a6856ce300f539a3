import type { Terrain, TilePosition } from '@hamlet/contract';
import type { Painter, Rect } from '../painter.ts';

/** The position is relative to the upper left inner corner of the building. */
interface Furniture {
  readonly terrain: Terrain;
  readonly x: number;
  readonly y: number;
  readonly width?: number;
  readonly height?: number;
}

export interface Building extends Rect {
  readonly floor: 'floor' | 'wood_floor';
  readonly door: TilePosition;
  readonly furniture: readonly Furniture[];
}

const WINDOW_EVERY = 3;

function paintWindows(painter: Painter, building: Building): void {
  for (let x = building.x + 2; x < building.x + building.width - 2; x += WINDOW_EVERY) {
    painter.set(x, building.y, 'window');
    painter.set(x, building.y + building.height - 1, 'window');
  }
}

export function paintBuilding(painter: Painter, building: Building): void {
  painter.fill(building, building.floor);
  painter.frame(building, 'wall');
  paintWindows(painter, building);
  for (const { terrain, x, y, width = 1, height = 1 } of building.furniture) {
    painter.fill({ x: building.x + 1 + x, y: building.y + 1 + y, width, height }, terrain);
  }
  painter.set(building.door.x, building.door.y, 'door');
}

export function row(start: TilePosition, count: number, gap: TilePosition): TilePosition[] {
  return Array.from({ length: count }, (_, index) => ({ x: start.x + gap.x * index, y: start.y + gap.y * index }));
}

/** Tiles from a flat list: x, y, x, y and so on. */
export function tiles(numbers: readonly number[]): TilePosition[] {
  return Array.from({ length: numbers.length / 2 }, (_, index) => ({
    x: numbers[2 * index] ?? 0,
    y: numbers[2 * index + 1] ?? 0,
  }));
}
