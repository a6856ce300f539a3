import type { Drill } from '@hamlet/contract';
import { lengthLabel } from '../../ui/time-labels.ts';

/** The result of a drill in one line. */
export function drillSummary({ figures }: Pick<Drill, 'figures'>): string {
  const failed = figures.filter(({ held }) => !held);
  if (failed.length > 0) return `${failed.map(({ brake }) => brake).join(', ')}: does not hold`;
  const slowest = Math.max(...figures.map(({ max_ms: max }) => max));
  return `${figures.length} brakes hold, each within ${lengthLabel(slowest)}`;
}

/** The time from the click to the last effect: 0 if none was seen after it. */
export const withinLabel = (ms: number): string => (ms === 0 ? 'at once' : `${ms} ms`);
