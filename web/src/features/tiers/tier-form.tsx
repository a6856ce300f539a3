import {
  type EntitlementSpec,
  type EntitlementView,
  getEntitlement,
  putEntitlement,
  TIER_LIMITS,
  type TierLimit,
} from '@hamlet/contract';
import { type HTMLAttributes, useMemo, useState } from 'react';
import type { Refused } from '../../client/api.ts';
import { fieldsOf, type FormDraft, useDialogDraft, withoutEmpty } from '../../client/drafts.ts';
import { useIntent } from '../../client/query/use-live.ts';
import { Button, FormDialog, OwnedNotice, RefusedNotice } from '../../ui/controls.tsx';
import { useVillage, useVillageState } from '../village-context.ts';
import { ASPECT_LABELS } from '../market/item-labels.ts';
import { bodyOf, emptyTier, readTier, type TierDraft, tierDraftOf, type TierProblems } from './tier-draft.ts';
import { type TierEffects, tierEffects } from './tier-effects.ts';
import { FieldProblem, Form, Segments, SelectField, TextField } from '../../ui/fields.tsx';

type TierFieldProps = Pick<FormDraft<TierDraft>, 'draft' | 'of'> & Readonly<{ problems: TierProblems }>;
type TextName = Exclude<keyof TierDraft, 'gpuMode' | 'gpuBy'>;

const GPU_MODES = [
  { key: 'None', word: 'No GPU' },
  { key: 'Shared', word: 'Shared' },
  { key: 'Exclusive', word: 'Exclusive' },
] as const;
const GPU_HINTS: Readonly<Record<TierDraft['gpuMode'], string>> = {
  None: '',
  Shared: 'The agent shares a GPU with others; its speed is not guaranteed.',
  Exclusive: 'The agent gets whole GPUs for itself.',
};

function OpeningFields({ isNew, ...parts }: TierFieldProps & { readonly isNew: boolean }) {
  return (
    <Group title="Balance and price, in aiDollars">
      <Text {...parts} title="Name" field="name" disabled={!isNew} placeholder="tier-3" />
      <Text {...parts} title="Rank" field="rank" inputMode="numeric" />
      <Text {...parts} title="Opens at balance" field="minBalance" inputMode="decimal" placeholder="25" />
      <Text {...parts} title="Price an hour" field="perHour" inputMode="decimal" />
      <Text {...parts} title="Per 1,000 tokens" field="perThousandTokens" inputMode="decimal" />
    </Group>
  );
}

const SAMPLES: Readonly<Partial<Record<TierLimit['field'], string>>> = {
  requestsPerMinute: '300',
  concurrentTools: '2',
  tokensPerHour: '100000',
};

function LimitFields(parts: TierFieldProps) {
  return (
    <Group title="Limits">
      {TIER_LIMITS.map(({ field, name }) => (
        <Text
          key={field}
          {...parts}
          title={ASPECT_LABELS[name]}
          field={field}
          inputMode="numeric"
          placeholder={SAMPLES[field] ?? ''}
        />
      ))}
      <Text {...parts} title="Models, default first" field="models" placeholder="small, large" />
    </Group>
  );
}

function ComputeFields(parts: TierFieldProps) {
  const { draft, problems, of } = parts;
  return (
    <Group title="Compute">
      <Text {...parts} title="Processor" field="cpu" placeholder="500m" />
      <Text {...parts} title="Memory" field="memory" placeholder="512Mi" />
      <Text {...parts} title="Priority class" field="priorityClass" placeholder="none" />
      <div className="tier-gpu">
        <Segments label="GPU" items={GPU_MODES} {...of('gpuMode')} />
        {GPU_HINTS[draft.gpuMode] !== '' && <p className="hint">{GPU_HINTS[draft.gpuMode]}</p>}
        <FieldProblem text={problems.gpuMode} />
        {draft.gpuMode !== 'None' && <GpuFields {...parts} />}
      </div>
    </Group>
  );
}

