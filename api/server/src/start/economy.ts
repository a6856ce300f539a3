import { CLAIM_TERMS } from '@hamlet/core';
import type { Db } from '@hamlet/store';
import type { Registry } from 'prom-client';
import type { AgentSource } from '../agents/agent-source.ts';
import type { Config } from '../config.ts';
import { ledgerJobs } from '../economy/upkeep.ts';
import type { FreezeCache } from '../freeze/freeze-cache.ts';
import { startSealing } from '../sealed-log/start-sealing.ts';
import { startPayments } from '../payments/start-payments.ts';
import type { Services } from '../routes/services.ts';
import type { Job } from '../service/jobs.ts';
import type { Log } from '../service/log.ts';
import { ClaimDesk } from '../spending/claim-desk.ts';
import { claimJobs } from '../spending/claim-keeper.ts';
import { createIncomePort } from '../spending/income.ts';
import { createTokenMeter } from '../spending/token-meter.ts';
import type { TokenMeter } from '../spending/token-meter.ts';
import { unpostedUsageJob } from '../spending/unposted-usage.ts';
import type { StandingKeeper } from '../standing/standing-keeper.ts';
import { tradeJobs } from '../trade/trade-upkeep.ts';

export interface EconomyStart {
  readonly db: Db;
  /** A pool whose statements may take long. */
  readonly sealingDb: Db;
  readonly config: Config;
  readonly source: AgentSource;
  readonly standing: StandingKeeper;
  readonly freeze: FreezeCache;
  readonly registry: Registry;
  readonly log: Log;
  readonly monotonicMs: () => number;
}

/** Where money comes in, what it is spent on, and what keeps the books. */
export interface RunningEconomy {
  readonly meter: TokenMeter;
  readonly services: Pick<Services, 'economy' | 'prices' | 'claims' | 'payments' | 'sealing'>;
  readonly jobs: readonly Job[];
  stop(): Promise<void>;
}

/** Starts all that works on money: payments, claims of pods, purchases and auctions, upkeep and sealing of the books. */
export async function startEconomy({
  db,
  sealingDb,
  config,
  source,
  standing,
  freeze,
  registry,
  log,
  monotonicMs,
}: EconomyStart): Promise<RunningEconomy> {
  const income = createIncomePort({ standing, lives: (agentId) => source.get(agentId) !== null });
  const payments = await startPayments({
    db,
    income,
    freeze,
    config: config.payments,
    timeZone: config.economy.timeZone,
    registry,
    log,
    monotonicMs,
  });
  const sealing = await startSealing({ db: sealingDb, registry, log, settings: config.sealing });
  const claims = new ClaimDesk({ source, standing, terms: CLAIM_TERMS });
  const shared = { db, freeze, source, standing, registry, log };
  return {
    meter: createTokenMeter({ db, source, standing }),
    services: { economy: config.economy, prices: config.prices, claims, payments, sealing },
    jobs: [
      ...payments.jobs,
      ...ledgerJobs(shared),
      ...tradeJobs(shared),
      ...claimJobs({ ...shared, desk: claims, operated: config.agents.source === 'kubernetes' }),
      unpostedUsageJob(shared),
    ],
    stop: async () => {
      await payments.stop();
      await sealing.stop();
    },
  };
}
