import type { DrawnNode, NodeShape, Point } from './layout-plan.ts';
import { at } from './path-text.ts';

/** Pixels on which a line leaves its source, and reaches its target, straight up or down. */
const STRAIGHT = 14;

/** The share of a shape's width on which lines end, at its upper and its lower side. */
const SIDES: Readonly<Record<NodeShape, number>> = {
  agent: 0.6,
  tool: 0.6,
  decision: 0,
  merge: 0.5,
  feedback: 0.5,
  linear: 0.6,
  rule: 0.6,
};

type Place = Point & Pick<DrawnNode, 'shape' | 'width' | 'height'>;

/** The path of a smooth line from side to side: its bends are the middles between the points of the layout. Empty without points. */
export function edgePath(points: readonly Point[], source: Place, target: Place): string {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return '';
  const side = source.y <= target.y ? 1 : -1;
  const start = endOfLine(source, side, first);
  const end = endOfLine(target, side === 1 ? -1 : 1, last);
  const below = { x: start.x, y: start.y + side * STRAIGHT };
  const above = { x: end.x, y: end.y - side * STRAIGHT };
  const bends = [below, ...points, above].map((point, index, all) => {
    const next = all[index + 1];
    return next === undefined ? '' : `Q${at(point)} ${at({ x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 })}`;
  });
  return `M${at(start)}${bends.join('')}Q${at(above)} ${at(end)}`;
}

/** The point at the upper (-1) or lower (1) side of a node at which a line from or to a point ends. */
function endOfLine(node: Place, side: -1 | 1, towards: Point): Point {
  const reach = (node.width * SIDES[node.shape]) / 2;
  const x = Math.max(node.x - reach, Math.min(node.x + reach, towards.x));
  return { x, y: node.y + (side * node.height) / 2 };
}
