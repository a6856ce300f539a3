import { listPermissions, type Permission, roleMay } from '@hamlet/contract';
import { type Live, useLive } from '../../client/query/use-live.ts';
import { useHintedPace, useRole } from '../village-context.ts';

const EVERY_MS = 5_000;
/** Number of requests that the page reads; more are waiting if the answer is full. */
const PENDING_MAX = 100;

/** The requests that wait for an answer and that the viewer may read. All components share one request. */
export function usePending(): Live<{ readonly permissions: readonly Permission[] }> {
  const mayRead = roleMay(useRole(), 'runs:read');
  const input = mayRead ? ({ query: { state: 'pending', limit: PENDING_MAX } } as const) : null;
  return useLive(listPermissions, input, useHintedPace(EVERY_MS));
}
