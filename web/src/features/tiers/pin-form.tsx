import { type AgentDetail, type EntitlementView, putAgentEntitlement } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { useSend } from '../../client/ask/use-send.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { Icon } from '../../ui/icon.tsx';
import { moneyWords } from '../money/money-labels.ts';
import { useVillage } from '../village-context.ts';
import { pinBody, pinButton, type PinDraft, type PinEffect, pinEffect, pinOf, samePin } from './pin-labels.ts';

const POLICIES = [
  { key: 'ByBalance', word: 'By its balance' },
  { key: 'Pinned', word: 'Pinned' },
] as const;

interface PinProps {
  readonly agent: AgentDetail;
  readonly tiers: readonly EntitlementView[];
}

/** Pinning an agent to a tier, or letting its balance decide. Says beforehand where it goes and what becomes of its pod. */
export function PinForm({ agent, tiers }: PinProps): ReactElement {
  const { api, village } = useVillage();
  const sending = useSend();
  const [written, setWritten] = useState<PinDraft | null>(null);
  const [done, setDone] = useState(false);
  const asIs = pinOf(agent);
  // What was written stays until the village reads so too; from then on it follows what others write.
  const draft = written === null || (done && samePin(written, asIs)) ? asIs : written;
  const effect = done ? null : pinEffect(agent, tiers, draft);
  const write = (change: Partial<PinDraft>): void => {
    setWritten({ ...draft, ...change });
    setDone(false);
    sending.changed();
  };
  const send = async (conflict: 'refuse' | 'take_over'): Promise<void> => {
    const reply = await sending.send((idempotencyKey) =>
      api.call(putAgentEntitlement, {
        params: { agent_id: agent.agent_id },
        query: { on_conflict: conflict },
        body: pinBody(draft),
        idempotencyKey,
      }),
    );
    if (reply?.ok !== true) return;
    setDone(true);
    void village.refreshAgent(agent.agent_id);
  };
  const takeOver = (): void => {
    sending.changed();
    void send('take_over');
  };
  return (
    <div className="pin" data-policy={asIs.policy} data-pinned-to={agent.entitlement.pinned_to ?? ''}>
      <ActionForm
        label="Who decides the tier"
        sending={sending}
        ready={effect !== null}
        word={pinButton(agent, draft)}
        onSend={() => void send('refuse')}
        onTakeOver={takeOver}
      >
        <div className="segments" role="radiogroup" aria-label="Who decides the tier">
          {POLICIES.map(({ key, word }) => (
            <label key={key} className="segment" data-choice={key}>
              <input
                type="radio"
                name="pin-policy"
                value={key}
                checked={draft.policy === key}
                onChange={() => write({ policy: key })}
              />
              {word}
            </label>
          ))}
        </div>
        {draft.policy === 'Pinned' && (
          <TierField tiers={tiers} name={draft.name} onChange={(name) => write({ name })} />
        )}
        {effect !== null && <Effect effect={effect} />}
        {done && (
          <p className="notice notice-good" role="status">
            <Icon name="check" size={16} />
            <span>Written to the custom resource. The operator moves {agent.display_name} within seconds.</span>
          </p>
        )}
      </ActionForm>
    </div>
  );
}

function TierField({
  tiers,
  name,
  onChange,
}: {
  readonly tiers: readonly EntitlementView[];
  readonly name: string;
  readonly onChange: (name: string) => void;
}): ReactElement {
  const known = tiers.some((tier) => tier.name === name);
  return (
    <label>
      Tier
      <select name="pin-tier" value={name} onChange={(event) => onChange(event.target.value)}>
        {!known && <option value={name}>{name === '' ? 'Choose one' : `${name} (gone)`}</option>}
        {tiers
          .toSorted((left, right) => right.rank - left.rank)
          .map((tier) => (
            <option key={tier.name} value={tier.name}>
              {tier.name} · from {moneyWords(tier.min_balance)}
            </option>
          ))}
      </select>
    </label>
  );
}

function Effect({ effect }: { readonly effect: PinEffect }): ReactElement {
  return (
    <>
      {effect.lines.length > 0 && (
        <div className="preview" role="status" data-preview={effect.tier ?? 'none'}>
          {effect.lines.map((line) => (
            <p key={line}>{line}</p>
          ))}
        </div>
      )}
      {effect.bad !== null && (
        <p className="preview preview-bad" role="status">
          {effect.bad}
        </p>
      )}
    </>
  );
}
