import { readScheduleActivity } from '@hamlet/store';
import type { SnapshotPart } from '../agents/internal-feed.ts';
import { startRunCourier } from './run-courier.ts';
import type { CourierPorts } from './run-courier.ts';
import { startRunKeeper } from './run-keeper.ts';

/** What a stream of the operator begins with: how the runs of every schedule stand. */
export const scheduleActivityPart: SnapshotPart = async (tx) =>
  (await readScheduleActivity(tx)).map((data) => ({ event: 'schedule', data }));

/** Starts what brings runs to their agents, and what ends those that nobody else will end. */
export function startRuns(ports: CourierPorts): { stop(): Promise<void> } {
  const courier = startRunCourier(ports);
  const keeper = startRunKeeper(ports);
  return {
    stop: async () => {
      await Promise.all([courier.stop(), keeper.stop()]);
    },
  };
}
