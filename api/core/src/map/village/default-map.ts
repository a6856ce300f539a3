import type { Zone } from '@hamlet/contract';
import { Painter } from '../painter.ts';
import { buildMap, type WorldMap } from '../world-map.ts';
import { paintGreenPlaces } from './green-places.ts';
import { paintGround, VILLAGE_HEIGHT, VILLAGE_WIDTH } from './ground.ts';
import { paintHomes } from './homes.ts';
import { paintCentre } from './square.ts';
import { paintWorkplaces } from './workplaces.ts';

/** The same bytes each time. */
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
export const VILLAGE_ZONES: readonly Zone[] = [
  {
    zone_id: 'north-side',
    name: 'North Side',
    kind: 'residential',
    rules: ['quiet'],
    x: 36,
    y: 10,
    width: 76,
    height: 23,
  },
  {
    zone_id: 'south-side',
    name: 'South Side',
    kind: 'residential',
    rules: ['quiet'],
    x: 38,
    y: 88,
    width: 72,
    height: 26,
  },
  { zone_id: 'east-bank', name: 'East Bank', kind: 'countryside', rules: [], x: 122, y: 56, width: 38, height: 58 },
  { zone_id: 'forest', name: 'Old Forest', kind: 'nature', rules: ['quiet'], x: 124, y: 0, width: 36, height: 56 },
  { zone_id: 'pondside', name: 'Pondside', kind: 'nature', rules: [], x: 8, y: 16, width: 28, height: 26 },
  { zone_id: 'west-meadow', name: 'West Meadow', kind: 'nature', rules: [], x: 4, y: 47, width: 36, height: 14 },
  { zone_id: 'square', name: 'Village Square', kind: 'public', rules: [], x: 57, y: 53, width: 29, height: 21 },
  { zone_id: 'market', name: 'Market', kind: 'public', rules: [], x: 57, y: 74, width: 29, height: 14 },
  { zone_id: 'cafe', name: 'Café Hearth', kind: 'social', rules: [], x: 42, y: 48, width: 13, height: 11 },
  { zone_id: 'bakery', name: 'Bakery', kind: 'social', rules: [], x: 42, y: 68, width: 11, height: 8 },
  { zone_id: 'library', name: 'Library', kind: 'study', rules: ['quiet'], x: 52, y: 34, width: 15, height: 12 },
  { zone_id: 'hall', name: 'Town Hall', kind: 'public', rules: [], x: 77, y: 38, width: 15, height: 11 },
  { zone_id: 'workshop', name: 'Workshop', kind: 'work', rules: ['work'], x: 90, y: 51, width: 21, height: 10 },
  {
    zone_id: 'laboratory',
    name: 'Laboratory',
    kind: 'work',
    rules: ['work', 'quiet'],
    x: 102,
    y: 51,
    width: 9,
    height: 10,
    unlocked_by: 'tier-1',
  },
  { zone_id: 'garden', name: 'Kitchen Garden', kind: 'work', rules: ['work'], x: 7, y: 77, width: 19, height: 21 },
  {
    zone_id: 'observatory',
    name: 'Observatory',
    kind: 'study',
    rules: ['quiet'],
    x: 145,
    y: 5,
    width: 11,
    height: 8,
    unlocked_by: 'tier-2',
  },
];
