import dagre from '@dagrejs/dagre';
import type { EdgeType, Plan, PlanStage } from '../plan/plan.ts';
import { fallbackEdge } from '../../flow/decision/plan-index.ts';
import { edgePath } from './edge-path.ts';
import { CHAR_WIDTH, edgeLabel, nodeLines, ruleText, SMALL_CHAR_WIDTH } from './graph-words.ts';
import { outlinePath } from './node-shape.ts';

export type Point = Readonly<{ x: number; y: number }>;

/** `rule`: the source of a fallback rule, which stands for every stage with that failure. */
export type NodeShape = PlanStage['role'] | 'rule';

/**
 * A node by its centre and size, in pixels. `lines`: its name, and what it runs. `decides`: its edges are conditions. `outline`: a path of
 * SVG around its centre.
 */
export type DrawnNode = Point &
  Readonly<{
    id: string;
    shape: NodeShape;
    decides: boolean;
    width: number;
    height: number;
    lines: readonly string[];
    outline: string;
  }>;

/** `again`: the way back of a feedback stage to the stage that it judges. */
export type LineStyle = EdgeType | 'again';

/** `id`: of the edge of the plan, or of the rule; null for `again`. `path`: of SVG. `label` has its centre at `labelAt`. */
export type DrawnEdge = Readonly<{
  id: string | null;
  from: string;
  to: string;
  style: LineStyle;
  label: string;
  path: string;
  labelAt: Point;
}>;

type DrawnPlan = Readonly<{
  width: number;
  height: number;
  nodes: readonly DrawnNode[];
  edges: readonly DrawnEdge[];
}>;

type Line = Omit<DrawnEdge, 'path' | 'labelAt'>;
type Box = Omit<DrawnNode, 'x' | 'y' | 'outline'>;
/** A picture whose lines are the points between source and target. */
type Placed = Readonly<{
  width: number;
  height: number;
  nodes: readonly (Box & Point)[];
  edges: readonly (Line & Readonly<{ points: readonly Point[]; labelAt: Point }>)[];
}>;

/** A line as dagre returns it. TypeScript does not find the types of dagre. */
type PlacedLine = Partial<Point> & Readonly<{ points: readonly Point[] }>;

const LINE_HEIGHT = 18;
const LABEL_HEIGHT = 16;
/** Room around the words of a node, in pixels: a slanted or pointed shape needs more of it. */
const ROOM: Readonly<Record<NodeShape, Readonly<{ x: number; y: number }>>> = {
  agent: { x: 36, y: 22 },
  tool: { x: 44, y: 22 },
  decision: { x: 96, y: 48 },
  merge: { x: 72, y: 22 },
  feedback: { x: 56, y: 22 },
  linear: { x: 28, y: 22 },
  rule: { x: 28, y: 10 },
};
const ROW_GAP = 44;
/** The space that a viewer needs for words of its own, in pixels: `below` each node, and the least width of a node. */
type Space = Readonly<{ below: number; minWidth: number }>;
const NO_WORDS: Space = { below: 0, minWidth: 88 };
/** Beyond this many stages the rows are found by the faster way, which makes some lines longer. */
const CAREFUL_MAX_STAGES = 200;

