import { fenceOf } from '../operator/operator-fence.ts';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted } from '../http/outcome.ts';
import { fireSchedule } from './fire-schedule.ts';
import type { Village } from '../village.ts';

export function firingHandlers(village: Village): Pick<Handlers, 'fireSchedule'> {
  return {
    fireSchedule: plain(async ({ headers, body }) => {
      const fence = fenceOf(headers);
      if (!fence.ok) return fence;
      const outcome = await fireSchedule(village, body, fence.data);
      if (!outcome.ok) return outcome;
      const { firing, claimed, now } = outcome.data;
      return accepted({
        firing_id: firing.firingId,
        slot: firing.slot.toISOString(),
        claimed,
        runs: [...firing.runs],
        now: now.toISOString(),
      });
    }),
  };
}
