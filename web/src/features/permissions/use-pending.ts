import { listPermissions, type Permission, roleMay } from '@hamlet/contract';
import { type Live, useLive } from '../../client/query/use-live.ts';
import { useRole } from '../village-context.ts';

const EVERY_MS = 5_000;
/** Number of requests that the page reads; more are waiting if the answer is full. */
const PENDING_MAX = 100;

/** The requests that wait for an answer and that the viewer may read. All components share one request. */
export function usePending(): Live<{ readonly permissions: readonly Permission[] }> {
  const mayRead = roleMay(useRole(), 'runs:read');
  return useLive(listPermissions, mayRead ? { query: { state: 'pending', limit: PENDING_MAX } } : null, EVERY_MS);
}
