import { formatAiDollars, parseAiDollars, type LedgerEntry, type rewardAgent } from '@hamlet/contract';
import { judgeAgent, type AgentJudged, type AgentJudgement, type Subject, type Tx } from '@hamlet/store';
import { recordAct } from '../../audit/record-act.ts';
import { findJudged } from '../../board/author-of.ts';
import type { Actor } from '../../http/actor.ts';
import { accepted, refused, type Outcome, type Refused } from '../../http/outcome.ts';
import { entryView } from './entry-view.ts';
import { villageDay } from './village-day.ts';
import { type RequestOf } from '../../http/handler.ts';
import { idempotencyKeyOf } from '../../http/idempotent.ts';
import { type Village } from '../../village.ts';

export interface EconomyRules {
  /** Micro-aiDollars that a member may give and take in a day, together. */
  readonly dailyAllowance: bigint;
  /** Micro-aiDollars that an admin may give in a day. A greater amount needs a credit, which another admin approves. */
  readonly rewardLimit: bigint;
  readonly timeZone: string;
}

interface Judgement extends Pick<
  RequestOf<typeof rewardAgent>,
  'actor' | 'now' | 'requestId' | 'traceparent' | 'headers'
> {
  readonly kind: 'reward' | 'penalty';
  readonly body: {
    readonly agent_id: string;
    readonly amount: string;
    readonly reason: string;
    readonly related_post_id?: string | null | undefined;
    readonly post_id?: string | null | undefined;
  };
}

type JudgementPorts = Pick<Village, 'tiers' | 'economy' | 'source'>;

export function dailyLimitOf({ role }: Pick<Actor, 'role'>, { dailyAllowance, rewardLimit }: EconomyRules): bigint {
  return role === 'admin' ? rewardLimit : dailyAllowance;
}

function relatedPostOf({ body: { related_post_id: related, post_id: post } }: Judgement): string | null {
  return related ?? post ?? null;
}

/** An admin's penalty uses no allowance. The key is permanent, so that a late retry does not post twice. */
function askedOf(judgement: Judgement, subject: Subject | null, { source, economy }: JudgementPorts): AgentJudgement {
  const { kind, actor, now, headers, traceparent, body } = judgement;
  const { agent_id: agentId, amount, reason: note } = body;
  const allowance =
    actor.role === 'admin' && kind === 'penalty'
      ? null
      : { day: villageDay(now, economy.timeZone), limit: dailyLimitOf(actor, economy) };
  return {
    kind,
    agentId,
    note,
    subject,
    allowance,
    amount: parseAiDollars(amount),
    key: `${kind} ${actor.id} ${idempotencyKeyOf(headers['idempotency-key'])}`,
    source: actor.id,
    actor: { role: actor.role, id: actor.id },
    about: { relatedPostId: relatedPostOf(judgement), traceparent },
    // Opens an account for an agent whose first life has not begun.
    opens: source.get(agentId) !== null,
  };
}

async function audit(tx: Tx, judgement: Judgement, entry: LedgerEntry): Promise<void> {
  const { ledger_entry_id, amount, note, related_post_id, balance_after } = entry;
  const detail = { ledger_entry_id, amount, note, related_post_id, balance_after };
  await recordAct(tx, judgement, { action: judgement.kind, object: judgement.body.agent_id, detail });
}

/** The ledger's refusal as an answer to the caller. Throws for reasons that no request can cause. Pure. */
function refusalOf(
  { actor, body: { agent_id: agentId } }: Judgement,
  { reason, available }: Extract<AgentJudged, { ok: false }>,
  rules: EconomyRules,
): Refused {
  switch (reason) {
    case 'no_such_account':
      return refused('no_such_agent');
    case 'insufficient_funds':
      return refused(reason, `${agentId} can spend ${formatAiDollars(available)} aiDollars: take at most that`);
    case 'allowance_exceeded': {
      const said = `${formatAiDollars(available)} aiDollars are left of today's allowance of ${formatAiDollars(dailyLimitOf(actor, rules))}`;
      return refused(
        reason,
        actor.role === 'admin'
          ? `${said}; propose a larger credit (POST /economy/credits), which another admin must approve`
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
  const { agent_id: agentId } = judgement.body;
  const judged = await findJudged(tx, { actor: judgement.actor, agentId, relatedPostId: relatedPostOf(judgement) });
  if (!judged.ok) return judged;
  const done = await judgeAgent(tx, askedOf(judgement, judged.subject, ports));
  if (!done.ok) return refusalOf(judgement, done, ports.economy);
  const entry = entryView(agentId, done.entry);
  if (!done.replayed) {
    await audit(tx, judgement, entry);
    await ports.tiers.recompute(tx, [agentId]);
  }
  return accepted(entry);
}
