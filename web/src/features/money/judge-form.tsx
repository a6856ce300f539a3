import { type AgentDetail, type Allowance, type BalanceAnswer, formatAiDollars, getAllowance, NOTE_MAX_CHARS, penalizeAgent, rewardAgent, roleMay } from '@hamlet/contract';
import { type ReactElement, useCallback, useId, useState } from 'react';
import type { Refused } from '../../client/api.ts';
import { readJsonDraft } from '../../client/ask/json-draft.ts';
import { useDraft } from '../../client/ask/use-draft.ts';
import { type Live, useLive } from '../../client/ask/use-live.ts';
import { useSend } from '../../client/ask/use-send.ts';
import type { IconName } from '../../ui/icon-paths.ts';
import { Icon } from '../../ui/icon.tsx';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { timeAhead } from '../../ui/time-words.ts';
import { useRole, useVillage } from '../village-context.ts';
import { moneyWords, readAmount } from './money-labels.ts';
import { type LadderStep, previewOf, previewWords } from './tier-outlook.ts';

const AMOUNTS = ['1', '5', '10'] as const;
const KIND_WORDS: Readonly<
  Record<
    JudgeKind,
    { readonly verb: string; readonly placeholder: string; readonly look: string; readonly sign: bigint }
  >
> = {
  reward: { verb: 'Give', placeholder: 'What it did well; it can read this', look: 'button-strong', sign: 1n },
  penalize: { verb: 'Take', placeholder: 'What it did wrong; it can read this', look: 'button-danger', sign: -1n },
};
const KINDS: readonly { readonly key: JudgeKind; readonly word: string; readonly icon: IconName }[] = [
  { key: 'reward', word: 'Reward', icon: 'up' },
  { key: 'penalize', word: 'Penalize', icon: 'down' },
];

/** `about` is the post or reply that it is for, `first` what is offered first. */
interface JudgeProps {
  readonly agent: AgentDetail;
  readonly balance: BalanceAnswer;
  readonly steps: readonly LadderStep[];
  readonly onDone: () => void;
  readonly about?: string;
  readonly first?: JudgeKind;
}

/** Giving an agent money or taking some, with a reason; says before it is sent what it will do. */
export function JudgeForm(props: JudgeProps): ReactElement {
  const role = useRole();
  const { openSignIn } = useVillage();
  if (!roleMay(role, 'economy:judge'))
    return (
      <p className="hint">
        Members reward and penalize agents.{' '}
        <button type="button" className="link" onClick={openSignIn}>
          Sign in
        </button>
      </p>
    );
  return <Judging {...props} />;
}

function Judging({ agent, balance, steps, onDone, about, first }: JudgeProps): ReactElement {
  const allowance = useAllowance();
  const { kind, amount, reason, micro, ready, busy, outcome, write, send } = useJudgement(
    { agent, about: about ?? null, first: first ?? 'reward' },
    () => {
      allowance.again();
      onDone();
    },
  );
  const sum = micro === null || micro <= 0n ? null : micro;
  const words = KIND_WORDS[kind];
  return (
    <form
      className="form judge"
      aria-label="Reward or penalize"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <KindField kind={kind} name={about ?? agent.agent_id} onChange={(key) => write({ kind: key })} />
      <AmountField amount={amount} onChange={(text) => write({ amount: text })} />
      <label>
        Reason
        <textarea
          name="reason"
          rows={2}
          required
          maxLength={NOTE_MAX_CHARS}
          value={reason}
          onChange={(event) => write({ reason: event.target.value })}
          placeholder={words.placeholder}
        />
      </label>
      {sum !== null && <PreviewLine agent={agent} balance={balance} steps={steps} change={sum * words.sign} />}
      <AllowanceLine allowance={allowance.data} asked={sum} />
      <OutcomeNotice outcome={outcome} />
      <button type="submit" className={`button ${words.look}`} aria-disabled={!ready || busy}>
        {words.verb}
        {sum === null ? '' : ` ${moneyWords(formatAiDollars(sum))}`}
      </button>
    </form>
  );
}

function KindField({
  kind,
  name,
  onChange,
}: {
  readonly kind: JudgeKind;
  readonly name: string;
  readonly onChange: (kind: JudgeKind) => void;
}): ReactElement {
  return (
    <div className="segments" role="radiogroup" aria-label="What to do">
      {KINDS.map(({ key, word, icon }) => (
        <label key={key} className="segment">
          <input
            type="radio"
            name={`judge-kind-${name}`}
            value={key}
            checked={kind === key}
            onChange={() => onChange(key)}
          />
          <Icon name={icon} size={15} />
          {word}
        </label>
      ))}
    </div>
  );
}

