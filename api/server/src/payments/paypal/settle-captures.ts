import { decidePayment } from '@hamlet/core';
import type { PaymentDecision, PaymentTruth } from '@hamlet/core';
import {
  claimCapture,
  holdClaim,
  inTransaction,
  isConnectionError,
  isVillageFrozenError,
  lockDepositOf,
  noteLooked,
  postponeCapture,
  proposeDeposit,
  inSavepoint,
} from '@hamlet/store';
import type { ClaimedCapture, Db, Deposit, Tx } from '@hamlet/store';
import type { Log } from '../../service/log.ts';
import type { IncomePort } from '../../spending/income.ts';
import { adjustDeposit, creditDeposit, providerActor } from '../book-deposits.ts';
import type { PaymentsConfig } from '../payments-config.ts';
import { askForTruth, hintOf, knownOf } from './capture-truth.ts';
import type { PayPalClient } from './paypal-client.ts';
import { backoffS } from './backoff.ts';

const PROVIDER = 'paypal';
const FIRST_WAIT_S = 30;
const LONGEST_WAIT_S = 3_600;

export interface SettlePorts {
  readonly db: Db;
  readonly client: PayPalClient;
  readonly income: IncomePort;
  readonly config: Pick<PaymentsConfig, 'currency' | 'ratePerUnit'>;
  readonly log: Log;
}

/** Why a payment is not credited, and whether to ask again. */
interface Left {
  readonly why: string | null;
  readonly again: boolean;
}

const DONE: Left = { why: null, again: false };

/** A payment nobody was credited for: the deposit and its credit, or neither. */
async function creditFresh(
  tx: Tx,
  captureId: string,
  { decision, income }: { readonly decision: Extract<PaymentDecision, { kind: 'stand' }>; readonly income: IncomePort },
): Promise<Left> {
  const act = providerActor(PROVIDER);
  const { agentId, amount, net } = decision;
  const outcome = await inSavepoint(tx, async () => {
    const wanted = {
      provider: PROVIDER,
      transactionId: captureId,
      agentId,
      amount,
      origin: 'webhook',
      note: `Payment ${captureId} by PayPal`,
      actor: act.actor,
    } as const;
    const deposit = await proposeDeposit(tx, wanted);
    // Somebody proposes it by hand at this very moment: what comes of that is seen when it is looked at again.
    if (deposit === null) return { ok: false as const, reason: 'proposed_by_hand' as const };
    return creditDeposit(tx, income, { ...act, deposit, net, approver: null, reason: null, action: 'credit.webhook' });
  });
  return outcome.ok ? DONE : { why: outcome.reason, again: true };
}

/** An agent's name is lower case letters, digits and hyphens: what else a payer wrote is none. */
const AGENT_ID = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Why a deposit changes, for a person. */
function reasonOf(truth: PaymentTruth | null): string {
  const takings = (truth?.takings ?? []).map(({ kind, state }) => `${kind} ${state}`);
  return `PayPal says: ${[truth?.status ?? 'unknown', ...takings].join(', ')}`.slice(0, 500);
}

async function apply(
  tx: Tx,
  claimed: ClaimedCapture,
  { truth, ports }: { readonly truth: PaymentTruth | null; readonly ports: SettlePorts },
): Promise<Left> {
  const { captureId, hint } = claimed;
  const deposit: Deposit | null = await lockDepositOf(tx, PROVIDER, captureId);
  if (deposit?.state === 'proposed') return { why: 'proposed_by_hand', again: true };
  const known = { hint: hint === null ? null : hintOf(hint), credited: deposit };
  const decision = decidePayment(truth, known, ports.config);
  if (decision.kind === 'wait') return { why: decision.why, again: true };
  if (decision.kind === 'never') return { why: decision.why, again: false };
  if (deposit === null)
    return AGENT_ID.test(decision.agentId)
      ? creditFresh(tx, captureId, { decision, income: ports.income })
      : { why: 'no_such_agent', again: true };
  await adjustDeposit(tx, ports.income, {
    ...providerActor(PROVIDER),
    deposit,
    net: decision.net,
    why: reasonOf(truth),
  });
  return DONE;
}

/** Asks about one payment and books what comes of it. What was asked under a claim that has passed on is not booked: it is older than what another asks. */
async function settleOne(claimed: ClaimedCapture, ports: SettlePorts): Promise<void> {
  const { db, client } = ports;
  const truth = await askForTruth(client, claimed.captureId, claimed.takings);
  await inTransaction(db, async (tx) => {
    if (!(await holdClaim(tx, claimed))) return;
    const { why, again } = await apply(tx, claimed, { truth, ports });
    const againInS = again ? backoffS(claimed.attempts, { firstS: FIRST_WAIT_S, longestS: LONGEST_WAIT_S }) : null;
    await noteLooked(tx, claimed, { truth: truth === null ? null : knownOf(truth), why, againInS });
  });
}

/** Settles payments until none is due. Returns how many were looked at. */
export async function settleCaptures(ports: SettlePorts): Promise<number> {
  const { db, log } = ports;
  for (let looked = 0; ; looked += 1) {
    const claimed = await claimCapture(db);
    if (claimed === null) return looked;
    try {
      await settleOne(claimed, ports);
    } catch (error) {
      if (isConnectionError(error) || isVillageFrozenError(error)) throw error;
      log('warn', 'a payment could not be settled and is tried again', {
        capture: claimed.captureId,
        attempts: claimed.attempts,
        error,
      });
      await postponeCapture(db, claimed, backoffS(claimed.attempts, { firstS: 2, longestS: LONGEST_WAIT_S }));
    }
  }
}
