import { type AgentDetail, formatAiDollars, penalizeAgent, rewardAgent } from '@hamlet/contract';
import { useState } from 'react';
import type { Refused } from '../../client/api.ts';
import { readJsonDraft } from '../../client/ask/json-draft.ts';
import { useDraft } from '../../client/ask/use-draft.ts';
import { useSend } from '../../client/ask/use-send.ts';
import { useVillage } from '../village-context.ts';
import { moneyWords, readAmount } from './money-words.ts';

export type JudgeKind = 'reward' | 'penalize';
export type JudgeOutcome =
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'refused'; readonly refused: Refused };
interface Draft {
  readonly kind: JudgeKind;
  readonly amount: string;
  readonly reason: string;
}
const EMPTY = { amount: '', reason: '' };

/** A reward or penalty while it is written: `micro` is its amount (null where none can be read), `outcome` what came of the last one. */
export interface Judgement extends Draft {
  readonly micro: bigint | null;
  readonly ready: boolean;
  readonly busy: boolean;
  readonly outcome: JudgeOutcome | null;
  write(change: Partial<Draft>): void;
  send(): Promise<void>;
}

/** Whom a judgement is about, for which post or reply (null for none), and what is offered first. */
export interface JudgementOf {
  readonly agent: AgentDetail;
  readonly about: string | null;
  readonly first: JudgeKind;
}

export function useJudgement({ agent, about, first }: JudgementOf, onDone: () => void): Judgement {
  const { api } = useVillage();
  const [kind, setKind] = useState<JudgeKind>(first);
  const [kept, keep] = useDraft(`judge-${about ?? agent.agent_id}`);
  const { amount, reason } = readJsonDraft(kept, EMPTY);
  const [done, setDone] = useState<string | null>(null);
  const sending = useSend();
  const micro = readAmount(amount);
  const ready = micro !== null && micro > 0n && reason.trim() !== '';
  const write = (change: Partial<Draft>): void => {
    if (change.kind !== undefined) setKind(change.kind);
    keep(JSON.stringify({ amount: change.amount ?? amount, reason: change.reason ?? reason }));
    setDone(null);
    sending.changed();
  };
  const send = async (): Promise<void> => {
    if (!ready) return;
    const body = {
      agent_id: agent.agent_id,
      amount: formatAiDollars(micro),
      reason: reason.trim(),
      ...(about === null ? {} : { related_post_id: about }),
    };
    const reply = await sending.send((idempotencyKey) =>
      api.call(kind === 'reward' ? rewardAgent : penalizeAgent, { body, idempotencyKey }),
    );
    if (reply?.ok !== true) return;
    keep('');
    setDone(
      `${kind === 'reward' ? 'Given' : 'Taken'}. ${agent.display_name} has ${moneyWords(reply.data.balance_after)}.`,
    );
    onDone();
  };
  return {
    kind,
    amount,
    reason,
    micro,
    ready,
    busy: sending.busy,
    outcome: outcomeOf(sending.refused, done),
    write,
    send,
  };
}

function outcomeOf(refused: Refused | null, done: string | null): JudgeOutcome | null {
  if (refused !== null) return { kind: 'refused', refused };
  return done === null ? null : { kind: 'done', text: done };
}
