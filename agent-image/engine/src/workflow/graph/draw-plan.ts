import type { Plan } from '../plan/plan.ts';
import { CHAR_WIDTH, SMALL_CHAR_WIDTH } from './graph-words.ts';
import { layoutPlan, type DrawnEdge, type DrawnNode, type LineStyle, type NodeShape } from './layout-plan.ts';
import { outlinePath } from './node-shape.ts';
import { at, number } from './path-text.ts';

/** The words of the legend, in its order. A picture explains only the shapes and lines that it has. */
const SHAPES: readonly (readonly [NodeShape, string])[] = [
  ['agent', 'agent'],
  ['tool', 'tool'],
  ['decision', 'decision'],
  ['merge', 'merge'],
  ['feedback', 'feedback'],
  ['linear', 'linear'],
  ['rule', 'fallback rule'],
];
const LINES: readonly (readonly [LineStyle, string])[] = [
  ['normal', 'done'],
  ['conditional', 'if'],
  ['error', 'error'],
  ['fallback', 'fallback'],
  ['again', 'again'],
];

const STYLE = `
.plan{--ground:#fff;--words:#1d2733;--quiet:#5a6775;--line:#5a6775;--agent:#e5efff;--tool:#e7f5ea;--decision:#fdf1d7;--merge:#efe9fb;--feedback:#fde9ef;--linear:#f2f4f6;--rule:#fbeee4;--fault:#b3261e;--spare:#a15c00;--again:#8a2f5b}
@media (prefers-color-scheme:dark){.plan{--ground:#14191f;--words:#e8edf2;--quiet:#a7b3bf;--line:#a7b3bf;--agent:#1c3355;--tool:#1b3a26;--decision:#443611;--merge:#33284d;--feedback:#4a2434;--linear:#262d35;--rule:#432f1f;--fault:#ff8a80;--spare:#ffb866;--again:#f09cc4}}
.plan text{font:13px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--words);text-anchor:middle}
.plan .small{font-size:11px;fill:var(--quiet)}
.plan .start{text-anchor:start}
.plan .title{font-weight:600;text-anchor:start}
.plan .node path{stroke:var(--line);stroke-width:1.4}
.plan .node .mark{fill:var(--decision)}
.plan .edge{fill:none;stroke:var(--line);stroke-width:1.6}
.plan .conditional{stroke-dasharray:7 4}
.plan .error{stroke:var(--fault);stroke-dasharray:2 4;stroke-linecap:round}
.plan .fallback{stroke:var(--spare);stroke-dasharray:9 4 2 4}
.plan .again{stroke:var(--again);stroke-dasharray:4 3}
.plan .behind{fill:var(--ground)}
${SHAPES.map(([shape]) => `.plan .${shape}-node{fill:var(--${shape})}`).join('\n')}
`;

const HEAD_HEIGHT = 40;
const KEY_ROW_HEIGHT = 26;
const KEY_HEIGHT = 2 * KEY_ROW_HEIGHT + 8;
const MARGIN = 20;
const DIAMOND = 7;

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Text for an element or an attribute. Characters that XML forbids become U+FFFD. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll(/[&<>"]/g, (sign) => MARKUP[sign] ?? sign);

/**
 * A plan as a picture: an SVG document of its own, for light and dark. Shapes show roles and lines types of edges, so that colour is
 * not needed to read it. Pure.
 */
export function drawPlan(plan: Plan): string {
  const drawn = layoutPlan(plan);
  const title = plan.pipeline === 'default' ? plan.workflow : `${plan.workflow}, pipeline ${plan.pipeline}`;
  const key = keyOf(drawn.nodes, drawn.edges);
  const width = Math.ceil(Math.max(drawn.width, key.width, title.length * CHAR_WIDTH + 2 * MARGIN));
  const height = HEAD_HEIGHT + drawn.height + KEY_HEIGHT;
  const inset = number((width - drawn.width) / 2);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="plan" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(`Workflow ${title}`)}">`,
    `<style>${STYLE}</style>`,
    `<defs>${LINES.map(([style]) => arrowHead(style)).join('')}</defs>`,
    `<rect class="behind" width="${width}" height="${height}"/>`,
    `<text class="title" x="${MARGIN}" y="26">${escaped(title)}</text>`,
    `<g transform="translate(${inset} ${HEAD_HEIGHT})">`,
    ...drawn.edges.map(edgeLine),
    ...drawn.nodes.map(nodeGroup),
    ...drawn.edges.map(edgeWords),
    '</g>',
    `<g transform="translate(0 ${HEAD_HEIGHT + drawn.height})">${key.elements}</g>`,
    '</svg>',
    '',
  ].join('\n');
}

