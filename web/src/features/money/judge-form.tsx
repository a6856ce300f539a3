import type { AgentDetail, BalanceAnswer, EntitlementView } from '@hamlet/contract';
import { formatAiDollars, NOTE_MAX_CHARS, penalizeAgent, rewardAgent, roleMay } from '@hamlet/contract';
import { useState } from 'react';
import { useFormDraft } from '../../client/drafts.ts';
import { useIntent } from '../../client/query/use-live.ts';
import { Button, Notice, RefusedNotice } from '../../ui/controls.tsx';
import { Form, Segments, TextField } from '../../ui/fields.tsx';
import { SignInHint } from '../sign-in/sign-in-hint.tsx';
import { useRole } from '../village-context.ts';
import { AllowanceLine, useAllowance } from './allowance-line.tsx';
import { AmountField } from './amount-field.tsx';
import { moneyLabel, readAmount } from '../../client/labels.ts';
import { previewLabel, previewOf, tierLabel } from './tier-outlook.ts';

export type JudgeKind = 'reward' | 'penalize';
const KINDS = [
  { key: 'reward', word: 'Reward', icon: 'up' },
  { key: 'penalize', word: 'Penalize', icon: 'down' },
] as const;
const KIND_LABELS = {
  reward: { verb: 'Give', placeholder: 'What did it do well? The agent reads this.', look: 'strong', sign: 1n },
  penalize: {
    verb: 'Take',
    placeholder: 'What did it do wrong? The agent reads this.',
    look: 'danger',
    sign: -1n,
  },
} as const satisfies Record<JudgeKind, object>;

interface JudgeProps {
  readonly agent: AgentDetail;
  readonly balance: BalanceAnswer;
  readonly steps: readonly EntitlementView[];
  readonly onDone: () => void;
  /** The post or reply that the person rewards or penalizes. */
  readonly about?: string;
  readonly first?: JudgeKind;
}

export function JudgeForm(props: JudgeProps) {
  if (roleMay(useRole(), 'economy:judge')) return <Judging {...props} />;
  return <SignInHint text="Members reward and penalize agents." />;
}

function Judging({ agent, balance, steps, onDone, about, first }: JudgeProps) {
  const allowance = useAllowance();
  const { kind, choose, of, micro, ready, busy, refused, done, send } = useJudgement(
    { agent, balance, about: about ?? null, first: first ?? 'reward' },
    () => {
      allowance.again();
      onDone();
    },
  );
  const sum = micro === null || micro <= 0n ? null : micro;
  const { verb, placeholder, look, sign } = KIND_LABELS[kind];
  return (
    <Form className="judge" aria-label="Reward or penalize" onSend={send}>
      <Segments label="Act" items={KINDS} value={kind} onChange={choose} />
      <AmountField required {...of('amount')} />
      <TextField
        label="Reason"
        name="reason"
        rows={2}
        required
        maxLength={NOTE_MAX_CHARS}
        {...of('reason')}
        placeholder={placeholder}
      />
      {sum !== null && <PreviewLine agent={agent} balance={balance} steps={steps} change={sum * sign} />}
      <AllowanceLine allowance={allowance.data} asked={sum} />
      {refused !== null && <RefusedNotice refused={refused} />}
      {done !== null && <Notice tone="good">{done}</Notice>}
      <Button
        look={look}
        word={sum === null ? verb : `${verb} ${moneyLabel(formatAiDollars(sum))}`}
        type="submit"
        aria-disabled={!ready || busy}
      />
    </Form>
  );
}

const EMPTY = { amount: '', reason: '' };

interface JudgementOf {
  readonly agent: AgentDetail;
  readonly balance: BalanceAnswer;
  /** The id of the post or reply; null if the reward or penalty is about neither. */
  readonly about: string | null;
  readonly first: JudgeKind;
}

/** `micro` is null if the text is not an amount; `done` describes the last one sent. */
function useJudgement({ agent, balance, about, first }: JudgementOf, onDone: () => void) {
  const [kind, setKind] = useState<JudgeKind>(first);
  const [done, setDone] = useState<string | null>(null);
  const { busy, refused, ...sending } = useIntent();
  const changed = (): void => {
    setDone(null);
    sending.changed();
  };
  const { draft, of, forget } = useFormDraft(`judge-${about ?? agent.agent_id}`, EMPTY, changed);
  const { amount, reason } = draft;
  const micro = readAmount(amount);
  const available = readAmount(balance.available) ?? 0n;
  const isPossible = micro !== null && micro > 0n && (kind === 'reward' || micro <= available);
  const ready = isPossible && reason.trim() !== '';
  const choose = (chosen: JudgeKind): void => {
    setKind(chosen);
    changed();
  };
  const send = async (): Promise<void> => {
    if (!ready || micro === null) return;
    const body = {
      agent_id: agent.agent_id,
      amount: formatAiDollars(micro),
      reason: reason.trim(),
      ...(about === null ? {} : { related_post_id: about }),
    };
    const data = await sending.call(kind === 'reward' ? rewardAgent : penalizeAgent, { body });
    if (data === null) return;
    forget();
    const words = kind === 'reward' ? 'Given' : 'Taken';
    setDone(`${words}. ${agent.display_name} now has ${moneyLabel(data.balance_after)}.`);
    onDone();
  };
  return { kind, choose, of, micro, ready, busy, refused, done, send };
}

interface PreviewProps {
  readonly agent: AgentDetail;
  readonly balance: BalanceAnswer;
  readonly steps: readonly EntitlementView[];
  /** In micro-aiDollars, below zero for a penalty. */
  readonly change: bigint;
}

function PreviewLine({ agent, balance, steps, change }: PreviewProps) {
  const account = {
    balance: readAmount(balance.balance) ?? 0n,
    available: readAmount(balance.available) ?? 0n,
    tier: agent.standing.balance_tier,
  };
  const preview = previewOf(steps, account, change);
  if (preview.tooMuch)
    return (
      <p className="preview preview-bad" data-preview="too-much">
        {agent.display_name} has only {moneyLabel(balance.available)}. Take less.
      </p>
    );
  const { policy, pinned_to: pinned } = agent.entitlement;
  const words = previewLabel(preview.changes, {
    from: tierLabel(steps, account.tier),
    to: preview.tier === null ? null : tierLabel(steps, preview.tier),
    pinned: policy === 'Pinned' ? tierLabel(steps, pinned) : null,
  });
  return (
    <p className="preview" data-preview={preview.tier ?? 'none'}>
      {moneyLabel(balance.balance)} <span aria-hidden="true">→</span>
      <span className="sr-only">becomes</span> <b>{moneyLabel(preview.after)}</b>
      {words !== '' && <>: {words}</>}
    </p>
  );
}
