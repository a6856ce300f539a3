import type { Landmark } from '@hamlet/contract';
import { row, tiles } from './building.ts';
import type { Painter } from '../painter.ts';

const BENCHES = tiles([66, 62, 67, 60, 69, 59, 73, 59, 75, 60, 76, 62, 76, 65, 75, 67, 73, 68, 69, 68, 67, 67, 66, 65]);

function paintSquare(painter: Painter): Landmark {
  painter.fill({ x: 57, y: 53, width: 29, height: 21 }, 'plaza');
  painter.fill({ x: 71, y: 63, width: 1, height: 1 }, 'well');
  for (const [x, y] of [
    [59, 55],
    [83, 55],
    [59, 71],
    [83, 71],
  ] as const) {
    painter.fill({ x: x - 1, y: y - 1, width: 3, height: 3 }, 'flowers');
    painter.set(x, y, 'tree');
  }
  return {
    landmark_id: 'square',
    name: 'Village Square',
    kind: 'square',
    position: { x: 71, y: 64 },
    slots: BENCHES,
    affordances: ['meet', 'sit', 'water'],
  };
}

function paintBoard(painter: Painter): Landmark {
  painter.fill({ x: 68, y: 54, width: 2, height: 1 }, 'notice_board');
  painter.fill({ x: 73, y: 54, width: 2, height: 1 }, 'notice_board');
  return {
    landmark_id: 'board',
    name: 'Town Board',
    kind: 'board',
    position: { x: 71, y: 55 },
    slots: [...row({ x: 67, y: 55 }, 4, { x: 1, y: 0 }), ...row({ x: 72, y: 55 }, 4, { x: 1, y: 0 })],
    affordances: ['board'],
  };
}

function paintMarket(painter: Painter): Landmark {
  painter.fill({ x: 57, y: 76, width: 29, height: 12 }, 'plaza');
  painter.fill({ x: 70, y: 74, width: 3, height: 2 }, 'road');
  const stalls = [59, 64, 75, 80];
  for (const x of stalls) {
    painter.fill({ x, y: 78, width: 4, height: 1 }, 'stall');
    painter.fill({ x, y: 84, width: 4, height: 1 }, 'stall');
  }
  return {
    landmark_id: 'market',
    name: 'Market',
    kind: 'market',
    position: { x: 71, y: 81 },
    slots: stalls.flatMap((x) => [
      { x: x + 1, y: 79 },
      { x: x + 2, y: 85 },
      { x: x + 3, y: 79 },
    ]),
    affordances: ['bread', 'meet'],
  };
}

export function paintCentre(painter: Painter): Landmark[] {
  return [paintSquare(painter), paintBoard(painter), paintMarket(painter)];
}