const COLOURS: Readonly<Record<LineStyle, string>> = {
  normal: 'line',
  conditional: 'line',
  error: 'fault',
  fallback: 'spare',
  again: 'again',
};

const arrowHead = (style: LineStyle): string =>
  `<marker id="to-${style}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L10 5L0 10z" style="fill:var(--${COLOURS[style]})"/></marker>`;

const edgeLine = ({ path, style }: DrawnEdge): string =>
  path === '' ? '' : `<path class="edge ${style}" d="${path}" marker-end="url(#to-${style})"/>`;

function edgeWords({ label, labelAt: { x, y } }: DrawnEdge): string {
  if (label === '') return '';
  const width = label.length * SMALL_CHAR_WIDTH + 8;
  return `<rect class="behind" x="${number(x - width / 2)}" y="${number(y - 8)}" width="${number(width)}" height="16"/><text class="small" x="${number(x)}" y="${number(y + 4)}">${escaped(label)}</text>`;
}

function nodeGroup(node: DrawnNode): string {
  const { x, y, shape, outline, lines, height, decides } = node;
  const [name = '', work] = lines;
  const words =
    work === undefined
      ? `<text y="4.5">${escaped(name)}</text>`
      : `<text y="-4">${escaped(name)}</text><text class="small" y="13">${escaped(work)}</text>`;
  const mark = decides
    ? `<path class="mark" d="M0 ${height / 2 - DIAMOND}l${DIAMOND} ${DIAMOND}l-${DIAMOND} ${DIAMOND}l-${DIAMOND} -${DIAMOND}z"/>`
    : '';
  return `<g class="node ${shape}-node" transform="translate(${at({ x, y })})"><path d="${outline}"/>${mark}${words}</g>`;
}

type Sign = Readonly<{ sign: string; words: string }>;
type Key = Readonly<{ width: number; elements: string }>;

/** The legend of a picture: a row of its shapes, and a row of its lines. */
function keyOf(nodes: readonly DrawnNode[], edges: readonly DrawnEdge[]): Key {
  const shapes = SHAPES.filter(([shape]) => nodes.some((node) => node.shape === shape)).map(([shape, words]): Sign => {
    const size = { width: 30, height: 16 };
    return {
      sign: `<g class="node ${shape}-node" transform="translate(17 11)"><path d="${outlinePath(shape, size)}"/></g>`,
      words,
    };
  });
  const lines = LINES.filter(([style]) => edges.some((edge) => edge.style === style)).map(([style, words]): Sign => {
    return { sign: `<path class="edge ${style}" d="M2 11H34" marker-end="url(#to-${style})"/>`, words };
  });
  const rows = [shapes, lines].map(keyRow);
  const elements = rows.map(
    (row, index) => `<g transform="translate(0 ${index * KEY_ROW_HEIGHT})">${row.elements}</g>`,
  );
  return { width: Math.max(...rows.map(({ width }) => width)), elements: elements.join('') };
}

function keyRow(signs: readonly Sign[]): Key {
  let x = MARGIN;
  const elements = signs.map(({ sign, words }) => {
    const part = `<g transform="translate(${number(x)} 0)">${sign}<text class="small start" x="42" y="15">${words}</text></g>`;
    x += 42 + words.length * SMALL_CHAR_WIDTH + 18;
    return part;
  });
  return { width: x + MARGIN, elements: elements.join('') };
}
