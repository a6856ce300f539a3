import { economyRules } from '../settings/economy-rules.ts';
import { CLAIM_TERMS } from '@hamlet/core';
import { createKnownClasses } from '@hamlet/shell';
import { startPresenceCache } from '../agents/presence-cache.ts';
import { startBoard } from '../board/start-board.ts';
import { startEgress } from '../egress/start-egress.ts';
import { shortagesPart } from '../figures/guard/guard-job.ts';
import { startFigures } from '../figures/start-figures.ts';
import { startFreezeCache, villagePart } from '../freeze/freeze-cache.ts';
import { openGateway, startModels } from '../gateway/start-gateway.ts';
import { claimJobs, claimsPart } from '../money/compute/claim-upkeep.ts';
import { ComputeClaims } from '../money/compute/compute-claims.ts';
import { createTokenMeter, unpostedUsageJob } from '../money/compute/token-meter.ts';
import { createIncomePort } from '../money/ledger/income.ts';
import { archiveJobs } from '../keeping/archive-watch.ts';
import { ledgerJobs } from '../money/ledger/ledger-upkeep.ts';
import { capabilitiesPart } from '../capabilities/capability-handlers.ts';
import { boostsPart, tradeJobs } from '../money/market/trade-upkeep.ts';
import { offerJob } from '../money/offers/offer-upkeep.ts';
import { startPayments } from '../money/payments/start-payments.ts';
import { createInternalFeed } from '../operator/internal-feed.ts';
import { startPeople } from '../people/start-people.ts';
import { startHandsWatch } from '../residents/hands-watch.ts';
import { WakeHub } from '../residents/wake-hub.ts';
import { agentPolicy } from '../permissions/agent-policy.ts';
import { createRunDeltas } from '../runs/run-deltas.ts';
import { createRunStreams } from '../runs/run-streams.ts';
import { startRunWatch } from '../runs/run-watch.ts';
import { scheduleActivityPart } from '../runs/start-runs.ts';
import { startSealing } from '../sealed-log/start-sealing.ts';
import type { Log } from '../service/log.ts';
import { startSessions } from '../sessions/start-sessions.ts';
import { startBalanceTierSync } from '../standing/balance-tier-sync.ts';
import { measureExpiryJob } from '../standing/expiry.ts';
import { startStandingCache } from '../standing/standing-cache.ts';
import type { Base, StartOptions } from './base.ts';
import { startWorld } from './world.ts';

/** Ends the process, because a copy of the world that cannot follow the events is useless. The next process recovers the world. */
function endBroken(log: Log, error: unknown): never {
  log('error', 'this replica cannot follow the events of the world; its process ends, and the next process recovers', {
    error,
  });
  process.exit(1);
}

async function startVillageFacts(shared: Base['shared']) {
  const { source, log } = shared;
  const presence = await startPresenceCache(shared);
  const standing = await startStandingCache(shared);
  const freeze = await startFreezeCache(shared);
  const tiers = startBalanceTierSync(shared);
  const parts = [scheduleActivityPart, claimsPart, boostsPart, villagePart, capabilitiesPart, shortagesPart];
  return {
    presence,
    standing,
    tiers,
    freeze,
    hub: new WakeHub({ source, presence, standing, log }),
    feed: createInternalFeed({ ...shared, parts }),
    jobs: [measureExpiryJob(shared.db)],
    close: async () => {
      standing.close();
      await Promise.all([tiers.stop(), freeze.close()]);
      await presence.close();
    },
  };
}

type VillageFacts = Awaited<ReturnType<typeof startVillageFacts>>;

async function startMoney(
  ports: Base['shared'] & Pick<VillageFacts, 'tiers' | 'freeze'> & Pick<Base['agents'], 'gpus'>,
) {
  const { sealingDb, config, source, tiers, registry, log } = ports;
  const { prices } = config;
  const economy = economyRules(config.economy, ports.settings);
  const income = createIncomePort({ tiers, lives: (agentId) => source.get(agentId) !== null });
  const payments = await startPayments({ ...ports, income, config: config.payments, economy });
  const sealing = await startSealing({ db: sealingDb, registry, log, settings: config.sealing });
  const claims = new ComputeClaims({ source, tiers, terms: CLAIM_TERMS });
  return {
    meter: createTokenMeter(ports),
    services: { economy, prices, claims, payments, sealing },
    jobs: [
      ...payments.jobs,
      ...ledgerJobs(ports),
      ...archiveJobs(ports),
      ...tradeJobs({ ...ports, prices }),
      offerJob(ports),
      ...claimJobs({ ...ports, claims, operated: config.agents.source === 'kubernetes' }),
      unpostedUsageJob(ports),
    ],
    stop: async () => {
      await payments.stop();
      await sealing.stop();
    },
  };
}

export async function startParts({ shared, agents, counted: { limits } }: Base, options: StartOptions) {
  const { config, db, notifications, registry, log, monotonicMs, tracing } = shared;
  const { migrateMapTo, bootstrapCodeFile, oidc } = config;
  const facts = await startVillageFacts(shared);
  const { presence, standing, tiers, freeze, hub } = facts;
  const { map, villageMs = monotonicMs } = options;
  const onBroken = (error: unknown): never => endBroken(log, error);
  const world = await startWorld({
    ...shared,
    presence,
    standing,
    hub,
    freeze,
    map,
    migrateMapTo,
    villageMs,
    onBroken,
  });
  const board = await startBoard({ ...shared, hub, reader: world.reader, onWorldEvent: world.onEvent });
  const money = await startMoney({ ...shared, tiers, freeze, gpus: agents.gpus });
  const watch = await startRunWatch(shared);
  const deltas = createRunDeltas({ ...shared, watch });
  const asked = { db, limits, meter: money.meter, freeze, standing, deltas, registry, log, monotonicMs, tracing };
  const gateway = openGateway({ ...asked, ...(await startModels(shared, options.models)) });
  const onStanding = (callback: (agentIds: readonly string[]) => void): void => standing.onChange(callback);
  const classesOf = createKnownClasses({
    onOpen: () => undefined,
    onError: (error) => log('error', 'the parser of shell commands did not load; the API retries', { error }),
  });
  const policyOf = agentPolicy(() => shared.settings.rules, shared.source, classesOf);
  const egress = await startEgress({ ...shared, ...agents, standing, freeze });
  const people = startPeople({ db, notifications, onStanding, monotonicMs, bootstrapCodeFile, oidc, log });
  const sessions = startSessions({ ...shared, deltas, sessionDays: () => shared.settings.values.session_days });
  const hands = startHandsWatch({ ...shared, presence });
  const runStreams = createRunStreams({ ...shared, watch, deltas });
  const figures = startFigures({
    ...shared,
    kubelets: agents.kubelets,
    operated: config.agents.source === 'kubernetes',
  });
  return {
    facts,
    world,
    board,
    money,
    gateway,
    people,
    policyOf,
    classesOf,
    watch,
    deltas,
    hands,
    runStreams,
    sessions,
    egress,
    figures,
  };
}

export type Parts = Awaited<ReturnType<typeof startParts>>;
