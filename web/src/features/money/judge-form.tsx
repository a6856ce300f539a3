import { type AgentDetail, type BalanceAnswer, formatAiDollars, NOTE_MAX_CHARS, roleMay } from '@hamlet/contract';
import { type ReactElement, useId } from 'react';
import { Icon } from '../../ui/icon.tsx';
import type { IconName } from '../../ui/icon-paths.ts';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { useRole, useVillage } from '../village-context.ts';
import { AllowanceLine, useAllowance } from './allowance-line.tsx';
import { moneyWords, readAmount } from './money-words.ts';
import { type LadderStep, previewOf, previewWords } from './tier-outlook.ts';
import { type JudgeKind, type JudgeOutcome, useJudgement } from './use-judgement.ts';

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