function GpuFields(parts: TierFieldProps) {
  const { draft, of } = parts;
  return (
    <div className="form-grid">
      <SelectField
        label="GPU from"
        name="gpu-by"
        {...of('gpuBy')}
        options={[
          ['resource', 'a resource of the nodes'],
          ['template', 'a claim template'],
        ]}
      />
      {draft.gpuBy === 'template' && (
        <Text {...parts} title="Claim template" field="gpuTemplate" placeholder="gpu-claim" />
      )}
      {draft.gpuBy === 'resource' && (
        <Text {...parts} title="Resource" field="gpuResource" placeholder="nvidia.com/gpu" />
      )}
      {draft.gpuBy === 'resource' && draft.gpuMode === 'Exclusive' && (
        <Text {...parts} title="How many" field="gpuCount" inputMode="numeric" />
      )}
    </div>
  );
}

function Group({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <fieldset className="field-group">
      <legend className="section-name">{title}</legend>
      <div className="form-grid">{children}</div>
    </fieldset>
  );
}

interface TextProps extends TierFieldProps {
  readonly title: string;
  readonly field: TextName;
  readonly disabled?: boolean;
  readonly placeholder?: string;
  readonly inputMode?: HTMLAttributes<HTMLInputElement>['inputMode'];
}

function Text({ draft: _draft, problems, of, title, field, ...input }: TextProps) {
  return (
    <TextField {...input} label={title} name={field} spellCheck={false} {...of(field)} problem={problems[field]} />
  );
}

interface FormProps {
  readonly tier: EntitlementView | null;
  readonly tiers: readonly EntitlementView[];
  readonly onClose: (saved: string | null) => void;
}

export function TierForm({ tier, tiers, onClose }: FormProps) {
  const save = useTierSave(tier, onClose);
  const first = (): TierDraft => (tier === null ? emptyTier(tiers) : tierDraftOf(tier));
  const { draft, write, unsaved } = useDialogDraft(first, save.changed);
  return (
    <FormDialog title={tier === null ? 'New tier' : `Change ${tier.name}`} {...unsaved} onClose={() => onClose(null)}>
      <Fields tiers={tiers} draft={draft} onDraft={write} save={save} />
    </FormDialog>
  );
}

interface FieldsProps {
  readonly tiers: readonly EntitlementView[];
  readonly draft: TierDraft;
  readonly onDraft: (change: Partial<TierDraft>) => void;
  readonly save: TierSave;
}

function Fields({ tiers, draft, onDraft, save }: FieldsProps) {
  const [tried, setTried] = useState(false);
  const details = useVillageState((state) => state.details);
  const isNew = save.base === null;
  const reading = useMemo(() => readTier(draft, isNew ? tiers.map(({ name }) => name) : []), [draft, isNew, tiers]);
  const effects = reading.ok ? tierEffects(save.base, reading, { tiers, agents: [...details.values()] }) : null;
  const problems: TierProblems = reading.ok ? {} : tried ? reading.problems : withoutEmpty(reading.problems, draft);
  const parts = { draft, problems, of: fieldsOf(draft, onDraft) };
  const ready = effects !== null && effects.lines.length > 0;
  const send = (conflict: 'refuse' | 'take_over'): void => {
    setTried(true);
    if (!reading.ok || !ready) return;
    if (conflict === 'take_over') save.changed();
    void save.save(reading.name, reading.spec, conflict);
  };
  return (
    <Form className="tier-form" noValidate onSend={() => send('refuse')}>
      <div className="tier-columns">
        <div className="form-column">
          <OpeningFields {...parts} isNew={isNew} />
          <LimitFields {...parts} />
          <ComputeFields {...parts} />
        </div>
        <EffectList effects={effects} isNew={isNew} />
      </div>
      <Refusal save={save} onTakeOver={() => send('take_over')} />
      <Button
        look="strong"
        word={buttonWord(save, draft)}
        type="submit"
        aria-disabled={save.busy || (reading.ok && !ready)}
      />
    </Form>
  );
}

