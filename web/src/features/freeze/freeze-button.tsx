import { freezeVillage, MEASURE_REASON_MAX, roleMay } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { useDraft } from '../../client/drafts.ts';
import { useIntent } from '../../client/query/use-intent.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useRole, useVillage, useVillageState } from '../village-context.ts';
import { ProofList } from './freeze-banner.tsx';

/**
 * The button in the top bar with which an admin freezes the village. Hidden during a freeze, because the banner has the
 * button that lifts it.
 */
export function FreezeButton(): ReactElement | null {
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
        title="Freeze everyone: no money moves, no model is asked, no run begins"
      >
        <Icon name="snow" size={16} />
        <span>Freeze</span>
      </button>
      {open && <FreezeDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function FreezeDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { api, store } = useVillage();
  const sending = useIntent();
  const [reason, setReason] = useDraft('freeze');
  const freeze = useVillageState((state) => state.freeze);
  const send = async (): Promise<void> => {
    const reply = await sending.send((idempotencyKey) =>
      api.call(freezeVillage, { body: { reason: reason.trim() }, idempotencyKey }),
    );
    if (reply?.ok !== true) return;
    setReason('');
    store.set((state) => ({ ...state, freeze: reply.data }));
    onClose();
  };
  return (
    <Dialog title="Freeze everyone?" className="freeze-dialog" onClose={onClose}>
      <p className="hint">
        At once and until you lift it: no money moves, no model is asked and no run begins, for every agent and every
        person. Agents stay where they are; nothing is lost. Everybody sees who froze the village and why.
      </p>
      <ActionForm
        label="Freeze everyone"
        sending={sending}
        ready={reason.trim() !== ''}
        word="Freeze everyone"
        danger
        onSend={() => void send()}
        onCancel={onClose}
      >
        <TextField
          label="Reason"
          name="freeze-reason"
          rows={2}
          required
          maxLength={MEASURE_REASON_MAX}
          value={reason}
          onChange={(text) => {
            setReason(text);
            sending.changed();
          }}
          autoFocus
          placeholder="All visitors can read it"
        />
      </ActionForm>
      {freeze !== null && <ProofList freeze={freeze} />}
    </Dialog>
  );
}
