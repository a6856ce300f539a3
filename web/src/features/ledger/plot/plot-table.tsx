import type { ReactElement } from 'react';
import { dateTime } from '../../../ui/time-words.ts';
import { instantsOf, type Series, valueAt } from './series.ts';

/** More rows than this are no help to anybody; the newest are kept. */
const ROWS_MAX = 100;

interface TableProps {
  readonly series: readonly Series[];
  readonly fromMs: number;
  readonly toMs: number;
  format(value: number): string;
}

/** The picture as a table: what each balance was at every change, newest first. */
export function PlotTable({ series, fromMs, toMs, format }: TableProps): ReactElement {
  return (
    <details className="plot-table">
      <summary>As a table</summary>
      <div className="scroll-x">
        <table className="times">
          <thead>
            <tr>
              <th scope="col">When</th>
              {series.map(({ id, name }) => (
                <th key={id} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {instantsOf(series, fromMs, toMs)
              .slice(-ROWS_MAX)
              .toReversed()
              .map((atMs) => (
                <tr key={atMs}>
                  <th scope="row">{dateTime(Math.floor(atMs / 1000) * 1000)}</th>
                  {series.map(({ id, points }) => {
                    const value = valueAt(points, atMs);
                    return <td key={id}>{value === null ? 'not yet' : format(value)}</td>;
                  })}
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
