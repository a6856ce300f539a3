import { FIGURES_EVERY_S, getAgentFigures, getNodeFigures } from '@hamlet/contract';
import { useMemo } from 'react';
import { useLive } from '../../client/query/use-live.ts';
import { Unread } from '../../ui/controls.tsx';
import { LineChart } from './line-chart.tsx';
import { type UsageChart, usageCharts, type UsagePoint, usageText, withGaps } from './usage-series.ts';
import './nodes.css';

/** Cpu, memory, disk, network and GPU of an agent in the last hour of real time. */
export function UsageCharts({ id }: { readonly id: string }) {
  const { data, refused } = useLive(getAgentFigures, { params: { agent_id: id } }, FIGURES_EVERY_S * 1_000);
  if (data === null) return <Unread refused={refused} />;
  return <SmallCharts points={data.points} none="after the pod of the agent has started" />;
}

/** The same charts for a node, with the work that waited. */
export function NodeCharts({ node }: { readonly node: string }) {
  const { data, refused } = useLive(getNodeFigures, { params: { node } }, FIGURES_EVERY_S * 1_000);
  if (data === null) return <Unread refused={refused} />;
  return <SmallCharts points={data.points} none="after the village has read the node" />;
}

function SmallCharts({ points, none }: { readonly points: readonly UsagePoint[]; readonly none: string }) {
  if (points.length === 0) return <p className="hint">Figures appear here within a minute {none}.</p>;
  return (
    <div className="usage-charts">
      {usageCharts(points).map((chart) => (
        <SmallChart key={chart.title} chart={chart} points={points} />
      ))}
    </div>
  );
}

function SmallChart({ chart, points }: { readonly chart: UsageChart; readonly points: readonly UsagePoint[] }) {
  const data = useMemo(() => withGaps(points, chart), [points, chart]);
  return (
    <figure className="usage-chart" data-chart={chart.title}>
      <figcaption>
        <b>{chart.title}</b> <span>{usageText(chart)}</span>
      </figcaption>
      <LineChart data={data} top={chart.top} />
    </figure>
  );
}
