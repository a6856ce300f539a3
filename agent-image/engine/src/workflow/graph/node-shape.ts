import type { NodeShape, Point } from './layout-plan.ts';
import { at, number } from './path-text.ts';

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

/** The outline of a shape around its centre, as a path; a tool has bars at its sides. */
export function outlinePath(shape: NodeShape, size: Size): string {
  const { width, height } = size;
  const round = ROUND[shape];
  if (round === null) return `M${CORNERS[shape](size).map(at).join('L')}Z`;
  const box = roundedBox(size, Math.min(height * round, width / 2));
  if (shape !== 'tool') return box;
  const bars = [BAR - width / 2, width / 2 - BAR].map(
    (x) => `M${number(x)} ${number(-height / 2)}V${number(height / 2)}`,
  );
  return `${box}${bars.join('')}`;
}

function roundedBox({ width, height }: Size, radius: number): string {
  const [across, down] = [width - 2 * radius, height - 2 * radius];
  const turn = (x: number, y: number): string => `a${number(radius)} ${number(radius)} 0 0 1 ${number(x)} ${number(y)}`;
  const start = at({ x: radius - width / 2, y: -height / 2 });
  return `M${start}h${number(across)}${turn(radius, radius)}v${number(down)}${turn(-radius, radius)}h${number(-across)}${turn(-radius, -radius)}v${number(-down)}${turn(radius, -radius)}Z`;
}
