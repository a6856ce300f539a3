import type { Row } from '../../report.ts';
import { median, p99 } from '../rows.ts';
import type { RealResult } from './measure-real.ts';

const MS = { unit: 'ms', better: 'lower', target: null } as const;

/** A figure, that of a peer, and the ratio between them. */
function beside(metric: string, ours: number, peers: Readonly<Record<string, number>>): Row {
  const [peer = Number.NaN] = Object.values(peers);
  return { ...MS, metric, ours, peers, ratio: ours / peer };
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
    { ...MS, metric: 'standingToResizeAskedRealP99Ms', ours: p99(askedMs), peers: {} },
    { ...MS, metric: 'standingToResizeAskedRealP50Ms', ours: median(askedMs), peers: {} },
    { ...MS, metric: 'standingLostToResizedRealP99Ms', ours: p99(loweredMs), peers: {} },
    { ...MS, metric: 'standingLostToResizedRealP50Ms', ours: median(loweredMs), peers: {} },
    beside('suspendToRunningRealP99Ms', p99(awakenedMs), { barePod: p99(barePodMs) }),
    beside('suspendToRunningRealP50Ms', median(awakenedMs), { barePod: median(barePodMs) }),
  ];
}
