import type { EconomyRules } from '../ledger/judgement.ts';
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import { DIFFERENCE_OVERDUE_S } from '@hamlet/contract';
import {
  compareBooks,
  forgetOldDeliveries,
  inTransaction,
  measureDifferences,
  readCoverage,
  readWaitingCaptures,
} from '@hamlet/store';
import type { Rate } from '@hamlet/store';
import { Counter } from 'prom-client';
import { z } from 'zod';
import { villageDay } from '../ledger/village-day.ts';
import type { FreezeCache } from '../../freeze/freeze-cache.ts';
import { coalesce } from '../../service/single-flight.ts';
import { job, queuedJob, sharedJob, type Job } from '../../service/jobs.ts';
import { registerGauges } from '../../service/metrics.ts';
import type { IncomePort } from '../ledger/income.ts';
import { pemCertificates, readPayPalSecrets, type PaymentsConfig, type PayPalConfig } from './payments-config.ts';
import { reconcilePayPal } from './fetch-statement.ts';
import { createHttpsCaller } from './https-call.ts';
import { createPayPalClient, PAYPAL_HOSTS, type PayPalClient } from './paypal-client.ts';
import { settleCaptures } from './settle-captures.ts';
import { createSigningKeys } from './signing-keys.ts';
import { verifyDeliveries } from './verify-deliveries.ts';
import type { Services } from '../../service/services.ts';

export interface Payments {
  readonly income: IncomePort;
  /** Micro-aiDollars that one admin may credit alone. */
  readonly creditLimit: bigint;
  readonly rate: Rate;
  readonly paypalMode: 'off' | 'sandbox' | 'live';
  /** Creates and captures orders of payers; null if PayPal is off. */
  readonly orders: (Pick<PayPalClient, 'createOrder' | 'captureOrder'> & { readonly currency: string }) | null;
  readonly nudge: () => void;
}

interface PaymentPorts extends Pick<Services, 'db' | 'registry' | 'log' | 'monotonicMs'> {
  readonly income: IncomePort;
  readonly freeze: Pick<FreezeCache, 'frozen'>;
  readonly config: PaymentsConfig;
  /** The API compares the books once a day of this time zone. */
  readonly economy: Pick<EconomyRules, 'timeZone'>;
}

const LOOK_EVERY_MS = 1_000;
const NIGHTLY_LOOK_EVERY_MS = 60_000;

interface PayPalLink {
  readonly client: PayPalClient;
  readonly verify: () => Promise<void>;
  close(): void;
}

/** Creates the client of PayPal and the keys of its webhook. Both call only PayPal's hosts. */
async function openPayPal(paypal: PayPalConfig, { db, registry, log, monotonicMs }: PaymentPorts): Promise<PayPalLink> {
  const hosts = PAYPAL_HOSTS[paypal.mode];
  const secrets = await readPayPalSecrets(paypal.secretsFile);
  const roots = paypal.caFile === null ? null : pemCertificates(await readFile(paypal.caFile, 'utf8'));
  const { call, close } = createHttpsCaller({
    hosts: new Set([hosts.api, ...hosts.certificates]),
    proxyUrl: paypal.proxyUrl,
    roots,
  });
  const client = createPayPalClient({ call, hosts, secrets, monotonicMs });
  const keyOf = createSigningKeys({
    call,
    hosts,
    roots: (roots ?? rootCertificates).map((pem) => new X509Certificate(pem)),
    now: () => new Date(),
  });
  const deliveries = new Counter({
    name: 'hamlet_paypal_deliveries_total',
    help: 'Deliveries to the PayPal webhook by their result',
    labelNames: ['came'],
    registers: [registry],
  });
  const verify = (): Promise<void> =>
    verifyDeliveries({ db, keyOf, webhookId: secrets.webhookId, log, count: (came) => deliveries.inc({ came }) });
  return { client, verify, close };
}

const Differences = z.object({ open: z.number(), oldestS: z.number(), waiting: z.number() });

