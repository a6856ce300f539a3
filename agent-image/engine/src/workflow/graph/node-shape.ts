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

/** The point at the upper (-1) or lower (1) side of a node at which a line from or to a point ends. */
export function endOfLine(node: DrawnNode, side: -1 | 1, towards: Point): Point {
  const reach = (node.width * SIDES[node.shape]) / 2;
  const x = Math.max(node.x - reach, Math.min(node.x + reach, towards.x));
  return { x, y: node.y + (side * node.height) / 2 };
}
