import { listPermissions, type Permission, roleMay } from '@hamlet/contract';
import { type Live, useLive } from '../../client/query/use-live.ts';
import { useRole } from '../village-context.ts';

export function PendingCount() {
  const count = usePending().data?.permissions.length ?? 0;
  if (count === 0) return null;
  return (
    <span className="unseen" data-pending={count}>
      {count >= PENDING_MAX ? `${PENDING_MAX - 1}+` : count}
      <span className="sr-only"> {count === 1 ? 'request waits' : 'requests wait'} for a person</span>
    </span>
  );
}

const EVERY_MS = 5_000;
/** Number of requests that the page reads; more are waiting if the answer is full. */
const PENDING_MAX = 100;

/** The requests that wait for an answer and that the viewer may read. All components share one request. */
export function usePending(): Live<{ readonly permissions: readonly Permission[] }> {
  const mayRead = roleMay(useRole(), 'runs:read');
  return useLive(listPermissions, mayRead ? { query: { state: 'pending', limit: PENDING_MAX } } : null, EVERY_MS);
}
