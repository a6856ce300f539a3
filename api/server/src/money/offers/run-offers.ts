import { formatAiDollars, OFFER_HOURS_DEFAULT, parseAiDollars, type RunOffer } from '@hamlet/contract';
import {
  endRunOffer,
  findAgentAccount,
  holdMoney,
  insertOffer,
  lockOffer,
  lockRun,
  openAgentAccount,
  resolveHold,
  returnAllowance,
  useAllowance,
  villageAccount,
} from '@hamlet/store';
import type { LedgerActor, OfferRow, RunRow, Tx } from '@hamlet/store';
import { isSettled } from '@hamlet/core';
import { recordAct, type Acting } from '../../audit/record-act.ts';
import type { Actor } from '../../http/actor.ts';
import { accepted, refused, type Outcome, type Refused } from '../../http/outcome.ts';
import { dailyLimitOf, type EconomyRules } from '../ledger/judgement.ts';
import { villageDay } from '../ledger/village-day.ts';
import type { Village } from '../../village.ts';

const HOUR_MS = 3_600_000;
/** The hold outlasts its offer, so that the offer always ends first. */
const HOLD_OUTLIVES_MS = HOUR_MS;

interface OfferAsked extends Acting {
  readonly actor: Actor;
  readonly now: Date;
  readonly amount: string;
  readonly expiresInHours: number | undefined;
}

/** Counts towards the day's allowance, as a reward does. The caller undoes the writes of a refusal (`inSavepoint`). */
type PlaceOffer = (tx: Tx, run: RunRow, asked: OfferAsked) => Promise<Outcome<RunOffer>>;

/** @param sees true if the reader may read the person's reason */
export function offerView(row: OfferRow, sees = true): RunOffer {
  return {
    run_id: row.runId,
    agent_id: row.agentId,
    amount: formatAiDollars(row.amount),
    state: row.state,
    offered_by: { role: row.offeredByRole, id: row.offeredById },
    offered_at: row.offeredAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
    reason: sees ? row.reason : null,
  };
}

/** True if an actor reads the reason of a refusal: the person who made the offer, the agent, and admins. Pure. */
export function seesReason(actor: Actor, { agentId, offeredById }: OfferRow): boolean {
  if (actor.role === 'agent') return actor.agentId === agentId;
  return actor.role === 'admin' || actor.id === offeredById;
}

export function placeOfferWith({ economy }: { readonly economy: EconomyRules }): PlaceOffer {
  return async (tx, { runId, agentId }, asked) => {
    const { actor, now, expiresInHours = OFFER_HOURS_DEFAULT } = asked;
    const amount = parseAiDollars(asked.amount);
    const day = villageDay(now, economy.timeZone);
    const limit = dailyLimitOf(actor, economy);
    const account = await openedAccount(tx, agentId);
    const expiresAt = new Date(now.getTime() + expiresInHours * HOUR_MS);
    const held = await holdMoney(tx, {
      payer: await villageAccount(tx, 'treasury'),
      payee: account,
      amount,
      key: `offer ${runId}`,
      reason: 'reward',
      source: actor.id,
      note: 'Offer for a task',
      actor: { role: actor.role, id: actor.id },
      about: { runId, traceparent: asked.traceparent },
      expiresAt: new Date(expiresAt.getTime() + HOLD_OUTLIVES_MS),
    });
    if (!held.ok) return refused(held.reason === 'account_closed' ? 'account_closed' : 'unavailable');
    // After the accounts, as `ledger.judge` locks it.
    if (!(await useAllowance(tx, { memberId: actor.id, day, amount, limit })))
      return refused(
        'allowance_exceeded',
        `Offer less: too little is left of today's allowance of ${formatAiDollars(limit)} aiDollars`,
      );
    const by = { offeredByRole: actor.role, offeredById: actor.id };
    const offer = await insertOffer(tx, { runId, agentId, amount, holdId: held.holdId, day, ...by, expiresAt });
    const detail = { run_id: runId, amount: asked.amount, expires_at: expiresAt.toISOString() };
    await recordAct(tx, asked, { action: 'offer.make', object: agentId, detail });
    return accepted(offerView(offer));
  };
}

async function openedAccount(tx: Tx, agentId: string): Promise<number> {
  const known = await findAgentAccount(tx, agentId);
  if (known !== null) return known.accountId;
  await openAgentAccount(tx, agentId);
  const opened = await findAgentAccount(tx, agentId);
  if (opened === null) throw new Error(`the ledger opened no account for ${agentId}`);
  return opened.accountId;
}

export async function payOffer(
  tx: Tx,
  offer: OfferRow,
  { act, tiers }: Pick<Village, 'tiers'> & { readonly act: Acting },
): Promise<Outcome<OfferRow>> {
  const { runId, agentId, holdId } = offer;
  const paid = await resolveHold(tx, { holdId, outcome: 'posted', key: `paid ${runId}`, actor: act.actor });
  if (!paid.ok) {
    if (paid.reason === 'account_closed') return refused('account_closed');
    return refused('offer_ended', 'The offer has expired and its money is free again: reward the agent instead');
  }
  const ended = await endRunOffer(tx, runId, { state: 'paid', reason: null });
  await recordEnd(tx, ended, act);
  await tiers.recompute(tx, [agentId]);
  return accepted(ended);
}

/**
 * Ends an open offer without a payment, which frees the money and the allowance of its day. The caller holds its lock.
 */
export async function returnOffer(
  tx: Tx,
  offer: OfferRow,
  {
    state,
    act,
    reason,
  }: { readonly state: 'refused' | 'expired' | 'returned'; readonly act: Acting; readonly reason: string | null },
): Promise<OfferRow> {
  const { runId, holdId, day, amount, offeredById: memberId } = offer;
  await voidHold(tx, { holdId, runId, actor: act.actor });
  await returnAllowance(tx, { memberId, day, amount });
  const ended = await endRunOffer(tx, runId, { state, reason });
  await recordEnd(tx, ended, act);
  return ended;
}

/** The money of an expired hold is free already. */
async function voidHold(
  tx: Tx,
  { holdId, runId, actor }: { readonly holdId: string; readonly runId: string; readonly actor: LedgerActor },
): Promise<void> {
  const freed = await resolveHold(tx, { holdId, outcome: 'voided', key: `returned ${runId}`, actor });
  if (!freed.ok && freed.reason !== 'hold_resolved' && freed.reason !== 'hold_expired')
    throw new Error(`the hold of the offer for run ${runId} was not voided: ${freed.reason}`);
}

async function recordEnd(tx: Tx, { runId, agentId, amount, state, reason }: OfferRow, act: Acting): Promise<void> {
  const detail = { run_id: runId, amount: formatAiDollars(amount), state, reason };
  await recordAct(tx, act, { action: 'offer.end', object: agentId, detail });
}

export async function lockOwnOffer(tx: Tx, runId: string, actor: Actor): Promise<Outcome<OfferRow>> {
  const run = await lockRun(tx, runId);
  if (run === null) return refused('no_such_run');
  const offer = await lockOffer(tx, runId);
  if (offer === null) return refused('no_such_offer');
  return whyNot(run, offer, actor) ?? accepted(offer);
}

function whyNot({ state }: RunRow, offer: OfferRow, actor: Actor): Refused | null {
  if (offer.offeredByRole !== actor.role || offer.offeredById !== actor.id) return refused('offer_not_yours');
  if (offer.state !== 'open') return refused('offer_ended', `The offer is ${offer.state}`);
  return isSettled(state) ? null : refused('run_under_way', `The run is ${state}`);
}
