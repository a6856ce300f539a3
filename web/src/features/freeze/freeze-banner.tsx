import type { VillageFreeze } from '@hamlet/contract';
import { freezeVillage, getVillageFreeze, liftVillageFreeze, MEASURE_REASON_MAX, roleMay } from '@hamlet/contract';
import { useEffect, useState } from 'react';
import { useFormDraft } from '../../client/drafts.ts';
import { useIntent, useLive } from '../../client/query/use-live.ts';
import { Button, Dialog, Icon } from '../../ui/controls.tsx';
import { ActionForm, TextField } from '../../ui/fields.tsx';
import { dateTime } from '../../ui/time-labels.ts';
import { ActorName } from '../actor-name.tsx';
import { useHintedPace, useRole, useVillage, useVillageState } from '../village-context.ts';
import { proofLines, toSecond } from './freeze-labels.ts';
import './freeze.css';

export function FreezeBanner() {
  useFreezeWatch();
  const freeze = useVillageState((state) => state.freeze);
  return freeze?.frozen === true ? <Frozen freeze={freeze} /> : null;
}

function Frozen({ freeze }: { readonly freeze: VillageFreeze }) {
  const mayLift = roleMay(useRole(), 'village:freeze');
  const [open, setOpen] = useState<'proof' | 'lift' | null>(null);
  const toggle = (part: 'proof' | 'lift'): void => setOpen(open === part ? null : part);
  return (
    <section className="freeze-banner" role="alert" aria-label="The village is frozen" data-frozen>
      <p className="freeze-line">
        <Icon name="snow" size={18} />
        <span>
          <b>The village is frozen.</b> Agents stand still; no money moves, no model is asked, no run begins. Runs
          continue after the freeze.{' '}
          {freeze.since !== null && (
            <>
              Since <time dateTime={freeze.since}>{dateTime(toSecond(freeze.since))}</time>
            </>
          )}
          {freeze.by !== null && (
            <>
              {' '}
              by <ActorName {...freeze.by} />
            </>
          )}
          {freeze.reason !== null && <>: “{freeze.reason}”</>}
        </span>
        <Button
          word="Proof"
          aria-expanded={open === 'proof'}
          onClick={() => toggle('proof')}
          data-action="freeze-proof"
        />
        {mayLift && (
          <Button
            word="Lift…"
            aria-expanded={open === 'lift'}
            onClick={() => toggle('lift')}
            data-action="lift-freeze"
          />
        )}
      </p>
      {open === 'proof' && <ProofList freeze={freeze} />}
      {open === 'lift' && mayLift && <LiftForm onCancel={() => setOpen(null)} />}
    </section>
  );
}

function LiftForm({ onCancel }: { readonly onCancel: () => void }) {
  const { store } = useVillage();
  const sending = useIntent();
  const { draft, of, forget } = useFormDraft('lift-freeze', { reason: '' }, sending.changed);
  const reason = draft.reason.trim();
  const send = async (): Promise<void> => {
    const data = await sending.call(liftVillageFreeze, { query: reason === '' ? {} : { reason } });
    if (data === null) return;
    forget();
    store.set((state) => ({ ...state, freeze: data }));
  };
  return (
    <ActionForm
      label="Lift the freeze"
      sending={sending}
      ready
      word="Lift the freeze: agents may spend and work again"
      onSend={send}
      onCancel={onCancel}
    >
      <TextField
        label="Reason (optional)"
        name="lift-reason"
        maxLength={MEASURE_REASON_MAX}
        {...of('reason')}
        autoFocus
      />
    </ActionForm>
  );
}

const REFRESH_MS = 4000;

/** Keeps the freeze of the village in the store. Mount it once. */
function useFreezeWatch(): void {
  const { store } = useVillage();
  const pace = useHintedPace(REFRESH_MS);
  // The proof of a freeze grows in its first seconds, without a hint.
  const { data } = useLive(getVillageFreeze, {}, ({ data: now }) => (now?.frozen === true ? REFRESH_MS : pace()));
  useEffect(() => {
    if (data !== null) store.set((state) => ({ ...state, freeze: data }));
  }, [store, data]);
}

function ProofList({ freeze }: { readonly freeze: VillageFreeze }) {
  return (
    <dl className="freeze-proof">
      {proofLines(freeze).map(({ key, what, when, at, holds }) => (
        <div key={key} data-proof={key} data-holds={holds}>
          <dt>
            <Icon name={holds ? 'check' : 'alert'} size={14} />
            {what}
          </dt>
          <dd>{at === null ? when : <time dateTime={at}>{when}</time>}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Hidden during a freeze, because the banner has the button that lifts it. */
export function FreezeButton() {
  const [open, setOpen] = useState(false);
  const frozen = useVillageState((state) => state.freeze?.frozen);
  if (!roleMay(useRole(), 'village:freeze') || frozen === true) return null;
  return (
    <>
      <button
        type="button"
        className="button button-stop freeze-button"
        onClick={() => setOpen(true)}
        data-action="freeze-everyone"
        title="Freeze everyone: stops all agents, money, model requests and new runs"
      >
        <Icon name="snow" size={16} />
        <span>Freeze</span>
      </button>
      {open && <FreezeDialog onClose={() => setOpen(false)} />}
    </>
  );
}

/** The reason if a person in a hurry writes none. */
const EMERGENCY = 'Emergency stop';

function FreezeDialog({ onClose }: { readonly onClose: () => void }) {
  const { store } = useVillage();
  const sending = useIntent();
  const { draft, of, forget } = useFormDraft('freeze', { reason: '' }, sending.changed);
  const reason = draft.reason.trim() || EMERGENCY;
  const freeze = useVillageState((state) => state.freeze);
  const send = async (): Promise<void> => {
    const data = await sending.call(freezeVillage, { body: { reason } });
    if (data === null) return;
    forget();
    store.set((state) => ({ ...state, freeze: data }));
    onClose();
  };
  return (
    <Dialog title="Freeze everyone?" className="freeze-dialog" onClose={onClose}>
      <p className="hint">
        At once and until you lift it: no agent moves or speaks, no money moves, no model is asked and no run begins,
        for every agent and every person. Runs that need the model wait and continue after the freeze; programs under
        way lose their connections. Everybody sees who froze the village and why.
      </p>
      <ActionForm
        label="Freeze everyone"
        sending={sending}
        ready
        word="Freeze everyone"
        danger
        onSend={send}
        onCancel={onClose}
      >
        <TextField
          label="Reason (optional)"
          name="freeze-reason"
          rows={2}
          maxLength={MEASURE_REASON_MAX}
          {...of('reason')}
          autoFocus
          placeholder="All visitors can read it"
        />
      </ActionForm>
      {freeze !== null && <ProofList freeze={freeze} />}
    </Dialog>
  );
}
