import { CLAIM_TERMS } from '@hamlet/core';
import type { Db } from '@hamlet/store';
import type { Registry } from 'prom-client';
import type { AgentSource } from '../agents/agent-source.ts';
import type { Config } from './config.ts';
import { ledgerJobs } from '../money/ledger/ledger-upkeep.ts';
import type { FreezeCache } from '../freeze/freeze-cache.ts';
import { startSealing, type Sealing } from '../sealed-log/start-sealing.ts';
import { startPayments, type Payments } from '../money/payments/start-payments.ts';
import type { EconomyRules } from '../money/ledger/judgement.ts';
import type { PriceList } from '@hamlet/contract';
import type { Job } from '../service/jobs.ts';
import type { Log } from '../service/log.ts';
import { ComputeClaims } from '../money/compute/compute-claims.ts';
import { claimJobs } from '../money/compute/claim-upkeep.ts';
import { createIncomePort } from '../money/ledger/income.ts';
import { createTokenMeter, unpostedUsageJob, type TokenMeter } from '../money/compute/token-meter.ts';
import type { BalanceTiers } from '../standing/balance-tier-sync.ts';
import { tradeJobs } from '../money/market/trade-upkeep.ts';

export interface MoneyStart {
  readonly db: Db;
  /** A pool with long statement timeouts, for sealing. */
  readonly sealingDb: Db;
  readonly config: Config;
  readonly source: AgentSource;
  readonly tiers: BalanceTiers;
  readonly freeze: FreezeCache;
  readonly registry: Registry;
  readonly log: Log;
  readonly monotonicMs: () => number;
}

/** The running parts of money: payments, spending, and the upkeep of the books. */
export interface RunningMoney {
  readonly meter: TokenMeter;
  readonly services: {
    readonly economy: EconomyRules;
    readonly prices: PriceList;
    readonly claims: ComputeClaims;
    readonly payments: Payments;
    readonly sealing: Sealing;
  };
  readonly jobs: readonly Job[];
  stop(): Promise<void>;
}

/** Starts payments, compute claims, purchases and auctions, and the upkeep and sealing of the books. */
export async function startMoney(ports: MoneyStart): Promise<RunningMoney> {
  const { sealingDb, config, source, tiers, registry, log } = ports;
  const income = createIncomePort({ tiers, lives: (agentId) => source.get(agentId) !== null });
  const payments = await startPayments({
    ...ports,
    income,
    config: config.payments,
    timeZone: config.economy.timeZone,
  });
  const sealing = await startSealing({ db: sealingDb, registry, log, settings: config.sealing });
  const claims = new ComputeClaims({ source, tiers, terms: CLAIM_TERMS });
  return {
    meter: createTokenMeter(ports),
    services: { economy: config.economy, prices: config.prices, claims, payments, sealing },
    jobs: [
      ...payments.jobs,
      ...ledgerJobs(ports),
      ...tradeJobs(ports),
      ...claimJobs({ ...ports, claims, operated: config.agents.source === 'kubernetes' }),
      unpostedUsageJob(ports),
    ],
    stop: async () => {
      await payments.stop();
      await sealing.stop();
    },
  };
}
