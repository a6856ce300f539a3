import { formatAiDollars, parseAiDollars, type LedgerEntry } from '@hamlet/contract';
import { judgeAgent, type AgentJudged, type AgentJudgement, type Subject, type Tx } from '@hamlet/store';
import { recordAct } from '../../audit/record-act.ts';
import { findJudged } from '../../board/author-of.ts';
import type { Actor } from '../../http/actor.ts';
import { accepted, refused, type Outcome, type Refused } from '../../http/outcome.ts';
import type { BalanceTiers } from '../../standing/balance-tier-sync.ts';
import { entryView } from './entry-view.ts';
import { villageDay } from './village-day.ts';

export interface EconomyRules {
  /** Micro-aiDollars that a member may give and take in a day, together. */
  readonly dailyAllowance: bigint;
  /** Micro-aiDollars that an admin may give in a day. A greater amount needs a credit, which another admin approves. */
  readonly rewardLimit: bigint;
  readonly timeZone: string;
}

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
  readonly tiers: BalanceTiers;
  readonly rules: EconomyRules;
  readonly lives: (agentId: string) => boolean;
}

export function dailyLimitOf({ role }: Pick<Actor, 'role'>, { dailyAllowance, rewardLimit }: EconomyRules): bigint {
  return role === 'admin' ? rewardLimit : dailyAllowance;
}

/** An admin's penalty uses no allowance. The key is permanent, so that a late retry does not post twice. */
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
    // Opens an account for an agent whose first life has not begun.
    opens: lives(agentId),
  };
}

async function audit(tx: Tx, judgement: Judgement, entry: LedgerEntry): Promise<void> {
  const { ledger_entry_id, amount, note, related_post_id, balance_after } = entry;
  const detail = { ledger_entry_id, amount, note, related_post_id, balance_after };
  await recordAct(tx, judgement, { action: judgement.kind, object: judgement.agentId, detail });
}

/** The ledger's refusal as an answer to the caller. Throws for reasons that no request can cause. Pure. */
function refusalOf(
  { agentId, actor }: Judgement,
  { reason, available }: Extract<AgentJudged, { ok: false }>,
  rules: EconomyRules,
): Refused {
  switch (reason) {
    case 'no_such_account':
      return refused('no_such_agent', `There is no agent ${agentId}`);
    case 'insufficient_funds':
      return refused(reason, `${agentId} can spend ${formatAiDollars(available)} aiDollars: take at most that`);
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
      throw new Error(`the ledger refused a reward or penalty: ${reason}`);
  }
}

/** Rewards or penalizes an agent: money, allowance of the day, tier and audit, all or nothing in the caller's transaction. */
export async function judge(tx: Tx, judgement: Judgement, ports: JudgementPorts): Promise<Outcome<LedgerEntry>> {
  const { agentId } = judgement;
  const judged = await findJudged(tx, judgement);
  if (!judged.ok) return judged;
  const done = await judgeAgent(tx, askedOf(judgement, judged.subject, ports));
  if (!done.ok) return refusalOf(judgement, done, ports.rules);
  const entry = entryView(agentId, done.entry);
  if (!done.replayed) {
    await audit(tx, judgement, entry);
    await ports.tiers.recompute(tx, [agentId]);
  }
  return accepted(entry);
}
