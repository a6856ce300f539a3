import { type KeyboardEvent, type PointerEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { shorten } from '@hamlet/core';
import { dateTime } from '../../ui/time-labels.ts';
import type { Frame, Scale, Series } from './series.ts';
import {
  instantAfter,
  instantsOf,
  rangeOf,
  scaleOf,
  spread,
  stepPath,
  timeTicks,
  valueAt,
  valueTicks,
} from './series.ts';

/** A value with a line across the plot, such as the balance that opens a tier. */
type Level = Readonly<{ value: number; word: string }>;

interface PlotProps {
  readonly label: string;
  readonly series: readonly Series[];
  readonly levels: readonly Level[];
  readonly fromMs: number;
  readonly toMs: number;
  format(value: number): string;
}

const HEIGHT = 270;
const MARGIN = { top: 14, right: 14, bottom: 26, left: 52 } as const;
/** Width of the names at the ends of the lines. A narrow plot has no such names, only the legend. */
const NAMES_PX = 96;
const NARROW_PX = 560;
/** The keys that move from change to change. `Infinity` moves to an end. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  PageUp: 10,
  PageDown: -10,
  Home: -Infinity,
  End: Infinity,
};

/** A pointer or the arrow keys show the values at an instant. Lines differ in colour, dashes and name. */
export function StepPlot({ label, series, levels, fromMs, toMs, format }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [readAt, setReadAt] = useState<number | null>(null);
  const named = width >= NARROW_PX;
  const area = {
    width: Math.max(80, width - MARGIN.left - MARGIN.right - (named ? NAMES_PX : 0)),
    height: HEIGHT - MARGIN.top - MARGIN.bottom,
  };
  const { frame, ticks } = useMemo(() => frameOf(series, levels, { fromMs, toMs }), [series, levels, fromMs, toMs]);
  const scale = scaleOf(frame, area);
  const plot = { series, frame, area, scale };
  const instants = useMemo(() => instantsOf(series, fromMs, toMs), [series, fromMs, toMs]);
  const atMs = readAt === null ? null : Math.min(toMs, Math.max(fromMs, readAt));
  const point = (event: PointerEvent<HTMLDivElement>): void => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left - MARGIN.left;
    setReadAt(fromMs + (Math.min(area.width, Math.max(0, x)) / area.width) * (toMs - fromMs));
  };
  const walk = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setReadAt(instantAfter(instants, atMs ?? toMs, step));
  };
  const words = readingLabel(series, atMs ?? toMs, format);
  return (
    <div
      ref={box}
      className="plot"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={fromMs}
      aria-valuemax={toMs}
      aria-valuenow={atMs ?? toMs}
      aria-valuetext={words}
      onPointerMove={point}
      onPointerDown={point}
      onPointerLeave={() => setReadAt(null)}
      onKeyDown={walk}
      onBlur={() => setReadAt(null)}
    >
      <svg width={width} height={HEIGHT} aria-hidden="true">
        <g transform={`translate(${MARGIN.left} ${MARGIN.top})`}>
          <PlotAxes {...plot} ticks={ticks} levels={levels} />
          <Lines {...plot} />
          {atMs !== null && <Reading {...plot} atMs={atMs} />}
          {named && <Names {...plot} />}
        </g>
      </svg>
      {atMs !== null && (
        <Bubble series={series} atMs={atMs} left={MARGIN.left + scale.x(atMs)} width={width} format={format} />
      )}
    </div>
  );
}

type Area = Readonly<{ width: number; height: number }>;
type Plot = Readonly<{ series: readonly Series[]; frame: Frame; area: Area; scale: Scale }>;

function Lines({ series, frame, area, scale }: Plot) {
  const clip = useId();
  const alone = series.length === 1;
  return (
    <>
      <clipPath id={clip}>
        <rect x={0} y={-4} width={area.width} height={area.height + 8} />
      </clipPath>
      <g clipPath={`url(#${clip})`}>
        {series.map(({ id, points }, index) => {
          const path = stepPath(points, frame, scale);
          const from = /^M([0-9.-]+)/.exec(path)?.[1] ?? '0';
          return (
            <g key={id} className={`plot-series ${lookOf(index)}`} data-series={id}>
              {alone && path !== '' && <path className="plot-area" d={`${path}V${area.height}H${from}Z`} />}
              <path className="plot-line" d={path} />
            </g>
          );
        })}
      </g>
    </>
  );
}

function Reading({ series, atMs, area, scale }: Plot & { readonly atMs: number }) {
  return (
    <g>
      <line className="plot-reader" x1={scale.x(atMs)} x2={scale.x(atMs)} y1={0} y2={area.height} />
      {valuesAt(series, atMs).map(({ id, value, look }) =>
        value === null ? null : (
          <circle key={id} className={`plot-dot ${look}`} cx={scale.x(atMs)} cy={scale.y(value)} r={4.5} />
        ),
      )}
    </g>
  );
}

