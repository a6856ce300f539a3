import { CELL_SIZE, type Landmark, type MapResponse, type Zone } from '@hamlet/contract';
import { hashBytes, hashText, hashToHex } from '../bytes/hash.ts';
import { LEGEND, STEP_COSTS } from './terrain.ts';

/** Slots are numbered across the whole map. */
interface MapSlot {
  readonly landmark: number;
  readonly tile: number;
}

interface MapPlan {
  readonly width: number;
  readonly height: number;
  /** One terrain byte per tile, row by row. */
  readonly terrain: Uint8Array;
  readonly landmarks: readonly Landmark[];
  readonly zones: readonly Zone[];
}

/** A map never changes once built. */
export interface WorldMap extends MapPlan {
  /** Agents walk the same way on maps of equal versions. */
  readonly version: string;
  readonly legend: typeof LEGEND;
  /** 1 for a tile on which an agent can stand, 0 for any other. */
  readonly walkable: Uint8Array;
  /** 0 if a tile is not walkable. */
  readonly stepCost: Uint8Array;
  /** For each tile, the index of its zone in `zones` plus one; 0 outside every zone. */
  readonly zoneOf: Uint16Array;
  readonly slots: readonly MapSlot[];
  readonly firstSlot: readonly number[];
  readonly slotAt: ReadonlyMap<number, number>;
  readonly landmarkIndex: ReadonlyMap<string, number>;
  readonly cellOf: Uint16Array;
  readonly cellsWide: number;
  readonly cellsHigh: number;
}

function zoneTable(plan: MapPlan): Uint16Array {
  const zoneOf = new Uint16Array(plan.width * plan.height);
  for (const [index, zone] of plan.zones.entries()) {
    for (let y = zone.y; y < Math.min(plan.height, zone.y + zone.height); y += 1) {
      const row = y * plan.width;
      zoneOf.fill(index + 1, row + zone.x, row + Math.min(plan.width, zone.x + zone.width));
    }
  }
  return zoneOf;
}

function cellTable(plan: MapPlan, cellsWide: number): Uint16Array {
  return Uint16Array.from({ length: plan.width * plan.height }, (_, tile) => {
    const y = Math.floor(tile / plan.width);
    return Math.floor(y / CELL_SIZE) * cellsWide + Math.floor((tile - y * plan.width) / CELL_SIZE);
  });
}

function numberSlots(plan: MapPlan): Pick<WorldMap, 'slots' | 'firstSlot' | 'slotAt'> {
  const slots: MapSlot[] = [];
  const firstSlot: number[] = [];
  const slotAt = new Map<number, number>();
  for (const [landmark, { slots: tiles }] of plan.landmarks.entries()) {
    firstSlot.push(slots.length);
    for (const { x, y } of tiles) {
      const tile = y * plan.width + x;
      slotAt.set(tile, slots.length);
      slots.push({ landmark, tile });
    }
  }
  return { slots, firstSlot, slotAt };
}

function versionOf(plan: MapPlan): string {
  const places = JSON.stringify([plan.width, plan.height, plan.landmarks, plan.zones]);
  return hashToHex(hashText(places, hashBytes(plan.terrain)));
}

export function buildMap(plan: MapPlan): WorldMap {
  const cellsWide = Math.ceil(plan.width / CELL_SIZE);
  const stepCost = plan.terrain.map((code) => STEP_COSTS[code] ?? 0);
  return {
    ...plan,
    version: versionOf(plan),
    legend: LEGEND,
    stepCost,
    walkable: stepCost.map((cost) => (cost > 0 ? 1 : 0)),
    zoneOf: zoneTable(plan),
    ...numberSlots(plan),
    landmarkIndex: new Map(plan.landmarks.map((landmark, index) => [landmark.landmark_id, index])),
    cellOf: cellTable(plan, cellsWide),
    cellsWide,
    cellsHigh: Math.ceil(plan.height / CELL_SIZE),
  };
}

export function mapResponse(map: WorldMap): MapResponse {
  let binary = '';
  for (const code of map.terrain) binary += String.fromCodePoint(code);
  return { width: map.width, height: map.height, terrain: btoa(binary), legend: [...map.legend], version: map.version };
}
