import type { EntitlementView } from '@hamlet/contract';
import { type ReactElement, useMemo, useState } from 'react';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { OwnedNotice } from '../../../ui/notices/owned-notice.tsx';
import { RefusedNotice } from '../../../ui/notices/refused-notice.tsx';
import { useVillageState } from '../../village-context.ts';
import { EffectList } from './effect-list.tsx';
import { emptyTier, readTier, type TierDraft, tierDraftOf, type TierProblems } from './tier-draft.ts';
import { tierEffects } from './tier-effects.ts';
import { ComputeFields, LimitFields, OpeningFields } from './tier-fields.tsx';
import { type TierSave, useTierSave } from './use-tier-save.ts';

/** `onClose` gets the name of what was written, null where nothing was. */
interface FormProps {
  readonly tier: EntitlementView | null;
  readonly tiers: readonly EntitlementView[];
  readonly onClose: (saved: string | null) => void;
}

/** Writing a tier, with what changes by it, and for whom, beside it while one types. */
export function TierForm({ tier, tiers, onClose }: FormProps): ReactElement {
  const [start] = useState(() => (tier === null ? emptyTier(tiers) : tierDraftOf(tier)));
  const [draft, setDraft] = useState(start);
  const save = useTierSave(tier, onClose);
  const write = (change: Partial<TierDraft>): void => {
    setDraft((now) => ({ ...now, ...change }));
    save.changed();
  };
  return (
    <FormDialog
      title={tier === null ? 'New tier' : `Change ${tier.name}`}
      draft={JSON.stringify(draft)}
      start={JSON.stringify(start)}
      onClose={() => onClose(null)}
    >
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

function Fields({ tiers, draft, onDraft, save }: FieldsProps): ReactElement {
  const [tried, setTried] = useState(false);
  const details = useVillageState((state) => state.details);
  const isNew = save.base === null;
  const reading = useMemo(() => readTier(draft, isNew ? tiers.map(({ name }) => name) : []), [draft, isNew, tiers]);
  const effects = reading.ok ? tierEffects(save.base, reading, { tiers, agents: [...details.values()] }) : null;
  // Before somebody tries to save, only what is typed wrongly is marked, not what is not typed yet.
  const problems: TierProblems = reading.ok ? {} : tried ? reading.problems : withoutEmpty(reading.problems, draft);
  const parts = { draft, problems, onDraft };
  const ready = effects !== null && effects.lines.length > 0;
  const send = (conflict: 'refuse' | 'take_over'): void => {
    setTried(true);
    if (!reading.ok || !ready) return;
    if (conflict === 'take_over') save.changed();
    void save.save(reading.name, reading.spec, conflict);
  };
  return (
    <form
      className="form tier-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        send('refuse');
      }}
    >
      <div className="tier-columns">
        <div className="form-column">
          <OpeningFields {...parts} isNew={isNew} />
          <LimitFields {...parts} />
          <ComputeFields {...parts} />
        </div>
        <EffectList effects={effects} isNew={isNew} />
      </div>
      <Refusal save={save} onTakeOver={() => send('take_over')} />
      <button type="submit" className="button button-strong" aria-disabled={save.busy || (reading.ok && !ready)}>
        {buttonWord(save, draft)}
      </button>
    </form>
  );
}

function Refusal({
  save,
  onTakeOver,
}: {
  readonly save: TierSave;
  readonly onTakeOver: () => void;
}): ReactElement | null {
  if (save.refused === null) return null;
  if (save.refused.code !== 'precondition_failed')
    return <OwnedNotice refused={save.refused} onTakeOver={onTakeOver} />;
  return (
    <RefusedNotice
      refused={{ ...save.refused, title: 'Somebody else changed it meanwhile', detail: 'What you wrote is kept.' }}
    >
      <button
        type="button"
        className="button button-small"
        onClick={() => void save.readAnew()}
        data-action="read-anew"
      >
        Show what changes from what it is now
      </button>
    </RefusedNotice>
  );
}

function buttonWord({ base, busy }: TierSave, draft: TierDraft): string {
  if (busy) return 'One moment…';
  return base !== null
    ? `Change ${base.name}`
    : draft.name.trim() === ''
      ? 'Make the tier'
      : `Make ${draft.name.trim()}`;
}

function withoutEmpty(problems: TierProblems, draft: TierDraft): TierProblems {
  return Object.fromEntries(Object.entries(problems).filter(([field]) => draft[field as keyof TierDraft] !== ''));
}
