import { Painter } from './painter.ts';
import { paintGreenPlaces } from './village/green-places.ts';
import { VILLAGE_HEIGHT, VILLAGE_WIDTH, paintGround } from './village/ground.ts';
import { paintHomes } from './village/homes.ts';
import { paintCentre } from './village/square.ts';
import { paintWorkplaces } from './village/workplaces.ts';
import { VILLAGE_ZONES } from './village/zones.ts';
import { buildMap } from './world-map.ts';
import type { WorldMap } from './world-map.ts';

/** The village every release starts with; always the same map, to the byte. */
export function defaultMap(): WorldMap {
  const painter = new Painter(VILLAGE_WIDTH, VILLAGE_HEIGHT);
  paintGround(painter);
  const landmarks = [
    ...paintCentre(painter),
    ...paintWorkplaces(painter),
    ...paintGreenPlaces(painter),
    ...paintHomes(painter),
  ];
  return buildMap({
    width: VILLAGE_WIDTH,
    height: VILLAGE_HEIGHT,
    terrain: painter.terrain,
    landmarks,
    zones: VILLAGE_ZONES,
  });
}
