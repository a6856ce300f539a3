import { formatAiDollars, parseAiDollars } from '@hamlet/contract';
import type { LedgerEntry } from '@hamlet/contract';
import { judgeAgent } from '@hamlet/store';
import type { AgentJudged, AgentJudgement, Subject, Tx } from '@hamlet/store';
import { recordAct } from '../audit/record-act.ts';
import { findJudged } from '../board/author-of.ts';
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

/** What somebody may give in a day, in micro-aiDollars. Pure. */
export function dailyLimitOf({ role }: Pick<Actor, 'role'>, { dailyAllowance, rewardLimit }: EconomyRules): bigint {
  return role === 'admin' ? rewardLimit : dailyAllowance;
}

/** What the ledger is asked. An admin's penalty is drawn on no day: it makes no money. The key is of the person and route for good, so that not even a retry after days posts twice. */
function askedOf(judgement: Judgement, subject: Subject | null, { lives, rules }: JudgementPorts): AgentJudgement {
  const { kind, actor, now, agentId, amount, note, idempotencyKey, relatedPostId, traceparent } = judgement;
  const allowance =
    actor.role === 'admin' && kind === 'penalty'
      ? null
      : { day: villageDay(now, rules.timeZone), limit: dailyLimitOf(actor, rules) };
  return {
    kind,
    agentId,
    note,
    subject,
    allowance,
    amount: parseAiDollars(amount),
    key: `${kind} ${actor.id} ${idempotencyKey}`,
    source: actor.id,
    actor: { role: actor.role, id: actor.id },
    about: { relatedPostId, traceparent },
    // An agent that was applied a moment ago has an account before it lives.
    opens: lives(agentId),
  };
}

async function audit(tx: Tx, judgement: Judgement, entry: LedgerEntry): Promise<void> {
  const { ledger_entry_id, amount, note, related_post_id, balance_after } = entry;
  const detail = { ledger_entry_id, amount, note, related_post_id, balance_after };
  await recordAct(tx, judgement, { action: judgement.kind, object: judgement.agentId, detail });
}

/** The refusal of the ledger in the caller's words. Throws where the ledger refuses what no caller can have asked for. Pure. */
function refusalOf(
  { agentId, actor }: Judgement,
  { reason, available }: Extract<AgentJudged, { ok: false }>,
  rules: EconomyRules,
): Refused {
  switch (reason) {
    case 'no_such_account':
      return refused('no_such_agent', `There is no agent ${agentId}`);
    case 'insufficient_funds':
      return refused(reason, `${agentId} has ${formatAiDollars(available)} aiDollars to spend; take at most that`);
    case 'allowance_exceeded': {
      const said = `${formatAiDollars(available)} aiDollars are left of today's allowance of ${formatAiDollars(dailyLimitOf(actor, rules))}`;
      return refused(
        reason,
        actor.role === 'admin'
          ? `${said}; propose a credit of more (POST /economy/credits), which another admin approves`
          : said,
      );
    }
    case 'account_closed':
      return refused(reason);
    case 'key_reused':
      return refused('idempotency_key_reused');
    default:
      throw new Error(`the ledger refused a judgement: ${reason}`);
  }
}

/**
 * Rewards or penalizes an agent: money moves between the treasury and its account, the allowance of the day is drawn, the tier follows, and the
 * audit has it, all in the caller's transaction or none of it.
 */
export async function judge(tx: Tx, judgement: Judgement, ports: JudgementPorts): Promise<Outcome<LedgerEntry>> {
  const { agentId } = judgement;
  const judged = await findJudged(tx, judgement);
  if (!judged.ok) return judged;
  const done = await judgeAgent(tx, askedOf(judgement, judged.subject, ports));
  if (!done.ok) return refusalOf(judgement, done, ports.rules);
  const entry = entryView(agentId, done.entry);
  if (!done.replayed) {
    await audit(tx, judgement, entry);
    await ports.standing.recompute(tx, [agentId]);
  }
  return accepted(entry);
}
