import { type AgentDetail, type EntitlementView, putAgentEntitlement } from '@hamlet/contract';
import { useState } from 'react';
import { type Field, fieldsOf } from '../../client/drafts.ts';
import { useIntent } from '../../client/query/use-live.ts';
import { ActionForm, Segments, SelectField } from '../../ui/fields.tsx';
import { Notice } from '../../ui/controls.tsx';
import { moneyLabel } from '../../client/labels.ts';
import { useVillage } from '../village-context.ts';
import { pinBody, pinButton, type PinDraft, type PinEffect, pinEffect, pinOf, samePin } from './pin-labels.ts';

const POLICIES = [
  { key: 'ByBalance', word: 'By balance' },
  { key: 'Pinned', word: 'Pinned' },
] as const;

type PinProps = Readonly<{ agent: AgentDetail; tiers: readonly EntitlementView[] }>;

export function PinForm({ agent, tiers }: PinProps) {
  const { agents } = useVillage();
  const sending = useIntent();
  const [written, setWritten] = useState<PinDraft | null>(null);
  const [done, setDone] = useState(false);
  const asIs = pinOf(agent);
  // The form shows the written draft until the village reports the same policy. From then on it follows changes of
  // other people.
  const draft = written === null || (done && samePin(written, asIs)) ? asIs : written;
  const effect = done ? null : pinEffect(agent, tiers, draft);
  const write = (change: Partial<PinDraft>): void => {
    setWritten({ ...draft, ...change });
    setDone(false);
    sending.changed();
  };
  const of = fieldsOf(draft, write);
  const send = async (conflict: 'refuse' | 'take_over'): Promise<void> => {
    const data = await sending.call(putAgentEntitlement, {
      params: { agent_id: agent.agent_id },
      query: { on_conflict: conflict },
      body: pinBody(draft),
    });
    if (data === null) return;
    setDone(true);
    void agents.refresh(agent.agent_id);
  };
  const takeOver = (): void => {
    sending.changed();
    void send('take_over');
  };
  return (
    <div className="pin" data-policy={asIs.policy} data-pinned-to={agent.entitlement.pinned_to ?? ''}>
      <ActionForm
        label="Change the tier"
        sending={sending}
        ready={effect !== null}
        word={pinButton(agent, draft)}
        onSend={() => void send('refuse')}
        onTakeOver={takeOver}
      >
        <Segments label="The tier follows" items={POLICIES} {...of('policy')} />
        {draft.policy === 'Pinned' && <TierField tiers={tiers} {...of('name')} />}
        {effect !== null && <Effect effect={effect} />}
        {done && (
          <Notice tone="good">
            Saved in the custom resource. The operator moves {agent.display_name} within seconds.
          </Notice>
        )}
      </ActionForm>
    </div>
  );
}

type TierFieldProps = Field<string> & Pick<PinProps, 'tiers'>;

function TierField({ tiers, value, onChange }: TierFieldProps) {
  const known = tiers.some((tier) => tier.name === value);
  return (
    <SelectField
      label="Tier"
      name="pin-tier"
      value={value}
      options={[
        ...(known ? [] : [[value, value === '' ? 'Choose a tier' : `${value} (deleted)`] as const]),
        ...tiers
          .toSorted((left, right) => right.rank - left.rank)
          .map((tier) => [tier.name, `${tier.name} · from ${moneyLabel(tier.min_balance)}`] as const),
      ]}
      onChange={onChange}
    />
  );
}

function Effect({ effect }: { readonly effect: PinEffect }) {
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