/** Compares the stored statement with the present books, and logs an error once a difference is overdue. */
function differencesJob({ db, config, registry, log }: PaymentPorts): Job {
  let seen: z.infer<typeof Differences> = { open: 0, oldestS: 0, waiting: 0 };
  registerGauges(registry, {
    hamlet_reconciliation_unexplained: {
      help: "Unexplained differences between the books and a provider's statement",
      read: () => seen.open,
    },
    hamlet_reconciliation_oldest_seconds: {
      help: 'Age of the oldest unexplained difference; raise an alarm above 86400',
      read: () => seen.oldestS,
    },
    hamlet_payments_waiting: { help: 'Reported payments that are not credited yet', read: () => seen.waiting },
  });
  async function watch(): Promise<typeof seen> {
    await inTransaction(db, (tx) => compareBooks(tx, config));
    const found = { ...(await measureDifferences(db)), waiting: (await readWaitingCaptures(db)).length };
    if (found.oldestS >= DIFFERENCE_OVERDUE_S)
      log(
        'error',
        "the books have differed from a provider's statement for a day. Fix: explain the differences in GET /economy/reconciliation",
        found,
      );
    return found;
  }
  return sharedJob({
    name: 'payment-differences',
    everyMs: NIGHTLY_LOOK_EVERY_MS,
    result: Differences,
    run: watch,
    receive: (found) => {
      seen = found;
    },
  });
}

function nightly(link: PayPalLink, { db, config, economy, log }: PaymentPorts): () => Promise<void> {
  return async () => {
    const now = new Date();
    const { timeZone } = economy;
    const last = (await readCoverage(db)).find(({ provider }) => provider === 'paypal')?.comparedAt;
    if (last !== undefined && villageDay(last, timeZone) === villageDay(now, timeZone)) return;
    const differences = await reconcilePayPal({ db, client: link.client, rate: config, now });
    log(differences === 0 ? 'info' : 'warn', 'the books were compared with PayPal', { differences });
  };
}

export async function startPayments(
  ports: PaymentPorts,
): Promise<Payments & { readonly jobs: readonly Job[]; stop(): Promise<void> }> {
  const { db, income, freeze, config, log } = ports;
  const { paypal, creditLimit } = config;
  const differences = differencesJob(ports);
  const shared = { income, creditLimit, rate: config };
  if (paypal === null) {
    log('info', 'PayPal payments are off; admins credit payments (HAMLET_PAYPAL turns PayPal on)');
    const stop = async (): Promise<void> => undefined;
    return { ...shared, paypalMode: 'off', orders: null, nudge: () => undefined, jobs: [differences], stop };
  }
  const link = await openPayPal(paypal, ports);
  const work = coalesce(async () => {
    await link.verify();
    // While the village is frozen, the API verifies and stores notifications, but books nothing.
    if (!freeze.frozen) await settleCaptures({ db, client: link.client, income, config, log });
  });
  let nudged = Promise.resolve();
  log('info', 'PayPal payments are on', { mode: paypal.mode, currency: config.currency });
  return {
    ...shared,
    paypalMode: paypal.mode,
    orders: { createOrder: link.client.createOrder, captureOrder: link.client.captureOrder, currency: config.currency },
    nudge: () => {
      // The regular job follows within a second and logs an error that persists.
      nudged = work().catch(() => undefined);
    },
    jobs: [
      queuedJob({ name: 'payment-notifications', everyMs: LOOK_EVERY_MS, run: work }),
      queuedJob({ name: 'paypal-reconciliation', everyMs: NIGHTLY_LOOK_EVERY_MS, run: nightly(link, ports) }),
      job({ name: 'delivery-retention', everyMs: NIGHTLY_LOOK_EVERY_MS, run: () => forgetOldDeliveries(db) }),
      differences,
    ],
    stop: async () => {
      await nudged;
      link.close();
    },
  };
}
