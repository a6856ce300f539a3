import { getLastDrill, type DrillFigure } from '@hamlet/contract';
import { useLive } from '../../client/query/use-live.ts';
import { timeAgo } from '../../ui/time-labels.ts';
import { drillSummary, withinLabel } from './drill-labels.ts';

const EVERY_MS = 60_000;

/** The newest drill of the brakes with its figures. */
export function LastDrill() {
  const { data } = useLive(getLastDrill, {}, EVERY_MS);
  if (data === null) return null;
  const { drill } = data;
  if (drill === null)
    return (
      <p className="summary">
        The brakes of this village have not been measured. <code>make drill</code> does it.
      </p>
    );
  return (
    <details className="card last-drill" data-held={drill.figures.every(({ held }) => held)}>
      <summary>
        <b>Last drill</b> {timeAgo(drill.at, Date.now())}, version {drill.version}: {drillSummary(drill)}
      </summary>
      <table className="times">
        <thead>
          <tr>
            <th scope="col">Brake</th>
            <th scope="col">Half within</th>
            <th scope="col">All within</th>
            <th scope="col">Trials</th>
            <th scope="col">Looked for</th>
          </tr>
        </thead>
        <tbody>
          {drill.figures.map((figure) => (
            <Figure key={figure.brake} figure={figure} />
          ))}
        </tbody>
      </table>
      {drill.left_out.map((line) => (
        <p key={line}>Left out: {line}</p>
      ))}
    </details>
  );
}

function Figure({ figure }: { readonly figure: DrillFigure }) {
  return (
    <tr>
      <th scope="row">{figure.brake}</th>
      <td>{withinLabel(figure.p50_ms)}</td>
      <td>{figure.held ? withinLabel(figure.max_ms) : <b className="badge badge-bad">does not hold</b>}</td>
      <td>{figure.trials}</td>
      <td>{figure.effects}</td>
    </tr>
  );
}
