import { liftVillageFreeze, MEASURE_REASON_MAX, roleMay, type VillageFreeze } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import './freeze.css';
import { useSend } from '../../client/ask/use-send.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { Icon } from '../../ui/icon.tsx';
import { dateTime } from '../../ui/time-words.ts';
import { actorWords } from '../people/actor-words.ts';
import { useRole, useViewerId, useVillage, useVillageState } from '../village-context.ts';
import { toSecond } from './freeze-words.ts';
import { ProofList } from './proof-list.tsx';
import { useFreezeWatch } from './use-freeze.ts';

/** Tells everybody that the village is frozen, since when, by whom and why, with the proof; admins lift it here. Nothing while it is not. */
export function FreezeBanner(): ReactElement | null {
  useFreezeWatch();
  const freeze = useVillageState((state) => state.freeze);
  return freeze?.frozen === true ? <Frozen freeze={freeze} /> : null;
}

function Frozen({ freeze }: { readonly freeze: VillageFreeze }): ReactElement {
  const viewer = useViewerId();
  const mayLift = roleMay(useRole(), 'village:freeze');
  const [open, setOpen] = useState<'proof' | 'lift' | null>(null);
  const toggle = (part: 'proof' | 'lift'): void => setOpen(open === part ? null : part);
  return (
    <section className="freeze-banner" role="alert" aria-label="The village is frozen" data-frozen>
      <p className="freeze-line">
        <Icon name="snow" size={18} />
        <span>
          <b>The village is frozen.</b> No money moves, no model is asked, no run begins.{' '}
          {freeze.since !== null && (
            <>
              Since <time dateTime={freeze.since}>{dateTime(toSecond(freeze.since))}</time>
            </>
          )}
          {freeze.by !== null && <> by {actorWords(freeze.by.id, freeze.by.role, viewer)}</>}
          {freeze.reason !== null && <>: “{freeze.reason}”</>}
        </span>
        <button
          type="button"
          className="button button-small"
          aria-expanded={open === 'proof'}
          onClick={() => toggle('proof')}
          data-action="freeze-proof"
        >
          Proof
        </button>
        {mayLift && (
          <button
            type="button"
            className="button button-small"
            aria-expanded={open === 'lift'}
            onClick={() => toggle('lift')}
            data-action="lift-freeze"
          >
            Lift…
          </button>
        )}
      </p>
      {open === 'proof' && <ProofList freeze={freeze} />}
      {open === 'lift' && mayLift && <LiftForm onCancel={() => setOpen(null)} />}
    </section>
  );
}

function LiftForm({ onCancel }: { readonly onCancel: () => void }): ReactElement {
  const { api, store } = useVillage();
  const sending = useSend();
  const [reason, setReason] = useState('');
  const send = async (): Promise<void> => {
    const query = reason.trim() === '' ? {} : { reason: reason.trim() };
    const reply = await sending.send((idempotencyKey) => api.call(liftVillageFreeze, { query, idempotencyKey }));
    if (reply?.ok === true) store.set((state) => ({ ...state, freeze: reply.data }));
  };
  return (
    <ActionForm
      label="Lift the freeze"
      sending={sending}
      ready
      word="Lift the freeze: agents may spend and work again"
      onSend={() => void send()}
      onCancel={onCancel}
    >
      <label>
        Reason (optional)
        <input
          name="lift-reason"
          maxLength={MEASURE_REASON_MAX}
          value={reason}
          onChange={(event) => {
            setReason(event.target.value);
            sending.changed();
          }}
          autoFocus
        />
      </label>
    </ActionForm>
  );
}
