import type { ModelServer } from '@hamlet/contract';
import type { z } from 'zod';
import { sharedJob, type Job } from '../../service/jobs.ts';
import type { VillageModels } from '../models/village-models.ts';
import { readMetrics } from './read-metrics.ts';
import {
  isDue,
  nextReading,
  READ_EVERY_MS,
  Readings,
  serverView,
  type Reading,
  type ServerTarget,
} from './server-readings.ts';
import { serverTargets } from './server-targets.ts';

export interface ModelServers {
  list(): readonly ModelServer[];
  readonly job: Job;
}

type Fetch = VillageModels['ports']['fetch'];

/** The metrics of the village's model servers. One replica reads them, and each has the newest. Stateful. */
export function createModelServers(
  { config, ports, connected }: Pick<VillageModels, 'config' | 'ports' | 'connected'>,
  nowMs: () => number,
): ModelServers {
  let readings: z.infer<typeof Readings> = [];

  async function readOne(target: ServerTarget, fetch: Fetch): Promise<Reading> {
    const before = readings.find(({ url, provider }) => url === target.url && provider === target.provider) ?? null;
    if (before !== null && !isDue(before, nowMs())) return before;
    return nextReading(target, before, { ...(await readMetrics(target.url, fetch)), nowMs: nowMs() });
  }

  async function readAll(): Promise<z.infer<typeof Readings>> {
    const targets = serverTargets(config, connected?.of(null) ?? []);
    // Addresses that admins entered pass the check of their fetch.
    const outbound = connected?.ports.fetch ?? ports.fetch;
    return Promise.all([
      ...targets.configured.map((target) => readOne(target, ports.fetch)),
      ...targets.connected.map((target) => readOne(target, outbound)),
    ]);
  }

  return {
    list: () => readings.map(serverView),
    job: sharedJob({
      name: 'model-servers',
      everyMs: READ_EVERY_MS,
      result: Readings,
      run: readAll,
      receive: (result) => {
        readings = result;
      },
    }),
  };
}