function Names({ series, frame, area, scale }: Plot) {
  const ends = valuesAt(series, frame.toMs).flatMap(({ value, ...end }) =>
    value === null ? [] : [{ ...end, y: scale.y(value) }],
  );
  const places = spread(
    ends.map(({ y }) => y),
    17,
    area.height,
  );
  return (
    <>
      {ends.map(({ id, name, look }, at) => (
        <text key={id} className={`plot-name ${look}`} x={area.width + 8} y={places[at]} dy="0.35em">
          {shorten(name, 12)}
        </text>
      ))}
    </>
  );
}

type BubbleProps = Pick<PlotProps, 'series' | 'format'> & Readonly<{ atMs: number; left: number; width: number }>;

function Bubble({ series, atMs, left, width, format }: BubbleProps) {
  const rightHalf = left > width / 2;
  return (
    <div
      className="plot-bubble"
      style={rightHalf ? { right: width - left + 12 } : { left: left + 12 }}
      aria-hidden="true"
    >
      <b>{dateTime(Math.round(atMs / 60_000) * 60_000)}</b>
      {valuesAt(series, atMs).map(({ id, name, value, look }) => (
        <span key={id} className={look}>
          <PlotKey />
          {name}
          <em>{value === null ? 'not yet' : format(value)}</em>
        </span>
      ))}
    </div>
  );
}

export function PlotKey() {
  return (
    <svg className="plot-key" width={24} height={8} aria-hidden="true">
      <line className="plot-line" x1={1} x2={23} y1={4} y2={4} />
    </svg>
  );
}

const lookOf = (index: number): string => `plot-series-${index % 5}`;

/** The value of each series at an instant, null before its first point, and the CSS class of its line. */
function valuesAt(series: readonly Series[], atMs: number) {
  return series.map(({ id, name, points }, index) => ({
    id,
    name,
    value: valueAt(points, atMs),
    look: lookOf(index),
  }));
}

function readingLabel(series: readonly Series[], atMs: number, format: (value: number) => string): string {
  const parts = valuesAt(series, atMs).map(
    ({ name, value }) => `${name} ${value === null ? 'not yet' : format(value)}`,
  );
  return `${dateTime(Math.round(atMs / 60_000) * 60_000)}: ${parts.length === 0 ? 'no values' : parts.join(', ')}`;
}

/** From zero, or the lowest negative value, to the highest value or the next level above it. */
function frameOf(
  series: readonly Series[],
  levels: readonly Level[],
  time: { readonly fromMs: number; readonly toMs: number },
): { readonly frame: Frame; readonly ticks: readonly number[] } {
  const range = rangeOf(series, time.fromMs, time.toMs) ?? { low: 0, high: 1 };
  // Shows the next level above if it is near, so that the distance to it is visible.
  const above =
    levels
      .map(({ value }) => value)
      .filter((value) => value > range.high && value <= range.high * 2 + 1)
      .toSorted((left, right) => left - right)[0] ?? range.high;
  const ticks = valueTicks(Math.min(0, range.low), Math.max(above, range.high), 4);
  return { frame: { ...time, low: ticks[0] ?? 0, high: ticks.at(-1) ?? 1 }, ticks };
}

function useWidth(box: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(640);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return width;
}

type AxesProps = Plot & Readonly<{ ticks: readonly number[]; levels: readonly Level[] }>;

const DAY_MS = 86_400_000;
const LABEL_PX = 84;

function PlotAxes({ frame, ticks, scale, area, levels }: AxesProps) {
  const times = timeTicks(frame.fromMs, frame.toMs, {
    count: Math.max(2, Math.floor(area.width / LABEL_PX)),
    offsetMs: -new Date(frame.toMs).getTimezoneOffset() * 60_000,
  });
  const shown = levels.filter(({ value }) => value > frame.low && value < frame.high);
  return (
    <g className="plot-axes">
      {ticks.map((value) => (
        <g key={value}>
          <line className="plot-grid" x1={0} x2={area.width} y1={scale.y(value)} y2={scale.y(value)} />
          <text x={-8} y={scale.y(value)} dy="0.35em" textAnchor="end">
            {value.toLocaleString('en')}
          </text>
        </g>
      ))}
      {times.map((atMs) => (
        <text key={atMs} x={scale.x(atMs)} y={area.height + 18} textAnchor={scale.x(atMs) < 24 ? 'start' : 'middle'}>
          {timeLabel(atMs, frame)}
        </text>
      ))}
      {shown.map(({ value, word }) => (
        <g key={word} className="plot-level">
          <line x1={0} x2={area.width} y1={scale.y(value)} y2={scale.y(value)} />
          <text x={4} y={scale.y(value) - 5}>
            {word}
          </text>
        </g>
      ))}
    </g>
  );
}

function timeLabel(atMs: number, frame: Frame): string {
  const options: Intl.DateTimeFormatOptions =
    frame.toMs - frame.fromMs <= 2 * DAY_MS
      ? { hour: '2-digit', minute: '2-digit' }
      : { day: 'numeric', month: 'short' };
  return new Intl.DateTimeFormat('en-GB', options).format(atMs);
}
