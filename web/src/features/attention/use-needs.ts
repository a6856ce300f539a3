import { type CallData, listMyNeeds, roleMay } from '@hamlet/contract';
import { type Live, useLive } from '../../client/query/use-live.ts';
import { useHintedPace, useRole } from '../village-context.ts';

const EVERY_MS = 10_000;

/** Everything that waits for the viewer. All components share one request. */
export function useNeeds(): Live<CallData<typeof listMyNeeds>> {
  return useLive(listMyNeeds, roleMay(useRole(), 'runs:read') ? {} : null, useHintedPace(EVERY_MS));
}

/** How much waits for the viewer: `3`, `50+`; null if nothing does, or until it is known. */
export function useNeedCount(): string | null {
  const { data } = useNeeds();
  if (data === null || data.needs.length === 0) return null;
  return `${data.needs.length}${data.more ? '+' : ''}`;
}
