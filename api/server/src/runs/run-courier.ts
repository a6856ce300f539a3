import { listen, readNextRun, RUN_HINTS_CHANNEL } from '@hamlet/store';
import type { Db, Stream } from '@hamlet/store';
import type { WakeHub } from '../agents/wake-hub.ts';
import type { Log } from '../service/log.ts';
import { runView } from './run-view.ts';

export interface CourierPorts {
  readonly db: Db;
  readonly listenUrl: string;
  readonly hub: Pick<WakeHub, 'streams' | 'hint'>;
  readonly log: Log;
}

/**
 * Tells the agents whose streams this replica holds of their runs. What was committed while the connection was away is found by looking for
 * every agent after it is back, so no run waits for a hint that was lost.
 */
export function startRunCourier({ db, listenUrl, hub, log }: CourierPorts): { stop(): Promise<void> } {
  async function tell({ agentId, uid }: Pick<Stream, 'agentId' | 'uid'>): Promise<void> {
    const run = await readNextRun(db, agentId, uid);
    if (run !== null) hub.hint(agentId, { run_id: run.runId, run: runView(run) });
  }

  return listen(listenUrl, [RUN_HINTS_CHANNEL], (_channel, agentId) => {
    for (const stream of hub.streams()) {
      if (agentId !== null && stream.agentId !== agentId) continue;
      tell(stream).catch((error: unknown) =>
        log('warn', 'an agent was not told of its run', { agent_id: stream.agentId, error }),
      );
    }
  });
}