/** Places the stages of a plan in rows, from its entries to its exits. The same plan has the same picture. Pure. */
export function layoutPlan(plan: Plan, { below, minWidth } = NO_WORDS): DrawnPlan {
  const boxes = [...plan.stages.map(stageBox), ...plan.fallbacks.map(ruleBox)].map((box): Box => ({
    ...box,
    width: Math.max(minWidth, box.width),
  }));
  const lines = linesOf(plan);
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  const ranker = plan.stages.length > CAREFUL_MAX_STAGES ? 'tight-tree' : 'network-simplex';
  graph.setGraph({
    rankdir: 'TB',
    ranker,
    nodesep: 36,
    ranksep: ROW_GAP + below,
    edgesep: 18,
    marginx: 20,
    marginy: 20,
  });
  for (const { id, width, height } of boxes) graph.setNode(keyOf(id), { width, height });
  for (const [index, { from, to, label }] of lines.entries()) {
    const width = label === '' ? 0 : label.length * SMALL_CHAR_WIDTH + 12;
    graph.setEdge(
      keyOf(from),
      keyOf(to),
      { width, height: label === '' ? 0 : LABEL_HEIGHT, labelpos: 'c' },
      `${index}`,
    );
  }
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  const nodes = boxes.map((box) => ({ ...box, ...centreOf(graph.node(keyOf(box.id))) }));
  const edges = lines.map((line, index) => {
    const {
      points,
      x = 0,
      y = 0,
    }: PlacedLine = graph.edge({ v: keyOf(line.from), w: keyOf(line.to), name: `${index}` });
    // The first and the last point are on the outlines of rectangles.
    return { ...line, points: points.slice(1, -1).map(centreOf), labelAt: { x, y } };
  });
  return drawn(inOrder({ width: Math.ceil(width), height: Math.ceil(height), nodes, edges }));
}

/** The name of a node for dagre, which looks names up in plain objects: a stage may be called `constructor`. */
const keyOf = (id: string): string => ` ${id}`;

/** The picture or its mirror image, whichever has more neighbours of a row in the order of the manifest. */
function inOrder(placed: Placed): Placed {
  const lastX = new Map<number, number>();
  const steps = placed.nodes.flatMap(({ x, y }) => {
    const before = lastX.get(y);
    lastX.set(y, x);
    return before === undefined ? [] : [x - before];
  });
  const forward = steps.filter((step) => step > 0).length;
  return forward * 2 >= steps.length ? placed : mirrored(placed);
}

function mirrored({ width, height, nodes, edges }: Placed): Placed {
  const mirror = <P extends Point>(point: P): P => ({ ...point, x: width - point.x });
  return {
    width,
    height,
    nodes: nodes.map(mirror),
    edges: edges.map((edge) => ({ ...edge, points: edge.points.map(mirror), labelAt: mirror(edge.labelAt) })),
  };
}

function drawn({ nodes, edges, ...size }: Placed): DrawnPlan {
  const places = new Map(nodes.map((node) => [node.id, node]));
  return {
    ...size,
    nodes: nodes.map((node) => ({ ...node, outline: outlinePath(node.shape, node) })),
    edges: edges.map(({ points, ...edge }) => {
      const [source, target] = [places.get(edge.from), places.get(edge.to)];
      return { ...edge, path: source === undefined || target === undefined ? '' : edgePath(points, source, target) };
    }),
  };
}

const centreOf = ({ x, y }: Point): Point => ({ x, y });

function boxOf(id: string, shape: NodeShape, lines: readonly string[]): Box {
  const longest = Math.max(...lines.map((line, index) => line.length * (index === 0 ? CHAR_WIDTH : SMALL_CHAR_WIDTH)));
  const width = longest + ROOM[shape].x;
  return { id, shape, decides: false, width, height: lines.length * LINE_HEIGHT + ROOM[shape].y, lines };
}

function stageBox(stage: PlanStage): Box {
  return { ...boxOf(stage.id, stage.role, nodeLines(stage)), decides: stage.decides && stage.role !== 'decision' };
}

/** Ids of stages have no space, so this id is free. */
const ruleId = (index: number): string => `rule ${index}`;

const ruleBox = (rule: Plan['fallbacks'][number], index: number): Box => boxOf(ruleId(index), 'rule', [ruleText(rule)]);

function linesOf({ edges, stages, fallbacks }: Plan): readonly Line[] {
  const again = stages.flatMap(({ id, feedback }): readonly Line[] =>
    feedback === null
      ? []
      : [{ id: null, from: id, to: feedback.reviews, style: 'again', label: `at most ${feedback.maxRounds} rounds` }],
  );
  return [
    ...edges.map(({ id, from, to, type, when }): Line => ({
      id,
      from,
      to,
      style: type,
      label: edgeLabel({ type, when }),
    })),
    ...again,
    ...fallbacks.map(({ to }, index): Line => ({
      id: fallbackEdge(to),
      from: ruleId(index),
      to,
      style: 'fallback',
      label: '',
    })),
  ];
}
