import type { Landmark } from '@hamlet/contract';
import { paintBuilding } from './building.ts';
import type { Painter } from '../painter.ts';

const HOUSE_WIDTH = 8;
const HOUSE_HEIGHT = 7;

interface House {
  readonly id: string;
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly door: 'north' | 'south';
}

const HOUSES: readonly House[] = [
  { id: 'home-alder', name: 'Alder Cottage', x: 40, y: 14, door: 'south' },
  { id: 'home-birch', name: 'Birch Cottage', x: 51, y: 14, door: 'south' },
  { id: 'home-cedar', name: 'Cedar House', x: 78, y: 14, door: 'south' },
  { id: 'home-dogwood', name: 'Dogwood House', x: 89, y: 14, door: 'south' },
  { id: 'home-elm', name: 'Elm Cottage', x: 100, y: 14, door: 'south' },
  { id: 'home-fir', name: 'Fir House', x: 78, y: 29, door: 'north' },
  { id: 'home-gorse', name: 'Gorse Cottage', x: 89, y: 29, door: 'north' },
  { id: 'home-hazel', name: 'Hazel House', x: 42, y: 90, door: 'south' },
  { id: 'home-ivy', name: 'Ivy Cottage', x: 53, y: 90, door: 'south' },
  { id: 'home-juniper', name: 'Juniper House', x: 86, y: 90, door: 'south' },
  { id: 'home-larch', name: 'Larch Cottage', x: 97, y: 90, door: 'south' },
  { id: 'home-maple', name: 'Maple House', x: 42, y: 105, door: 'north' },
  { id: 'home-nettle', name: 'Nettle Cottage', x: 53, y: 105, door: 'north' },
  { id: 'home-oak', name: 'Oak House', x: 86, y: 105, door: 'north' },
  { id: 'home-poplar', name: 'Poplar Cottage', x: 97, y: 105, door: 'north' },
  { id: 'home-quince', name: 'Quince House', x: 126, y: 105, door: 'north' },
];

function paintHouse(painter: Painter, house: House): Landmark {
  const doorX = house.x + 3;
  const southern = house.door === 'south';
  const doorY = southern ? house.y + HOUSE_HEIGHT - 1 : house.y;
  const bedsAt = southern ? 0 : 4;
  painter.fill({ x: house.x - 1, y: house.y - 1, width: HOUSE_WIDTH + 2, height: HOUSE_HEIGHT + 2 }, 'grass');
  painter.fill({ x: doorX, y: southern ? doorY + 1 : doorY - 3, width: 1, height: 3 }, 'road');
  painter.set(doorX - 2, southern ? doorY + 1 : doorY - 1, 'flowers');
  painter.set(doorX + 2, southern ? doorY + 1 : doorY - 1, 'flowers');
  const beds = [0, 2, 5];
  paintBuilding(painter, {
    x: house.x,
    y: house.y,
    width: HOUSE_WIDTH,
    height: HOUSE_HEIGHT,
    floor: 'wood_floor',
    door: { x: doorX, y: doorY },
    furniture: [
      ...beds.map((x) => ({ terrain: 'bed' as const, x, y: bedsAt })),
      { terrain: 'table', x: 4, y: 2 },
      { terrain: 'rug', x: 1, y: 2, width: 2 },
    ],
  });
  const inner = { x: house.x + 1, y: house.y + 1 };
  return {
    landmark_id: house.id,
    name: house.name,
    kind: 'home',
    position: { x: doorX, y: doorY },
    slots: [...beds.map((x) => ({ x: inner.x + x, y: inner.y + bedsAt })), { x: inner.x + 3, y: inner.y + 2 }],
    affordances: ['sleep', 'rest'],
  };
}

/** Three beds and a chair in each house. */
export const paintHomes = (painter: Painter): Landmark[] => HOUSES.map((house) => paintHouse(painter, house));
