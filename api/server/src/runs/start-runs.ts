import { readCancelledRuns, readNextRun, readScheduleActivity, RUN_HINTS_CHANNEL, type Stream } from '@hamlet/store';
import type { SnapshotPart } from '../operator/internal-feed.ts';
import type { WakeHub } from '../residents/wake-hub.ts';
import type { Job } from '../service/jobs.ts';
import { runView } from './run-view.ts';
import { runJobs, startRequeue } from './run-upkeep.ts';
import type { Services } from '../service/services.ts';

interface RunPorts extends Pick<Services, 'db' | 'notifications' | 'log'> {
  readonly hub: Pick<WakeHub, 'streams' | 'hint'>;
}

export const scheduleActivityPart: SnapshotPart = async (tx) =>
  (await readScheduleActivity(tx)).map((data) => ({ event: 'schedule', data }));

/** Checks every agent after a reconnection, so that no run waits for a lost message. */
function startRunNotifier({ db, notifications, hub, log }: RunPorts): void {
  async function notify({ agentId, uid }: Pick<Stream, 'agentId' | 'uid'>): Promise<void> {
    const run = await readNextRun(db, { agentId, uid });
    // A run that is being cancelled may be a worker, or run next to an older one.
    const cancelled = await readCancelledRuns(db, agentId, uid);
    const others = cancelled.filter(({ runId }) => runId !== run?.runId);
    for (const each of run === null ? others : [run, ...others])
      hub.hint(agentId, { run_id: each.runId, run: runView(each) });
  }

  notifications.on(RUN_HINTS_CHANNEL, (agentId) => {
    for (const stream of hub.streams()) {
      if (agentId !== null && stream.agentId !== agentId) continue;
      notify(stream).catch((error: unknown) =>
        log('warn', 'an agent was not notified of its run', { agent_id: stream.agentId, error }),
      );
    }
  });
}

export function startRuns(ports: RunPorts): { readonly jobs: readonly Job[]; stop(): Promise<void> } {
  startRunNotifier(ports);
  return { jobs: runJobs(ports), stop: startRequeue(ports) };
}
