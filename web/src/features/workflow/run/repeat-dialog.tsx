import { rerunRun } from '@hamlet/contract';
import { useId } from 'react';
import { useDialogDraft } from '../../../client/drafts.ts';
import { useIntent } from '../../../client/query/use-live.ts';
import { FormDialog } from '../../../ui/controls.tsx';
import { ActionForm, FieldProblem, Segments } from '../../../ui/fields.tsx';
import { useVillage } from '../../village-context.ts';
import { changedInput, firstDraft, inputProblem } from './rerun-draft.ts';

type DialogProps = Readonly<{ runId: string; stage: string; input: string | null; onClose: () => void }>;

const MANIFESTS = [
  { key: 'same', word: 'Those of this run' },
  { key: 'current', word: 'Those of the agent now' },
] as const;

/** Repeats a run from one of its stages as a new run, whose page it opens. */
export function RepeatDialog({ runId, stage, input, onClose }: DialogProps) {
  const { open } = useVillage();
  const sending = useIntent();
  const { draft, write, unsaved } = useDialogDraft(() => firstDraft(input), sending.changed);
  const field = useId();
  const problem = inputProblem(draft.input);
  const send = async (): Promise<void> => {
    const changed = changedInput(draft, input);
    const body = { stage, manifests: draft.manifests, ...(changed === undefined ? {} : { input_json: changed }) };
    const data = await sending.call(rerunRun, { params: { run_id: runId }, body });
    if (data === null) return;
    onClose();
    open({ view: 'runs', run: data.run.run_id });
  };
  return (
    <FormDialog title={`Repeat from ${stage}`} {...unsaved} onClose={onClose}>
      <p className="hint">
        A new run takes over what this one did before <b>{stage}</b>, and works again from there.
      </p>
      <ActionForm
        label={`Repeat from ${stage}`}
        sending={sending}
        ready={problem === null}
        word="Repeat"
        onSend={() => void send()}
        onCancel={onClose}
      >
        <div className="field">
          <label htmlFor={field}>Input of {stage}, as JSON</label>
          <textarea
            id={field}
            className="mono"
            name="input"
            rows={12}
            spellCheck={false}
            value={draft.input}
            placeholder="Its earlier input"
            aria-invalid={problem !== null}
            onChange={(event) => write({ input: event.target.value })}
          />
          <FieldProblem text={problem ?? undefined} />
        </div>
        <div className="field">
          <b>Manifests</b>
          <Segments
            label="Manifests"
            items={MANIFESTS}
            value={draft.manifests}
            onChange={(manifests) => write({ manifests })}
          />
        </div>
      </ActionForm>
    </FormDialog>
  );
}