function Refusal({ save, onTakeOver }: Readonly<{ save: TierSave; onTakeOver: () => void }>) {
  if (save.refused === null) return null;
  if (save.refused.code !== 'precondition_failed')
    return <OwnedNotice refused={save.refused} onTakeOver={onTakeOver} />;
  return (
    <RefusedNotice
      refused={{
        ...save.refused,
        title: 'This tier changed while you were editing',
        detail: 'Your changes were not saved. They are still in this form.',
      }}
    >
      <Button word="Compare with the new state" onClick={() => void save.readAgain()} data-action="read-again" />
    </RefusedNotice>
  );
}

function buttonWord({ base, busy }: TierSave, draft: TierDraft): string {
  if (busy) return 'One moment…';
  return base !== null
    ? `Change ${base.name}`
    : draft.name.trim() === ''
      ? 'Create the tier'
      : `Create ${draft.name.trim()}`;
}

const NAMED = 8;

function EffectList({ effects, isNew }: Readonly<{ effects: TierEffects | null; isNew: boolean }>) {
  return (
    <section className="ahead tier-effects" aria-label="Effects" aria-live="polite">
      <h3 className="section-name">Effects</h3>
      {effects === null && <p className="hint">Complete the fields to see the effects.</p>}
      {effects !== null && effects.lines.length === 0 && <p className="hint">No change yet.</p>}
      {effects !== null && effects.lines.length > 0 && (
        <dl className="change-lines">
          {effects.lines.map(({ what, from, to }) => (
            <div key={what} data-change={what}>
              <dt>{what}</dt>
              <dd>
                {!isNew && (
                  <>
                    {from} <span aria-hidden="true">→</span>
                    <span className="sr-only">becomes</span>{' '}
                  </>
                )}
                <b>{to}</b>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {effects !== null && effects.lines.length > 0 && <Consequences effects={effects} />}
    </section>
  );
}

function Consequences({ effects: { moves, pods, at } }: { readonly effects: TierEffects }) {
  return (
    <ul className="consequences">
      {at > 0 && (
        <li>
          {at === 1 ? 'One agent is' : `${at} agents are`} awake in this tier. {pods}
        </li>
      )}
      {moves.slice(0, NAMED).map(({ agent, name, from, to }) => (
        <li key={agent} data-move={agent}>
          <b>{name}</b> moves from {from ?? 'no tier'} to {to ?? 'no tier'}, by its balance.
        </li>
      ))}
      {moves.length > NAMED && <li>{moves.length - NAMED} more agents move to another tier.</li>}
      {moves.length === 0 && <li>No agent moves to another tier.</li>}
    </ul>
  );
}

interface TierSave {
  /** The stored tier as the form last read it; null for a new one. */
  readonly base: EntitlementView | null;
  readonly busy: boolean;
  readonly refused: Refused | null;
  save(name: string, spec: EntitlementSpec, conflict: 'refuse' | 'take_over'): Promise<void>;
  readAgain(): Promise<void>;
  changed(): void;
}

function useTierSave(tier: EntitlementView | null, onSaved: (name: string) => void): TierSave {
  const { api } = useVillage();
  const sending = useIntent();
  const [base, setBase] = useState(tier);
  const save: TierSave['save'] = async (name, spec, conflict) => {
    const ifMatch = base === null || base.etag === null ? {} : { ifMatch: base.etag };
    const data = await sending.call(putEntitlement, {
      params: { name },
      query: { on_conflict: conflict },
      body: bodyOf(spec),
      ...ifMatch,
    });
    if (data !== null) onSaved(name);
  };
  const readAgain = async (): Promise<void> => {
    if (base === null) return;
    const reply = await api.call(getEntitlement, { params: { name: base.name } });
    if (reply.ok) {
      setBase(reply.data);
      sending.changed();
    }
  };
  return { base, busy: sending.busy, refused: sending.refused, save, readAgain, changed: sending.changed };
}
