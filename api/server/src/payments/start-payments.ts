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
import type { Db, Rate } from '@hamlet/store';
import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';
import { villageDay } from '../economy/village-day.ts';
import type { FreezeBoard } from '../freeze/freeze-board.ts';
import type { Log } from '../service/log.ts';
import { registerGauges } from '../service/metrics.ts';
import type { IncomePort } from '../spending/income.ts';
import type { PaymentsConfig, PayPalConfig } from './payments-config.ts';
import { pemCertificates, readPayPalSecrets } from './payments-config.ts';
import { reconcilePayPal } from './paypal/fetch-statement.ts';
import { PAYPAL_HOSTS } from './paypal/hosts.ts';
import { createHttpsCaller } from './paypal/https-call.ts';
import { createPayPalClient } from './paypal/paypal-client.ts';
import type { PayPalClient } from './paypal/paypal-client.ts';
import { settleCaptures } from './paypal/settle-captures.ts';
import { createSigningKeys } from './paypal/signing-keys.ts';
import { verifyDeliveries } from './paypal/verify-deliveries.ts';
import { createWorker } from './worker.ts';

/** What handlers know of payments. */
export interface Payments {
  readonly income: IncomePort;
  /** Micro-aiDollars that one admin may credit alone. */
  readonly creditLimit: bigint;
  readonly rate: Rate;
  readonly paypalMode: 'off' | 'sandbox' | 'live';
  /** Begins and captures orders of payers; null where PayPal is off. */
  readonly orders: (Pick<PayPalClient, 'createOrder' | 'captureOrder'> & { readonly currency: string }) | null;
  /** Says that a notification has come in. */
  readonly nudge: () => void;
}

export interface RunningPayments extends Payments {
  stop(): Promise<void>;
}

export interface PaymentPorts {
  readonly db: Db;
  readonly income: IncomePort;
  readonly freeze: Pick<FreezeBoard, 'frozen'>;
  readonly config: PaymentsConfig;
  /** Time zone of the village's day: the books are compared once in each. */
  readonly timeZone: string;
  readonly registry: Registry;
  readonly log: Log;
  readonly monotonicMs: () => number;
}

const LOOK_EVERY_MS = 1_000;
const NIGHTLY_LOOK_EVERY_MS = 60_000;

interface PayPalLink {
  readonly client: PayPalClient;
  readonly verify: () => Promise<void>;
  close(): void;
}

/** Everything that speaks to PayPal, behind one list of hosts. */
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
    help: 'Deliveries to the PayPal webhook by what came of them',
    labelNames: ['came'],
    registers: [registry],
  });
  const verify = (): Promise<void> =>
    verifyDeliveries({ db, keyOf, webhookId: secrets.webhookId, log, count: (came) => deliveries.inc({ came }) });
  return { client, verify, close };
}

/** Compares what was listed with the books as they are now, and looks what is open and for how long; says so in the log where one is overdue. */
function watchDifferences({ db, config, registry, log }: PaymentPorts): () => Promise<void> {
  let seen = { open: 0, oldestS: 0, waiting: 0 };
  registerGauges(registry, {
    hamlet_reconciliation_unexplained: {
      help: "Differences between the books and a provider's that nobody has explained",
      read: () => seen.open,
    },
    hamlet_reconciliation_oldest_seconds: {
      help: 'Age of the oldest of them; an alarm above 86400',
      read: () => seen.oldestS,
    },
    hamlet_payments_waiting: { help: 'Payments that were told of and are not credited', read: () => seen.waiting },
  });
  return async () => {
    await inTransaction(db, (tx) => compareBooks(tx, config));
    seen = { ...(await measureDifferences(db)), waiting: (await readWaitingCaptures(db)).length };
    if (seen.oldestS >= DIFFERENCE_OVERDUE_S)
      log(
        'error',
        "the books and a provider's differ, and nobody has explained it for a day: see GET /economy/reconciliation",
        { ...seen },
      );
  };
}

/** Compares with PayPal once in each day of the village. */
function nightly(link: PayPalLink, { db, config, timeZone, log }: PaymentPorts): () => Promise<void> {
  return async () => {
    const now = new Date();
    const last = (await readCoverage(db)).find(({ provider }) => provider === 'paypal')?.comparedAt;
    if (last !== undefined && villageDay(last, timeZone) === villageDay(now, timeZone)) return;
    const differences = await reconcilePayPal({ db, client: link.client, rate: config, now });
    log(differences === 0 ? 'info' : 'warn', 'the books were compared with PayPal', { differences });
  };
}

/** Starts what takes payments: credits by hand always, PayPal where it is configured. */
export async function startPayments(ports: PaymentPorts): Promise<RunningPayments> {
  const { db, income, freeze, config, log } = ports;
  const { paypal, creditLimit } = config;
  const watch = createWorker({
    name: 'the watch on differences',
    everyMs: NIGHTLY_LOOK_EVERY_MS,
    work: watchDifferences(ports),
    log,
  });
  const shared = { income, creditLimit, rate: config };
  if (paypal === null) {
    log('info', 'payments by PayPal are off; admins credit by hand (HAMLET_PAYPAL turns them on)');
    return { ...shared, paypalMode: 'off', orders: null, nudge: () => undefined, stop: () => watch.stop() };
  }
  const link = await openPayPal(paypal, ports);
  // While the village is frozen, notifications are verified and kept.
  const settle = async (): Promise<unknown> =>
    freeze.frozen || settleCaptures({ db, client: link.client, income, config, log });
  const workers = [
    createWorker({
      name: 'the work on notifications',
      everyMs: LOOK_EVERY_MS,
      work: () => link.verify().then(() => settle()),
      log,
    }),
    createWorker({
      name: 'the comparison with PayPal',
      everyMs: NIGHTLY_LOOK_EVERY_MS,
      work: nightly(link, ports),
      log,
    }),
    createWorker({
      name: 'the forgetting of old deliveries',
      everyMs: NIGHTLY_LOOK_EVERY_MS,
      work: () => forgetOldDeliveries(db),
      log,
    }),
    watch,
  ];
  log('info', 'payments by PayPal are on', { mode: paypal.mode, currency: config.currency });
  return {
    ...shared,
    paypalMode: paypal.mode,
    orders: { createOrder: link.client.createOrder, captureOrder: link.client.captureOrder, currency: config.currency },
    nudge: () => workers[0]?.nudge(),
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
      link.close();
    },
  };
}
