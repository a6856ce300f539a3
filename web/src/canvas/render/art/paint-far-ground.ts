import type { TileRect } from '../../model/camera.ts';
import type { TileKind, TileMap } from '../../model/tile-map.ts';
import { COLOUR } from './paint-ground.ts';

const WOODS = '#629b56';
const HOUSE = '#c8a074';

/** The mean colour of a tile of each kind as painted; kinds that are not listed look like grass. */
const TONE: Partial<Record<TileKind, string>> = {
  tree: WOODS,
  pine: '#588f5d',
  bush: '#76aa62',
  road: COLOUR.road,
  plaza: COLOUR.plaza,
  bridge: COLOUR.plank,
  water: COLOUR.water,
  deep_water: COLOUR.deep,
  sand: COLOUR.sand,
  soil: COLOUR.soil,
  crop: '#94985a',
  stone: '#99a088',
  wall: '#b48a66',
  floor: '#d3cab9',
  wood_floor: HOUSE,
  rug: '#b9745f',
  door: HOUSE,
  window: '#b48a66',
};

/** One pixel for each tile: enlarged and smoothed, it is the ground until its pictures are painted. Takes a few milliseconds. */
export function paintFarGround(map: TileMap, rect: TileRect): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = rect.width;
  canvas.height = rect.height;
  const ctx = canvas.getContext('2d');
  if (ctx === null) return canvas;
  const image = ctx.createImageData(rect.width, rect.height);
  for (let index = 0; index < rect.width * rect.height; index++) {
    const kind = map.at(rect.x + (index % rect.width), rect.y + Math.floor(index / rect.width));
    const colour = Number.parseInt((TONE[kind] ?? COLOUR.grass).slice(1), 16);
    image.data.set([(colour >> 16) & 255, (colour >> 8) & 255, colour & 255, 255], index * 4);
  }
  ctx.putImageData(image, 0, 0);
  return canvas;
}
