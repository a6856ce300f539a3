import type { DrawnNode, NodeShape, Point } from './layout-plan.ts';

type Size = Readonly<{ width: number; height: number }>;

/** Corners of a shape around its centre. */
type Corners = (size: Size) => readonly Point[];

const rectangle: Corners = ({ width, height }) => [
  { x: -width / 2, y: -height / 2 },
  { x: width / 2, y: -height / 2 },
  { x: width / 2, y: height / 2 },
  { x: -width / 2, y: height / 2 },
];

const diamond: Corners = ({ width, height }) => [
  { x: 0, y: -height / 2 },
  { x: width / 2, y: 0 },
  { x: 0, y: height / 2 },
  { x: -width / 2, y: 0 },
];

/** Pixels by which the slanted shapes narrow: less for the small ones of the legend. */
const slantOf = (width: number): number => Math.min(20, width / 5);

/** Many branches come in at its wide side, and one goes out. */
const funnel: Corners = ({ width, height }) => [
  { x: -width / 2, y: -height / 2 },
  { x: width / 2, y: -height / 2 },
  { x: width / 2 - slantOf(width), y: height / 2 },
  { x: -width / 2 + slantOf(width), y: height / 2 },
];

const hexagon: Corners = ({ width, height }) => [
  { x: -width / 2 + slantOf(width), y: -height / 2 },
  { x: width / 2 - slantOf(width), y: -height / 2 },
  { x: width / 2, y: 0 },
  { x: width / 2 - slantOf(width), y: height / 2 },
  { x: -width / 2 + slantOf(width), y: height / 2 },
  { x: -width / 2, y: 0 },
];

const CORNERS: Readonly<Record<NodeShape, Corners>> = {
  agent: rectangle,
  tool: rectangle,
  decision: diamond,
  merge: funnel,
  feedback: hexagon,
  linear: rectangle,
  rule: rectangle,
};

/** Radius of the corners as a share of the height, of the shapes that are rectangles. */
const ROUND: Readonly<Record<NodeShape, number | null>> = {
  agent: 0.35,
  tool: 0.04,
  decision: null,
  merge: null,
  feedback: null,
  linear: 0.04,
  rule: 0.5,
};
const BAR = 8;

const number = (value: number): string => String(Math.round(value * 10) / 10);
const pointText = ({ x, y }: Point): string => `${number(x)},${number(y)}`;

/** The outline of a shape around its centre, as elements of SVG: one, and for a tool the bars at its sides. */
export function shapeElements(shape: NodeShape, size: Size): string {
  const { width, height } = size;
  const round = ROUND[shape];
  if (round === null) return `<polygon points="${CORNERS[shape](size).map(pointText).join(' ')}"/>`;
  const box = `<rect x="${number(-width / 2)}" y="${number(-height / 2)}" width="${number(width)}" height="${number(height)}" rx="${number(height * round)}"/>`;
  if (shape !== 'tool') return box;
  const bars = [BAR - width / 2, width / 2 - BAR].map(
    (x) => `M${number(x)} ${number(-height / 2)}V${number(height / 2)}`,
  );
  return `${box}<path d="${bars.join('')}"/>`;
}

/** Where the line from the centre of a node to a point leaves its shape; the point itself if it is inside. */
export function leaveShape(node: DrawnNode, towards: Point): Point {
  const corners = CORNERS[node.shape](node);
  const to = { x: towards.x - node.x, y: towards.y - node.y };
  for (const [index, from] of corners.entries()) {
    const share = crossing(to, from, corners[(index + 1) % corners.length] ?? from);
    if (share !== null) return { x: node.x + to.x * share, y: node.y + to.y * share };
  }
  return towards;
}

/** The share of the way from the origin to `to` at which it crosses the side from `a` to `b`; null if it does not. */
function crossing(to: Point, a: Point, b: Point): number | null {
  const side = { x: b.x - a.x, y: b.y - a.y };
  const turn = to.x * side.y - to.y * side.x;
  if (Math.abs(turn) < 1e-9) return null;
  const share = (a.x * side.y - a.y * side.x) / turn;
  const along = (a.x * to.y - a.y * to.x) / turn;
  return share >= 0 && share <= 1 && along >= 0 && along <= 1 ? share : null;
}
