import type { TileRect } from '../../model/camera.ts';

/** True if a tile belongs to the area. */
export type TileTest = (x: number, y: number) => boolean;

/**
 * The outline of an area of tiles, with round corners, in tile units. It has one shape for each square between four
 * tile centres, which depends on the centres that are in the area (the dual grid). So the shapes of neighbouring
 * squares always meet.
 * @param grow tiles by which the area grows, or shrinks if negative; within ±0.45
 */
export function blobPath(test: TileTest, rect: TileRect, grow: number): Path2D {
  const path = new Path2D();
  for (let y = rect.y - 1; y <= rect.y + rect.height; y++) {
    for (let x = rect.x - 1; x <= rect.x + rect.width; x++)
      addCell(
        path,
        { x: x + 0.5, y: y + 0.5 },
        {
          corners:
            (test(x, y) ? 1 : 0) | (test(x + 1, y) ? 2 : 0) | (test(x + 1, y + 1) ? 4 : 0) | (test(x, y + 1) ? 8 : 0),
          grow,
        },
      );
  }
  return path;
}

type Cell = Readonly<{ x: number; y: number }>;
/** The corners clockwise from the upper left, one bit each. */
const CORNERS = [
  { bit: 1, dx: 0, dy: 0 },
  { bit: 2, dx: 1, dy: 0 },
  { bit: 4, dx: 1, dy: 1 },
  { bit: 8, dx: 0, dy: 1 },
] as const;
const QUARTER = Math.PI / 2;

function addCell(path: Path2D, cell: Cell, shape: { readonly corners: number; readonly grow: number }): void {
  const { corners, grow } = shape;
  const reach = 0.5 + grow;
  if (corners === 0) return;
  if (corners === 15) {
    path.rect(cell.x, cell.y, 1, 1);
    return;
  }
  const band = BANDS[corners];
  if (band !== undefined) {
    path.rect(...band(cell, reach));
    return;
  }
  const missing = CORNERS.findIndex((corner) => corners === 15 - corner.bit);
  if (missing !== -1) {
    addBite(path, cell, { corner: missing, radius: 1 - reach });
    return;
  }
  for (const [index, corner] of CORNERS.entries())
    if ((corners & corner.bit) !== 0) addPie(path, cell, { corner: index, radius: reach });
}

/** The band along one side that two neighbouring corners form, as a box. */
const BANDS: Readonly<Record<number, (cell: Cell, reach: number) => [number, number, number, number]>> = {
  3: (cell, reach) => [cell.x, cell.y, 1, reach],
  6: (cell, reach) => [cell.x + 1 - reach, cell.y, reach, 1],
  12: (cell, reach) => [cell.x, cell.y + 1 - reach, 1, reach],
  9: (cell, reach) => [cell.x, cell.y, reach, 1],
};

type Round = Readonly<{ corner: number; radius: number }>;

function addPie(path: Path2D, cell: Cell, { corner, radius }: Round): void {
  const { dx, dy } = CORNERS[corner] ?? CORNERS[0];
  path.moveTo(cell.x + dx, cell.y + dy);
  path.arc(cell.x + dx, cell.y + dy, radius, corner * QUARTER, (corner + 1) * QUARTER);
  path.closePath();
}

function addBite(path: Path2D, cell: Cell, { corner, radius }: Round): void {
  const at = (index: number): { dx: number; dy: number } => CORNERS[index % 4] ?? CORNERS[0];
  const hole = at(corner);
  const start = at(corner + 1);
  path.moveTo(cell.x + start.dx, cell.y + start.dy);
  for (const index of [corner + 2, corner + 3]) path.lineTo(cell.x + at(index).dx, cell.y + at(index).dy);
  path.arc(cell.x + hole.dx, cell.y + hole.dy, radius, (corner + 1) * QUARTER, corner * QUARTER, true);
  path.closePath();
}
