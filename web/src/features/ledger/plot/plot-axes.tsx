import type { ReactElement } from 'react';
import type { Frame, Scale } from './series.ts';
import type { Level } from './step-plot.tsx';
import { timeTicks } from './ticks.ts';

interface AxesProps {
  readonly frame: Frame;
  readonly ticks: readonly number[];
  readonly scale: Scale;
  readonly area: { readonly width: number; readonly height: number };
  readonly levels: readonly Level[];
}

const DAY_MS = 86_400_000;
/** Room for one label of the time axis. */
const LABEL_PX = 84;

/** What the values and times are: faint lines, labels outside, and the levels that lie in the picture. */
export function PlotAxes({ frame, ticks, scale, area, levels }: AxesProps): ReactElement {
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
          {timeWords(atMs, frame)}
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

/** Hours within two days, dates beyond. */
function timeWords(atMs: number, frame: Frame): string {
  const options: Intl.DateTimeFormatOptions =
    frame.toMs - frame.fromMs <= 2 * DAY_MS
      ? { hour: '2-digit', minute: '2-digit' }
      : { day: 'numeric', month: 'short' };
  return new Intl.DateTimeFormat('en-GB', options).format(atMs);
}
