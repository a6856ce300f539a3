import { formatAiDollars, parseAiDollars } from '@hamlet/contract';
import type { LedgerEntry, Refusal } from '@hamlet/contract';
import { attempt, drawAllowance, findAgentAccount, findEntry, noteReward, openAgentAccount, postTransfer, readFunds, villageAccount } from '@hamlet/store';
import type { AgentAccount, LedgerRefusal, PostOutcome, Tx } from '@hamlet/store';
import { recordAct } from '../audit/record-act.ts';
import { findJudged } from '../board/judged-post.ts';
import type { Actor } from '../http/actor.ts';
import { accepted, refused } from '../http/outcome.ts';
import type { Outcome, Refused } from '../http/outcome.ts';
import type { StandingKeeper } from '../standing/standing-keeper.ts';
import { entryView } from './entry-view.ts';
import { villageDay } from './village-day.ts';

/** What the village's settings say of money. */
export interface EconomyRules {
  /** What a member may give and take in a day, together, in micro-aiDollars. */
  readonly dailyAllowance: bigint;
  /** What an admin may give in a day, in micro-aiDollars. More is a credit, which another admin approves. */
  readonly rewardLimit: bigint;
  /** Time zone of the village's day. */
  readonly timeZone: string;
}

/** A person's wish to give an agent money or to take it. */
export interface Judgement {
  readonly kind: 'reward' | 'penalty';
  readonly actor: Actor;
  readonly now: Date;
  readonly requestId: string;
  readonly traceparent: string;
  readonly idempotencyKey: string;
  readonly agentId: string;
  /** Decimal aiDollars, above zero. */
  readonly amount: string;
  readonly note: string;
  readonly relatedPostId: string | null;
}

export interface JudgementPorts {
  readonly standing: StandingKeeper;
  readonly rules: EconomyRules;
  /** Whether there is such an agent, although its first life may not have begun. */
  readonly lives: (agentId: string) => boolean;
}

/** An agent that was applied a moment ago has an account before it lives. */
async function accountOf(tx: Tx, agentId: string, { lives }: JudgementPorts): Promise<AgentAccount | null> {
  const account = await findAgentAccount(tx, agentId);
  if (account !== null || !lives(agentId)) return account;
  await openAgentAccount(tx, agentId);
  return findAgentAccount(tx, agentId);
}

type Drawn = { readonly ok: false; readonly left: bigint };

/** Posts between the treasury and the agent. The key is of the person and route for ever, so that not even a retry after days posts twice. */
async function post(tx: Tx, { kind, actor, amount, note, idempotencyKey, relatedPostId, traceparent }: Judgement, account: AgentAccount): Promise<PostOutcome> {
  const treasury = await villageAccount(tx, 'treasury');
  const [payer, payee] = kind === 'reward' ? [treasury, account.accountId] : [account.accountId, treasury];
  return postTransfer(tx, {
    payer, payee, amount: parseAiDollars(amount), key: `${kind} ${actor.id} ${idempotencyKey}`, reason: kind, source: actor.id, note,
    actor: { role: actor.role, id: actor.id }, about: { relatedPostId, traceparent },
  });
}

/** What somebody may give in a day, in micro-aiDollars. Pure. */
export function dailyLimitOf({ role }: Pick<Actor, 'role'>, { dailyAllowance, rewardLimit }: EconomyRules): bigint {
  return role === 'admin' ? rewardLimit : dailyAllowance;
}

/** Draws on the person's day, unless this very judgement was posted before. What an admin takes is not counted: it makes no money. */
async function draw(tx: Tx, { kind, actor, amount, now }: Judgement, rules: EconomyRules): Promise<Drawn | null> {
  if (actor.role === 'admin' && kind === 'penalty') return null;
  const left = await drawAllowance(tx, { memberId: actor.id, day: villageDay(now, rules.timeZone), amount: parseAiDollars(amount), limit: dailyLimitOf(actor, rules) });
  return left === null ? null : { ok: false, ...left };
}

async function audit(tx: Tx, judgement: Judgement, entry: LedgerEntry): Promise<void> {
  const { ledger_entry_id, amount, note, related_post_id, balance_after } = entry;
  const detail = { ledger_entry_id, amount, note, related_post_id, balance_after };
  await recordAct(tx, judgement, { action: judgement.kind, object: judgement.agentId, detail });
}

const WIRE_REASONS: Partial<Readonly<Record<LedgerRefusal, Refusal>>> = {
  insufficient_funds: 'insufficient_funds',
  account_closed: 'account_closed',
  key_reused: 'idempotency_key_reused',
};

async function refusalOf(tx: Tx, { agentId }: Judgement, failed: { readonly reason: LedgerRefusal; readonly account: AgentAccount }): Promise<Refused> {
  const reason = WIRE_REASONS[failed.reason];
  if (reason === undefined) throw new Error(`the ledger refused a judgement: ${failed.reason}`);
  if (reason !== 'insufficient_funds') return refused(reason);
  const { balance, held } = await readFunds(tx, failed.account.accountId);
  return refused(reason, `${agentId} has ${formatAiDollars(balance - held)} aiDollars to spend; take at most that`);
}

/**
 * Rewards or penalizes an agent: money moves between the treasury and its account, the allowance of the day is drawn, the tier follows, and the
 * audit has it, all in the caller's transaction or none of it.
 */
export async function judge(tx: Tx, judgement: Judgement, ports: JudgementPorts): Promise<Outcome<LedgerEntry>> {
  const { agentId } = judgement;
  const judged = await findJudged(tx, judgement);
  if (!judged.ok) return judged;
  const account = await accountOf(tx, agentId, ports);
  if (account === null) return refused('no_such_agent', `There is no agent ${agentId}`);
  const outcome = await attempt(tx, async () => {
    const posted = await post(tx, judgement, account);
    if (!posted.ok || posted.replayed) return posted;
    return (await draw(tx, judgement, ports.rules)) ?? posted;
  });
  if (!outcome.ok) {
    if ('reason' in outcome) return refusalOf(tx, judgement, { reason: outcome.reason, account });
    const said = `${formatAiDollars(outcome.left)} aiDollars are left of today's allowance of ${formatAiDollars(dailyLimitOf(judgement.actor, ports.rules))}`;
    return refused('allowance_exceeded', judgement.actor.role === 'admin' ? `${said}; propose a credit of more (POST /economy/credits), which another admin approves` : said);
  }
  const entry = entryView(agentId, await findEntry(tx, account.accountId, outcome.transferId));
  if (!outcome.replayed) {
    await audit(tx, judgement, entry);
    if (judged.subject !== null) await noteReward(tx, judged.subject, parseAiDollars(entry.amount));
    await ports.standing.recompute(tx, [agentId]);
  }
  return accepted(entry);
}
