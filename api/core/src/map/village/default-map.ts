import type { Zone } from '@hamlet/contract';
import { Painter, rect } from '../painter.ts';
import { buildMap, type WorldMap } from '../world-map.ts';
import { paintGreenPlaces } from './green-places.ts';
import { paintGround, VILLAGE_HEIGHT, VILLAGE_WIDTH } from './ground.ts';
import { paintHomes } from './homes.ts';
import { paintCentre } from './square.ts';
import { paintWorkplaces } from './workplaces.ts';

/** Builds the default map: the same bytes each time. */
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

/** Where zones overlap, the later one counts. */
const VILLAGE_ZONES: readonly Zone[] = [
  { zone_id: 'north-side', name: 'North Side', kind: 'residential', rules: ['quiet'], ...rect([36, 10, 76, 23]) },
  { zone_id: 'south-side', name: 'South Side', kind: 'residential', rules: ['quiet'], ...rect([38, 88, 72, 26]) },
  { zone_id: 'east-bank', name: 'East Bank', kind: 'countryside', rules: [], ...rect([122, 56, 38, 58]) },
  { zone_id: 'forest', name: 'Old Forest', kind: 'nature', rules: ['quiet'], ...rect([124, 0, 36, 56]) },
  { zone_id: 'pondside', name: 'Pondside', kind: 'nature', rules: [], ...rect([8, 16, 28, 26]) },
  { zone_id: 'west-meadow', name: 'West Meadow', kind: 'nature', rules: [], ...rect([4, 47, 36, 14]) },
  { zone_id: 'square', name: 'Village Square', kind: 'public', rules: [], ...rect([57, 53, 29, 21]) },
  { zone_id: 'market', name: 'Market', kind: 'public', rules: [], ...rect([57, 74, 29, 14]) },
  { zone_id: 'cafe', name: 'Café Hearth', kind: 'social', rules: [], ...rect([42, 48, 13, 11]) },
  { zone_id: 'bakery', name: 'Bakery', kind: 'social', rules: [], ...rect([42, 68, 11, 8]) },
  { zone_id: 'library', name: 'Library', kind: 'study', rules: ['quiet'], ...rect([52, 34, 15, 12]) },
  { zone_id: 'hall', name: 'Town Hall', kind: 'public', rules: [], ...rect([77, 38, 15, 11]) },
  { zone_id: 'workshop', name: 'Workshop', kind: 'work', rules: ['work'], ...rect([90, 51, 21, 10]) },
  {
    zone_id: 'laboratory',
    name: 'Laboratory',
    kind: 'work',
    rules: ['work', 'quiet'],
    ...rect([102, 51, 9, 10]),
    unlocked_by: 'tier-1',
  },
  { zone_id: 'garden', name: 'Kitchen Garden', kind: 'work', rules: ['work'], ...rect([7, 77, 19, 21]) },
  {
    zone_id: 'observatory',
    name: 'Observatory',
    kind: 'study',
    rules: ['quiet'],
    ...rect([145, 5, 11, 8]),
    unlocked_by: 'tier-2',
  },
];
