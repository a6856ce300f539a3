import type { IncomingHttpHeaders } from 'node:http';
import { lockFence, inTransaction, noteFence, type Db, type Fence, type Tx } from '@hamlet/store';
import { refused, type Outcome, type Refused } from '../http/outcome.ts';

const FENCE_HEADER = 'hamlet-fence';
const FENCE = /^([0-9A-Za-z-]{1,64}):([0-9]{1,15})$/;

export function fenceOf(headers: IncomingHttpHeaders): { readonly ok: true; readonly data: Fence } | Refused {
  const value = headers[FENCE_HEADER];
  const [, leaseUid, transitions] = FENCE.exec(typeof value === 'string' ? value : '') ?? [];
  if (leaseUid === undefined) return refused('validation_failed', `${FENCE_HEADER}: write LEASE_UID:TRANSITIONS`);
  return { ok: true, data: { leaseUid, transitions: Number(transitions) } };
}

export function staleFence({ leaseUid, transitions }: Fence): Refused {
  return refused(
    'fence_stale',
    `Lease ${leaseUid}, transition ${transitions}, does not belong to the present leader: only the leading operator may write`,
  );
}

/** Refuses unless the request comes from the present leader, who stays leader during `act`. */
export async function asLeader<T>(
  db: Db,
  headers: IncomingHttpHeaders,
  act: (tx: Tx) => Promise<T>,
): Promise<Outcome<T>> {
  const fence = fenceOf(headers);
  if (!fence.ok) return fence;
  await noteFence(db, fence.data);
  return inTransaction<Outcome<T>>(db, async (tx) =>
    (await lockFence(tx, fence.data)) ? { ok: true, data: await act(tx) } : staleFence(fence.data),
  );
}
