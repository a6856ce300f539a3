import type { Fence } from '@hamlet/store';
import type { IncomingHttpHeaders } from 'node:http';
import type { Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import type { Services } from '../routes/services.ts';
import { fireSchedule } from './fire-schedule.ts';

const FENCE_HEADER = 'hamlet-fence';
const FENCE = /^([0-9A-Za-z-]{1,64}):([0-9]{1,15})$/;

function fenceOf(headers: IncomingHttpHeaders): Fence | null {
  const value = headers[FENCE_HEADER];
  const [, leaseUid, transitions] = FENCE.exec(typeof value === 'string' ? value : '') ?? [];
  return leaseUid === undefined ? null : { leaseUid, transitions: Number(transitions) };
}

/** What the operator's clock asks. */
export function firingHandlers(services: Services): Pick<Handlers, 'fireSchedule'> {
  return {
    fireSchedule: {
      kind: 'plain',
      run: async ({ headers, body }) => {
        const fence = fenceOf(headers);
        if (fence === null) return refused('validation_failed', `${FENCE_HEADER}: write LEASE_UID:TRANSITIONS`);
        const outcome = await fireSchedule(services, body, fence);
        if (!outcome.ok) return outcome;
        const { firing, claimed, now } = outcome.data;
        return accepted({ firing_id: firing.firingId, slot: firing.slot.toISOString(), claimed, runs: [...firing.runs], now: now.toISOString() });
      },
    },
  };
}
