import { layoutPlan, type DrawnEdge, type DrawnNode, type LineStyle, type Plan } from '@hamlet/engine/manifests';
import { useId, useMemo } from 'react';
import { IconButton } from '../../../ui/controls.tsx';
import { StageSign, type StageState } from './stage-mark.tsx';
import { useZoom } from './use-zoom.ts';
import { ZOOM_STEP } from './zoom.ts';
import './graph.css';

/** The state of a stage in the graph. `lines`: at most two short lines below its node; the first follows the sign of the state. */
export type NodeMark = Readonly<{ state: StageState; lines: readonly string[] }>;

type GraphProps = Readonly<{
  plan: Plan;
  /** For screen readers, which read the picture as one image: the stages are also in a list beside it. */
  label: string;
  /** By the ids of stages; absent for a plan that is not carried out. */
  marks?: ReadonlyMap<string, NodeMark>;
  /** Ids of the edges that the task has followed; `again:STAGE` for the way back of a feedback stage. */
  followed?: ReadonlySet<string>;
  selected: string | null;
  onSelect: (stage: string) => void;
}>;

const NOTE_LINE = 15;
const NOTE_CHAR = 6.1;
const SPACE = { below: 2 * NOTE_LINE + 6, minWidth: 132 };
const LINE_WORDS: Readonly<Record<LineStyle, string>> = {
  normal: 'done',
  conditional: 'if',
  error: 'after a failure',
  fallback: 'fallback',
  again: 'another round',
};

/** A plan as a graph that scrolls and zooms. A click selects a stage. */
export function PlanGraph({ plan, label, marks, followed, selected, onSelect }: GraphProps) {
  const isCarriedOut = marks !== undefined;
  const drawn = useMemo(() => layoutPlan(plan, isCarriedOut ? SPACE : undefined), [plan, isCarriedOut]);
  const { width } = drawn;
  const height = drawn.height + (isCarriedOut ? SPACE.below : 0);
  const { frame, scale, zoomBy, fit, handlers } = useZoom({ width, height });
  const arrows = useId();
  const styles = [...new Set(drawn.edges.map(({ style }) => style))];
  return (
    <div className="graph">
      <div className="graph-tools">
        <ul className="graph-legend" aria-hidden="true">
          {styles.map((style) => (
            <li key={style}>
              <svg width="34" height="10" viewBox="0 0 34 10">
                <path className={`graph-edge edge-${style}`} d="M1 5H33" />
              </svg>
              {LINE_WORDS[style]}
            </li>
          ))}
        </ul>
        <IconButton icon="minus" iconPx={16} label="Smaller" onClick={() => zoomBy(1 / ZOOM_STEP)} />
        <IconButton icon="plus" iconPx={16} label="Larger" onClick={() => zoomBy(ZOOM_STEP)} />
        <button type="button" className="button button-small" onClick={fit} data-action="fit-graph">
          Fit
        </button>
      </div>
      <div
        ref={frame}
        className="graph-frame"
        tabIndex={0}
        role="group"
        aria-label={`${label}. Keys: arrows, + − 0`}
        {...handlers}
      >
        <svg
          role="img"
          aria-label={label}
          viewBox={`0 0 ${width} ${height}`}
          width={width * scale}
          height={height * scale}
        >
          <defs>
            {[...styles, 'followed'].map((style) => (
              <marker
                key={style}
                id={`${arrows}${style}`}
                viewBox="0 0 10 10"
                refX="9"
                refY="5"
                markerWidth="8"
                markerHeight="8"
                markerUnits="userSpaceOnUse"
                orient="auto"
              >
                <path className={`arrow-${style}`} d="M0 0L10 5L0 10z" />
              </marker>
            ))}
          </defs>
          {drawn.edges.map((edge, index) => (
            <EdgeLine key={index} edge={edge} isFollowed={followedIn(followed, edge)} arrows={arrows} />
          ))}
          {drawn.nodes.map((node) => (
            <Node
              key={node.id}
              node={node}
              mark={marks?.get(node.id)}
              isSelected={node.id === selected}
              onSelect={onSelect}
            />
          ))}
          {drawn.edges.map((edge, index) => edge.label !== '' && <EdgeWords key={index} edge={edge} />)}
        </svg>
      </div>
    </div>
  );
}

/** The way back of a feedback stage has no id in the plan. */
const followedIn = (followed: ReadonlySet<string> | undefined, { id, from }: DrawnEdge): boolean | null =>
  followed === undefined ? null : followed.has(id ?? `again:${from}`);

type EdgeProps = Readonly<{ edge: DrawnEdge; isFollowed: boolean | null; arrows: string }>;

function EdgeLine({ edge: { path, style }, isFollowed, arrows }: EdgeProps) {
  const arrow = isFollowed === true && (style === 'normal' || style === 'conditional') ? 'followed' : style;
  return (
    <path
      className={`graph-edge edge-${style}`}
      data-followed={isFollowed ?? undefined}
      d={path}
      markerEnd={`url(#${arrows}${arrow})`}
    />
  );
}

function EdgeWords({
  edge: {
    label,
    labelAt: { x, y },
  },
}: {
  readonly edge: DrawnEdge;
}) {
  const width = label.length * NOTE_CHAR + 10;
  return (
    <g className="edge-words" transform={`translate(${x} ${y})`}>
      <rect x={-width / 2} y="-9" width={width} height="18" rx="5" />
      <text y="4">{label}</text>
    </g>
  );
}

type NodeProps = Readonly<{
  node: DrawnNode;
  mark: NodeMark | undefined;
  isSelected: boolean;
  onSelect: (stage: string) => void;
}>;

function Node({ node, mark, isSelected, onSelect }: NodeProps) {
  const { id, shape, x, y, lines, height, outline, decides } = node;
  const [name = '', work] = lines;
  const select = shape === 'rule' ? undefined : () => onSelect(id);
  return (
    <g
      className={`graph-node ${shape}-node`}
      transform={`translate(${x} ${y})`}
      data-stage={id}
      data-state={mark?.state}
      data-selected={isSelected || undefined}
      onClick={select}
    >
      <path className="node-outline" d={outline} />
      {decides && <path className="node-decides" d={`M0 ${height / 2 - 6}l6 6l-6 6l-6-6z`} />}
      <text className="node-name" y={work === undefined ? 4.5 : -4}>
        {name}
      </text>
      {work !== undefined && (
        <text className="node-work" y="13">
          {work}
        </text>
      )}
      {mark !== undefined && mark.state !== 'idle' && <Note mark={mark} top={height / 2} />}
    </g>
  );
}

/** The state of a stage and its use, in a box at the lower side of its node. */
function Note({ mark: { state, lines }, top }: Readonly<{ mark: NodeMark; top: number }>) {
  const [first = '', second = ''] = lines;
  const width = Math.max(first.length * NOTE_CHAR + 34, second.length * NOTE_CHAR + 18);
  const height = NOTE_LINE * (second === '' ? 1 : 2) + 5;
  const start = -(first.length * NOTE_CHAR + 16) / 2;
  return (
    <g className="node-note" transform={`translate(0 ${top})`}>
      <rect x={-width / 2} width={width} height={height} rx="8" />
      <g transform={`translate(${start + 4} 10)`}>
        <StageSign state={state} />
      </g>
      <text x={start + 16} y="14" className="note-first">
        {first}
      </text>
      {second !== '' && (
        <text y={14 + NOTE_LINE} className="note-second">
          {second}
        </text>
      )}
    </g>
  );
}
