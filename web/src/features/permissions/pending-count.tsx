import type { ReactElement } from 'react';
import { PENDING_MAX, usePending } from './use-pending.ts';

/** The number of requests that wait for a person; nothing if there are none. */
export function PendingCount(): ReactElement | null {
  const count = usePending().data?.permissions.length ?? 0;
  if (count === 0) return null;
  return (
    <span className="unseen" data-pending={count}>
      {count >= PENDING_MAX ? `${PENDING_MAX - 1}+` : count}
      <span className="sr-only"> {count === 1 ? 'request waits' : 'requests wait'} for a person</span>
    </span>
  );
}
