import { countWaitingWork, listPermissions, type Permission, roleMay } from '@hamlet/contract';
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

const WAITING_MS = 10_000;

/** The requests that wait for the viewer: requests and questions that they may answer, and results to accept; zero until it is known. */
export function useWaiting(): Readonly<{ asked: number; results: number }> {
  const mayRead = roleMay(useRole(), 'runs:read');
  const { data } = useLive(countWaitingWork, mayRead ? {} : null, WAITING_MS);
  return data === null ? { asked: 0, results: 0 } : { asked: data.permissions + data.questions, results: data.results };
}

/** The finished runs whose offer the viewer made and has not answered. */
export function ResultCount() {
  const { results } = useWaiting();
  if (results === 0) return null;
  return (
    <span className="unseen" data-results={results}>
      {results}
      <span className="sr-only"> {results === 1 ? 'result' : 'results'} to accept</span>
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