function OutcomeNotice({ outcome }: { readonly outcome: JudgeOutcome | null }): ReactElement | null {
  if (outcome === null) return null;
  if (outcome.kind === 'refused') return <RefusedNotice refused={outcome.refused} />;
  return (
    <p className="notice notice-good" role="status">
      <Icon name="check" size={16} />
      <span>{outcome.text}</span>
    </p>
  );
}

function AmountField({
  amount,
  onChange,
}: {
  readonly amount: string;
  readonly onChange: (text: string) => void;
}): ReactElement {
  const id = useId();
  const bad = amount !== '' && (readAmount(amount) ?? 0n) <= 0n;
  return (
    <div className="field">
      <label htmlFor={id}>Amount in aiDollars</label>
      <span className="amount">
        <input
          id={id}
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          required
          value={amount}
          onChange={(event) => onChange(event.target.value)}
          aria-invalid={bad}
          placeholder="0.00"
        />
        {AMOUNTS.map((quick) => (
          <button
            key={quick}
            type="button"
            className="button button-small"
            onClick={() => onChange(quick)}
            aria-label={`${quick} aiDollars`}
          >
            {quick}
          </button>
        ))}
      </span>
      {bad && <p className="field-problem">Write an amount above 0 with at most six places, such as 2.5</p>}
    </div>
  );
}

interface PreviewProps {
  readonly agent: AgentDetail;
  readonly balance: BalanceAnswer;
  readonly steps: readonly LadderStep[];
  readonly change: bigint;
}

function PreviewLine({ agent, balance, steps, change }: PreviewProps): ReactElement {
  const account = {
    balance: readAmount(balance.balance) ?? 0n,
    available: readAmount(balance.available) ?? 0n,
    tier: agent.standing.balance_tier,
  };
  const preview = previewOf(steps, account, change);
  if (preview.tooMuch)
    return (
      <p className="preview preview-bad" data-preview="too-much">
        {agent.display_name} has only {moneyWords(balance.available)} to take.
      </p>
    );
  const words = previewWords(
    preview,
    account.tier,
    agent.entitlement.policy === 'Pinned' ? (agent.entitlement.pinned_to ?? 'its tier') : null,
  );
  return (
    <p className="preview" data-preview={preview.tier ?? 'none'}>
      {moneyWords(balance.balance)} <span aria-hidden="true">→</span>
      <span className="sr-only">becomes</span> <b>{moneyWords(preview.after)}</b>
      {words !== '' && <>: {words}</>}
    </p>
  );
}

export type JudgeKind = 'reward' | 'penalize';
type JudgeOutcome =
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'refused'; readonly refused: Refused };
interface Draft {
  readonly kind: JudgeKind;
  readonly amount: string;
  readonly reason: string;
}
const EMPTY = { amount: '', reason: '' };

/** A reward or penalty while it is written: `micro` is its amount (null where none can be read), `outcome` what came of the last one. */
interface Judgement extends Draft {
  readonly micro: bigint | null;
  readonly ready: boolean;
  readonly busy: boolean;
  readonly outcome: JudgeOutcome | null;
  write(change: Partial<Draft>): void;
  send(): Promise<void>;
}

/** Whom a judgement is about, for which post or reply (null for none), and what is offered first. */
interface JudgementOf {
  readonly agent: AgentDetail;
  readonly about: string | null;
  readonly first: JudgeKind;
}

function useJudgement({ agent, about, first }: JudgementOf, onDone: () => void): Judgement {
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

const REFRESH_MS = 30_000;

/** What the viewer may still give and take today. */
function useAllowance(): Live<Allowance> {
  const { api } = useVillage();
  return useLive(
    useCallback((signal: AbortSignal) => api.call(getAllowance, { signal }), [api]),
    REFRESH_MS,
  );
}

/** Says what is left of a member's day, and where more is asked than that; admins have no such limit, and read that. */
function AllowanceLine({
  allowance,
  asked,
}: {
  readonly allowance: Allowance | null;
  readonly asked: bigint | null;
}): ReactElement | null {
  if (allowance === null || allowance.left === null) return null;
  const short = asked !== null && asked > (readAmount(allowance.left) ?? 0n);
  return (
    <p className={short ? 'preview preview-bad allowance' : 'hint allowance'} data-left={allowance.left}>
      {moneyWords(allowance.left)} of your {moneyWords(allowance.daily ?? '0')} are left today
      {short ? ': this is more' : ''}. A new day begins {timeAhead(Date.parse(allowance.resets_at), Date.now())}.
    </p>
  );
}
