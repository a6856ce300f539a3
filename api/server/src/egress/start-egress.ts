import type { VillageSettings } from '../settings/village-settings.ts';
import { readFile } from 'node:fs/promises';
import { VillageEgress } from '@hamlet/contract';
import { forgetEgressAttempts, forgetEgressHours, type Db } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import { job, type Job } from '../service/jobs.ts';
import type { Log } from '../service/log.ts';
import { BrokerFeed, type BrokerFeedPorts } from './broker-feed.ts';
import { createEgressOf, createIsSupply, switchedEgress } from './egress-of.ts';
import type { EgressSecrets } from './egress-secrets.ts';
import { KeptSecrets } from './kept-secrets.ts';
import { lateWritesJob } from './writes/write-effect.ts';
import { WriteWaits } from './writes/write-waits.ts';

const EVERY_MS = 60_000;
const AT_ONCE = 5_000;
const BATCHES_MAX = 20;

/** Reads the village's part of the rules. Throws an Error that names the file and each wrong field. */
export async function readVillageEgress(file: string | undefined): Promise<VillageEgress> {
  if (file === undefined) return VillageEgress.parse({});
  const parsed = VillageEgress.safeParse(JSON.parse(await readFile(file, 'utf8')));
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `  egress.${path.join('.')}: ${message}`);
  throw new Error(
    `${file} does not list hosts for agents: correct the values egress.* of the chart\n${faults.join('\n')}`,
  );
}

/** Deletes attempts that are older than `days`, at most 100,000; 0 keeps them permanently. */
export async function forgetOldAttempts(db: Db, days: number): Promise<void> {
  await forgetEgressHours(db);
  for (let batch = 0; days > 0 && batch < BATCHES_MAX; batch += 1)
    if ((await forgetEgressAttempts(db, { days, atMost: AT_ONCE })) < AT_ONCE) return;
}

export interface EgressPorts extends Omit<BrokerFeedPorts, 'egressOf'> {
  readonly db: Db;
  readonly source: Pick<AgentSource, 'get' | 'list' | 'entitlement' | 'onChange'>;
  readonly log: Log;
  readonly egressSecrets: EgressSecrets;
  readonly monotonicMs: () => number;
  readonly config: { readonly egressFile: string | undefined };
  readonly settings: Pick<VillageSettings, 'values' | 'onChange'>;
}

export async function startEgress(ports: EgressPorts) {
  const { db, source, config, settings, log } = ports;
  const village = await readVillageEgress(config.egressFile);
  const egressOf = switchedEgress(createEgressOf(village, source), settings);
  const brokerFeed = new BrokerFeed({ ...ports, egressOf });
  const writeWaits = new WriteWaits({
    db,
    onError: (error) => log('warn', 'the writes that wait for permission could not be read', { error }),
  });
  const jobs: readonly Job[] = [
    lateWritesJob(ports),
    job({ name: 'egress-retention', everyMs: EVERY_MS, run: () => forgetOldAttempts(db, settings.values.egress_days) }),
  ];
  const stop = (): void => {
    brokerFeed.close();
    writeWaits.close();
  };
  const egressSecrets = new KeptSecrets({ from: ports.egressSecrets, monotonicMs: ports.monotonicMs });
  for (const part of [source, ports.standing, ports.freeze]) part.onChange(() => egressSecrets.forget());
  return {
    egressOf,
    isSupply: createIsSupply(village, source),
    search: village.search,
    outsideAgents: village.agents,
    brokerFeed,
    writeWaits,
    egressSecrets,
    jobs,
    stop,
  };
}
