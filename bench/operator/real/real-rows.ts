import { row, type Row } from '../../report.ts';
import { median, p99 } from '../rows.ts';
import type { RealResult } from './measure-real.ts';

/** A figure, that of a peer, and the ratio between them. */
function beside(metric: string, ours: number, peers: Readonly<Record<string, number>>): Row {
  const [peer = Number.NaN] = Object.values(peers);
  return row(metric, 'ms', { ours, peers, ratio: ours / peer });
}

/** The rows of the real nodes. Their names differ from those of simulated nodes, which are in the same report. */
export function realRows({ raised, lowered, barePodResizedMs, awakenedMs, barePodMs }: RealResult): readonly Row[] {
  const raisedMs = raised.map(({ resizedMs }) => resizedMs);
  const loweredMs = lowered.map(({ resizedMs }) => resizedMs);
  const askedMs = raised.map((each) => each.askedMs);
  return [
    {
      ...beside('standingToResizedRealP99Ms', p99(raisedMs), { barePodResized: p99(barePodResizedMs) }),
      target: 1_000,
    },
    beside('standingToResizedRealP50Ms', median(raisedMs), { barePodResized: median(barePodResizedMs) }),
    row('standingToResizeAskedRealP99Ms', 'ms', { ours: p99(askedMs) }),
    row('standingToResizeAskedRealP50Ms', 'ms', { ours: median(askedMs) }),
    row('standingLostToResizedRealP99Ms', 'ms', { ours: p99(loweredMs) }),
    row('standingLostToResizedRealP50Ms', 'ms', { ours: median(loweredMs) }),
    beside('suspendToRunningRealP99Ms', p99(awakenedMs), { barePod: p99(barePodMs) }),
    beside('suspendToRunningRealP50Ms', median(awakenedMs), { barePod: median(barePodMs) }),
  ];
}
