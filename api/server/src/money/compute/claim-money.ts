import { dueOf, holdAmount, type ClaimTerms } from '@hamlet/core';
import {
  findAgentAccount,
  holdMoney,
  isVillageFrozenError,
  nextClaimVersion,
  readBars,
  readFunds,
  resolveHold,
  villageAccount,
  inSavepoint,
} from '@hamlet/store';
import type { ClaimHold, ClaimRow, Circumstance, RefusedTier, Tx } from '@hamlet/store';
import { heldOf } from './claim-view.ts';

/** A hold expires a day after the time that it pays for, so that an API that was down for up to a day still posts the used time. */
const SETTLED_WITHIN_MS = 86_400_000;
const VILLAGE = { role: 'system', id: 'spending' } as const;
const ALREADY_OVER: ReadonlySet<string> = new Set(['hold_resolved', 'hold_expired']);

const circumstanceOf = ({
  pod,
  imageDigest,
  traceparent,
}: Pick<ClaimHold, 'pod' | 'imageDigest' | 'traceparent'>): Circumstance => ({
  podUid: pod?.uid ?? null,
  imageDigest,
  traceparent,
});

/** Ends the hold of a claim: posts the used time and frees the rest. Returns whether money has moved. */
export async function endHold(tx: Tx, row: ClaimRow, now: Date): Promise<boolean> {
  const { hold } = row;
  if (hold === null) return false;
  const due = dueOf(heldOf(row, hold), now.getTime());
  const how = due === 0n ? ({ outcome: 'voided' } as const) : ({ outcome: 'posted', amount: due } as const);
  const outcome = await resolveHold(tx, {
    holdId: hold.holdId,
    ...how,
    key: `claim ${hold.holdId} over`,
    actor: VILLAGE,
    about: circumstanceOf(hold),
  });
  if (!outcome.ok && !ALREADY_OVER.has(outcome.reason))
    throw new Error(`the used time of ${row.agentId} was not posted: ${outcome.reason}`);
  return outcome.ok && outcome.transferId !== null;
}

/** Ends the hold of a claim. While the village is frozen it changes nothing and returns `ok: false`. */
export async function endHoldUnlessFrozen(
  tx: Tx,
  row: ClaimRow,
  now: Date,
): Promise<{ readonly ok: true; readonly moved: boolean } | { readonly ok: false }> {
  return inSavepoint<{ readonly ok: true; readonly moved: boolean } | { readonly ok: false }>(tx, async () => {
    try {
      return { ok: true, moved: await endHold(tx, row, now) };
    } catch (error) {
      if (!isVillageFrozenError(error)) throw error;
      return { ok: false };
    }
  });
}

/** `perHour`: micro-aiDollars, above zero. */
interface Wanted extends Pick<ClaimHold, 'tier' | 'perHour' | 'pod' | 'imageDigest' | 'traceparent'> {
  readonly agentId: string;
  readonly now: Date;
  readonly terms: ClaimTerms;
}

export type Taken =
  | { readonly ok: true; readonly hold: ClaimHold }
  | { readonly ok: false; readonly reason: RefusedTier['reason'] };

/** Holds the money for one period of running. Refuses a barred agent; a revoked token alone does not bar it. */
export async function takeHold(tx: Tx, { agentId, now, terms, ...wanted }: Wanted): Promise<Taken> {
  const bar = (await readBars(tx, [agentId])).get(agentId);
  if (bar !== undefined && bar.measure !== 'revoke_token') return { ok: false, reason: 'HoldRefused' };
  const account = await findAgentAccount(tx, agentId);
  if (account === null) return { ok: false, reason: 'NotPaid' };
  const amount = holdAmount(wanted.perHour, terms);
  const until = new Date(now.getTime() + terms.periodMs);
  const version = await nextClaimVersion(tx);
  const outcome = await holdMoney(tx, {
    payer: account.accountId,
    payee: await villageAccount(tx, 'compute'),
    amount,
    key: `claim ${agentId} ${version}`,
    reason: 'usage',
    source: 'system',
    note: `running at ${wanted.tier}`,
    actor: VILLAGE,
    expiresAt: new Date(until.getTime() + SETTLED_WITHIN_MS),
    about: circumstanceOf(wanted),
  });
  if (!outcome.ok) return { ok: false, reason: outcome.reason === 'insufficient_funds' ? 'NotPaid' : 'HoldRefused' };
  return { ok: true, hold: { ...wanted, holdId: outcome.holdId, amount, until, renewalRefused: false, usedMs: 0 } };
}

/** Micro-aiDollars that the agent could spend on another tier: free money, and the rest of its present hold. */
export async function spendable(
  tx: Tx,
  agentId: string,
  { row, now }: { readonly row: ClaimRow | null; readonly now: Date },
): Promise<bigint> {
  const account = await findAgentAccount(tx, agentId);
  if (account === null || account.closedAt !== null) return 0n;
  const { balance, held } = await readFunds(tx, account.accountId);
  const bound = row?.hold ?? null;
  return (
    balance - held + (row === null || bound === null ? 0n : bound.amount - dueOf(heldOf(row, bound), now.getTime()))
  );
}
